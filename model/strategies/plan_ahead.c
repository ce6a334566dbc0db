/* SPDX-License-Identifier: MIT */
#include "model/strategies/plan_ahead.h"

#include "analyzer/util/memory.h"

#include <math.h>
#include <stdlib.h>

/* What each stage's events stand for. */
enum event { COPIED_IN, USED, COPIED_OUT };

struct ahead {
	const struct xs_strategy_case *c;
	const struct xs_scenario *scenario;
	const struct xs_copy_stages *stages;
	const struct xs_ahead_queues *queues;
	struct xs_plan *plan;
	const uint32_t *steps; /* by stage */
	const size_t *first;   /* of a stage in steps */
};

static bool has_copies(const struct ahead *a, uint32_t stage,
		       enum xs_step_kind kind)
{
	for (size_t i = a->first[stage]; i < a->first[stage + 1]; i++)
		if (a->c->phase->steps[a->steps[i]].kind == kind)
			return true;
	return false;
}

/* Records or awaits a stage's event, unless one queue orders all. */
static void put_event(const struct ahead *a, enum xs_action_kind kind,
		      enum event event, uint32_t stage, uint32_t queue)
{
	const struct xs_action action = {
	    .kind = kind,
	    .after = XS_ACTION_NONE,
	    .event = (uint32_t)event * a->stages->count + stage,
	    .call_ns = xs_or_zero(a->scenario->machine.call_event_ns.value)};

	if (a->queues->in != a->queues->kernels)
		xs_plan_put(a->plan, action, queue, 1);
}

/*
 * Returns the share of SM time that a kernel of equal blocks leaves idle: the
 * SMs with a block less than others end early. The first blocks of other
 * queues' kernels run there.
 */
static double idle_share(const struct xs_step *step, const struct xs_machine *m)
{
	const double blocks = (double)step->blocks / m->sm_count;

	return blocks > 0 && isfinite(blocks) ? 1 - blocks / ceil(blocks) : 0;
}

static struct xs_action kernel_of(const struct ahead *a,
				  const struct xs_step *step, bool after_copy)
{
	const struct xs_machine *m = &a->scenario->machine;
	const double ns =
	    (double)(step->end_ns - step->start_ns) * a->scenario->kernel_scale;
	struct xs_action kernel = after_copy
				      ? xs_action_kernel_after_copy(m, ns)
				      : xs_action_kernel(m, ns);

	if (!after_copy)
		kernel.dep_lag_ns -= xs_kernel_edges_ns(m);
	if (!a->scenario->one_kernel)
		kernel.sm_share = xs_step_sm_share(step, m);
	return kernel;
}

/* The last kernel of a stage leaves idle SMs to the next stage. */
static void end_early(const struct ahead *a, const struct xs_step *step)
{
	struct xs_action *kernel = &a->plan->actions[a->plan->count - 1];

	if (kernel->sm_share <= 0.5) /* there is room for the next one */
		return;
	kernel->tail_ns =
	    kernel->work_ns * idle_share(step, &a->scenario->machine);
	kernel->work_ns -= kernel->tail_ns;
}

/* Kernels wait for copies in of stages. A copy behind a wait for an event that
 * has long happened follows the copy before it. */
static struct xs_action copy_of(const struct ahead *a,
				const struct xs_step *step, uint32_t stage)
{
	const struct xs_machine *m = &a->scenario->machine;
	const double bytes = (double)step->bytes;
	struct xs_action copy;

	if (step->kind != XS_STEP_H2D || !stage)
		return xs_action_copy(m, step->kind == XS_STEP_H2D, bytes,
				      false);
	copy = xs_action_next_copy(m, bytes);
	if (stage > 1)
		copy.dep_lag_ns = copy.chain_lag_ns;
	return copy;
}

/* Appends the steps of a kind; the first kernel may wait for a copy. */
static void put_steps(const struct ahead *a, uint32_t stage,
		      enum xs_step_kind kind, uint32_t queue)
{
	const struct xs_step *kernel = NULL;
	bool first = has_copies(a, stage, XS_STEP_H2D);

	for (size_t i = a->first[stage]; i < a->first[stage + 1]; i++) {
		const struct xs_step *step = &a->c->phase->steps[a->steps[i]];

		if (step->kind != kind)
			continue;
		xs_plan_put(a->plan,
			    kind == XS_STEP_KERNEL ? kernel_of(a, step, first)
						   : copy_of(a, step, stage),
			    queue, 1);
		first = false;
		kernel = kind == XS_STEP_KERNEL ? step : NULL;
	}
	if (kernel)
		end_early(a, kernel);
}

/* A buffer is free when the kernels of the stage before the last have ended. */
static void put_ins(const struct ahead *a, uint32_t stage)
{
	const uint32_t queue = a->queues->in;

	if (!has_copies(a, stage, XS_STEP_H2D))
		return;
	if (stage > 1)
		put_event(a, XS_ACTION_WAIT, USED, stage - 2, queue);
	put_steps(a, stage, XS_STEP_H2D, queue);
	put_event(a, XS_ACTION_RECORD, COPIED_IN, stage, queue);
}

static void put_kernels(const struct ahead *a, uint32_t stage)
{
	const uint32_t queue = a->queues->kernels;

	if (has_copies(a, stage, XS_STEP_H2D))
		put_event(a, XS_ACTION_WAIT, COPIED_IN, stage, queue);
	if (stage > 1 && has_copies(a, stage - 2, XS_STEP_D2H))
		put_event(a, XS_ACTION_WAIT, COPIED_OUT, stage - 2, queue);
	put_steps(a, stage, XS_STEP_KERNEL, queue);
	put_event(a, XS_ACTION_RECORD, USED, stage, queue);
}

static void put_outs(const struct ahead *a, uint32_t stage)
{
	const uint32_t queue = a->queues->out;

	if (!has_copies(a, stage, XS_STEP_D2H) && queue != a->queues->in)
		return;
	put_event(a, XS_ACTION_WAIT, USED, stage, queue);
	put_steps(a, stage, XS_STEP_D2H, queue);
	put_event(a, XS_ACTION_RECORD, COPIED_OUT, stage, queue);
}

static void put_stages(const struct ahead *a, double host_ns, double beside_ns)
{
	const uint32_t count = a->stages->count;
	const struct xs_action first = xs_action_host(host_ns);
	const struct xs_action host =
	    xs_action_host(host_ns + beside_ns / fmax(count - 1, 1));
	const struct xs_action last = xs_action_host(beside_ns);

	for (uint32_t s = 0; s < count; s++) {
		xs_plan_add(a->plan, s ? &host : &first);
		if (!s)
			put_ins(a, 0);
		if (s + 1 < count)
			put_ins(a, s + 1);
		put_kernels(a, s);
		put_outs(a, s);
	}
	if (count <= 1 && beside_ns > 0)
		xs_plan_add(a->plan, &last);
}

/* Sorts the steps by stage. first: one entry more than stages. */
static void sort_steps(const struct xs_phase *phase,
		       const struct xs_copy_stages *stages, uint32_t *steps,
		       size_t *first)
{
	for (size_t i = 0; i < phase->step_count; i++)
		first[stages->of[i] + 1]++;
	for (uint32_t s = 0; s < stages->count; s++)
		first[s + 1] += first[s];
	for (size_t i = phase->step_count; i-- > 0;)
		steps[--first[stages->of[i] + 1]] = (uint32_t)i;
	for (uint32_t s = 0; s < stages->count; s++)
		first[s] = first[s + 1];
	first[stages->count] = phase->step_count;
}

void xs_plan_ahead(const struct xs_strategy_case *c,
		   const struct xs_scenario *scenario,
		   const struct xs_copy_stages *stages,
		   const struct xs_ahead_queues *queues, double host_ns,
		   double beside_ns, struct xs_plan *plan)
{
	uint32_t *steps =
	    xs_malloc((c->phase->step_count + 1) * sizeof(*steps));
	size_t *first = xs_calloc((size_t)stages->count + 1, sizeof(*first));
	const struct ahead a = {.c = c,
				.scenario = scenario,
				.stages = stages,
				.queues = queues,
				.plan = plan,
				.steps = steps,
				.first = first};

	sort_steps(c->phase, stages, steps, first);
	put_stages(&a, host_ns, beside_ns);
	free(steps);
	free(first);
}
