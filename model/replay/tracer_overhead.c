/* SPDX-License-Identifier: MIT */
#include "model/replay/tracer_overhead.h"

#include "model/replay/another_run.h"
#include "model/replay/recorded_plan.h"

#include <math.h>

/* Limits the call, and what its op waits beyond it. fmin ignores NAN, an
 * unknown value. */
static void limit_call(double call_ns, double waits_ns,
		       struct xs_action *action)
{
	action->call_ns = fmin(action->call_ns, call_ns);
	action->issue_lag_ns =
	    fmin(action->issue_lag_ns, action->call_ns + waits_ns);
}

static double waits_ns(const struct xs_action *action)
{
	return fmax(action->issue_lag_ns - action->call_ns, 0);
}

/* The host's own code of this time before a launch leaves little of the
 * driver's in the caches: in PyTorch a traced call takes 4 to 16 us, not the
 * 3.5 to 4 of the profile's loop. Little of it is tracing: of steps that were
 * recorded in turn, those with 47 calls took 0.12 and 0.13 ms more (each
 * +-0.03), those with 62 took 0.12 +-0.03 and 0.05 +-0.05. */
#define COLD_NS	       10000.0
#define TRACER_CALL_NS 2000.0

static void untrace_launch(const struct xs_machine *m, bool was_idle,
			   bool is_cold, struct xs_action *action)
{
	const double latency_ns = m->launch_latency_ns.value;
	const double call_ns = m->call_launch_ns.value;

	limit_call(is_cold && !isnan(call_ns)
		       ? fmax(call_ns, action->call_ns - TRACER_CALL_NS)
		       : call_ns,
		   was_idle && !isnan(latency_ns) ? latency_ns
						  : waits_ns(action),
		   action);
}

/* Where pointers of launches are recorded, 0.6 us or more lie after a call that
 * allocates or frees (28 traces), whatever follows, elsewhere 0.1 to 0.2.
 * Between the same two calls, the first a launch, lies 1.1 us more if its
 * pointers are recorded (median of 10 pairs in two traces that record a part,
 * 0.89 at the first quartile; two pairs of 3.7 us are left out): 0.85 leaves
 * what varies to the program. */
#define TRACER_MEMORY_NS 650.0
#define TRACER_LAUNCH_NS 850.0

/* No gap between two kernels of a queue is longer in 737 traces: the rest of a
 * longer one is an order that the trace does not have. */
#define TRACER_KERNEL_NS 50000.0

/* Steps back in which one is looked for. */
#define NEAR_STEPS 64u

/* After a call that copies in from pageable memory, the tracer looks for
 * addresses in what was copied (preload/record/table_search.h). Copies that are
 * looked at have 1.5 to 6.1 us more after them than later ones of the same call
 * (14 calls in 10 traces). Long ones leave what is looked at in no cache: 10 to
 * 14 us, instead of 3 (8 traces, and 44 of tracers that did not look). */
#define SEARCHED_ROUNDS	    128u /* the median one is of the first 64 */
#define SEARCHED_NEAR_BYTES 65536u

static double search_ns(uint64_t bytes, double gap_ns)
{
	const bool is_far = bytes > SEARCHED_NEAR_BYTES;

	return bytes < sizeof(uint64_t) /* it holds no address */
		   ? 0
		   : fmin(fmax(gap_ns - (is_far ? 3000 : 300), 0),
			  is_far ? 8000 : 3400);
}

double xs_tracer_gap_ns(const struct xs_phase *phase, size_t i, double gap_ns)
{
	const struct xs_step *steps = phase->steps;
	const struct xs_step *before = NULL;
	double most_ns = 0;

	for (size_t j = i; !before && j > 0 && i - j < NEAR_STEPS; j--)
		if (steps[j - 1].thread == steps[i].thread)
			before = &steps[j - 1];
	if (!before)
		return 0;
	if (before->has_pointers)
		most_ns = TRACER_LAUNCH_NS;
	else if (!phase->sample_rounds)
		return 0;
	else if (before->kind == XS_STEP_H2D && xs_step_is_pageable(before))
		return phase->rounds > SEARCHED_ROUNDS
			   ? 0
			   : search_ns(before->bytes, gap_ns);
	else if (xs_step_is_allocation(before))
		most_ns = TRACER_MEMORY_NS;
	return fmin(fmax(gap_ns, 0), most_ns);
}

/* Returns the kind of the op before it on its queue; XS_STEP_KINDS: none near.
 */
static uint8_t kind_before(const struct xs_phase *phase, size_t i)
{
	const struct xs_step *steps = phase->steps;
	size_t j;

	for (j = i; j > 0 && i - j < NEAR_STEPS; j--)
		if (steps[j - 1].queue == steps[i].queue &&
		    steps[j - 1].end_ns > 0)
			return steps[j - 1].kind;
	return XS_STEP_KINDS;
}

/* Recording the call before delays a copy that follows one the same way, too.
 */
static void untrace_copy(const struct xs_machine *m,
			 const struct xs_phase *phase, size_t i,
			 struct xs_action *action)
{
	const struct xs_step *step = &phase->steps[i];
	const bool in = xs_step_is_in(step);
	const double gap_ns =
	    (in ? m->g_h2d_ns.value : m->g_d2h_ns.value) +
	    (double)step->bytes * (in ? m->G_h2d.value : m->G_d2h.value) -
	    action->work_ns;

	limit_call(fmax(m->call_copy_async_ns.value,
			action->call_ns - XS_TRACER_COPY_NS),
		   waits_ns(action), action);
	if (kind_before(phase, i) == step->kind)
		action->dep_lag_ns =
		    fmin(action->dep_lag_ns,
			 fmax(fmax(gap_ns, 0),
			      action->dep_lag_ns - XS_TRACER_COPY_NS));
}

/* Returns the end of the step by the host's clock: a blocking copy ends when
 * its call returns. */
static uint64_t end_of(const struct xs_step *step)
{
	return step->blocking && step->return_ns < step->end_ns
		   ? step->return_ns
		   : step->end_ns;
}

void xs_tracer_overhead_remove(struct xs_plan *plan,
			       const struct xs_phase *phase,
			       const struct xs_machine *machine)
{
	const struct xs_step *step = phase->steps;
	const bool launches_wait = xs_launches_await_staging(phase) > 0;
	uint64_t busy_until_ns = 0;
	size_t i;

	if (phase->imported)
		return;
	for (i = 0; i < phase->step_count; i++, step++) {
		struct xs_action *action = &plan->actions[i];
		const bool launches = step->kind == XS_STEP_KERNEL &&
				      action->kind == XS_ACTION_OP;
		const bool follows =
		    launches && kind_before(phase, i) == XS_STEP_KERNEL;

		action->gap_ns =
		    fmax(action->gap_ns - (double)step->hash_ns, 0);
		action->gap_ns -= xs_tracer_gap_ns(phase, i, action->gap_ns);
		if (launches &&
		    !(launches_wait && xs_step_is_long_launch(step)))
			untrace_launch(machine, busy_until_ns <= step->call_ns,
				       follows && action->gap_ns > COLD_NS,
				       action);
		if (xs_step_is_copy(step) && action->kind == XS_ACTION_OP &&
		    !action->blocking && !xs_step_is_pageable(step))
			untrace_copy(machine, phase, i, action);
		if (follows && action->dep_lag_ns < TRACER_KERNEL_NS)
			action->dep_lag_ns = fmin(action->dep_lag_ns,
						  machine->kernel_gap_ns.value);
		else if (action->kind >= XS_ACTION_SYNC_QUEUE &&
			 step->kind != XS_STEP_FREE)
			action->return_ns =
			    fmin(action->return_ns, machine->sync_ns.value);
		if (end_of(step) > busy_until_ns)
			busy_until_ns = end_of(step);
	}
}
