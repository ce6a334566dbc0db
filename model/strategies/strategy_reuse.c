/* SPDX-License-Identifier: MIT */
/*
 * reuse: what a round allocates, pins or creates, and frees again, is made once
 * before the rounds. Replays the record without these calls. Frees wait for the
 * device, and a wait stays in their place: the program may rely on it. A pinned
 * copy into memory that its round allocated takes the machine's time of such a
 * copy if that is shorter: the driver clears fresh memory first.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "model/replay/recorded_plan.h"

#include <inttypes.h>
#include <stdlib.h>

/* Calls of a round that reuse leaves out. */
struct total {
	unsigned allocations, frees;
	uint64_t bytes;
};

static struct total add_up(const struct xs_strategy_case *c)
{
	struct total total = {0};

	XS_EACH(step, c->phase->steps, c->phase->step_count) {
		total.frees += step->kind == XS_STEP_FREE;
		if (step->kind != XS_STEP_ALLOCATE)
			continue;
		total.allocations++;
		total.bytes += step->bytes;
	}
	return total;
}

/* Memory that the round allocates, by address. */
struct fresh {
	struct range {
		uint64_t begin, bytes;
		bool joined; /* with another one */
	} * ranges;	     /* owned */
	size_t count;
};

static int by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void find_fresh(const struct xs_phase *phase, struct fresh *fresh)
{
	fresh->count = 0;
	fresh->ranges =
	    xs_malloc((phase->step_count + 1) * sizeof(*fresh->ranges));
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == XS_STEP_ALLOCATE)
			fresh->ranges[fresh->count++] = (struct range){
			    phase->steps[i].dst, phase->steps[i].bytes, false};
	qsort(fresh->ranges, fresh->count, sizeof(*fresh->ranges), by_begin);
}

/* Returns the range with the address; NULL: the round did not allocate it. */
static struct range *range_of(const struct fresh *fresh, uint64_t address)
{
	size_t low = 0, high = fresh->count; /* ranges that begin before it */

	XS_BISECT(low, high, i, fresh->ranges[i].begin <= address);
	return address && low > 0 &&
		       address - fresh->ranges[low - 1].begin <
			   fresh->ranges[low - 1].bytes
		   ? &fresh->ranges[low - 1]
		   : NULL;
}

static void shorten(const struct xs_machine *machine,
		    const struct xs_step *step, struct xs_action *action)
{
	const double usual_ns = machine->G_h2d.value * (double)step->bytes;

	if (action->kind == XS_ACTION_OP && !xs_step_is_pageable(step) &&
	    usual_ns < action->work_ns)
		action->work_ns = usual_ns;
}

/* Leaves out a call that allocates or frees, and keeps a free's wait for the
 * device. */
static void leave_out(const struct xs_step *step, struct xs_action *action)
{
	const bool waits =
	    step->kind == XS_STEP_FREE && action->kind == XS_ACTION_SYNC_ALL;

	if (xs_step_is_allocation(step))
		xs_action_leave_out(action);
	if (waits)
		action->kind = XS_ACTION_SYNC_ALL;
}

void xs_plan_reuse(const struct xs_phase *phase,
		   const struct xs_machine *machine, struct xs_plan *plan)
{
	struct fresh fresh;

	find_fresh(phase, &fresh);
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct xs_action *action = &plan->actions[i];

		leave_out(step, action);
		if (step->kind == XS_STEP_H2D && range_of(&fresh, step->dst))
			shorten(machine, step, action);
	}
	free(fresh.ranges);
}

/* Marks the arrays that the run copies, except the first copy's. */
static void join(const struct xs_phase *phase,
		 const struct xs_small_copies *run, const struct fresh *fresh)
{
	const struct range *kept = NULL;

	for (size_t i = run->first; i < run->end; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct range *range =
		    range_of(fresh, run->in ? step->dst : step->src);

		if (i == run->first)
			kept = range;
		else if (range && xs_step_is_copy(step))
			range->joined |= range != kept;
	}
}

void xs_plan_join_arrays(const struct xs_phase *phase,
			 const struct xs_machine *machine, struct xs_plan *plan)
{
	struct xs_small_copies run;
	struct range *range;
	struct fresh fresh;

	find_fresh(phase, &fresh);
	for (size_t i = 0;
	     fresh.count && xs_small_copies_next(phase, machine, i, &run);
	     i = run.end)
		join(phase, &run, &fresh);
	for (size_t i = 0; i < phase->step_count; i++) {
		range = range_of(&fresh, phase->steps[i].dst);
		if (range && range->joined)
			leave_out(&phase->steps[i], &plan->actions[i]);
	}
	free(fresh.ranges);
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	xs_plan_recorded(c, scenario, plan);
	(void)row;
	xs_plan_reuse(c->phase, &scenario->machine, plan);
}

static void explain(struct xs_estimate *row, const struct total *total,
		    double ns)
{
	if (!total->allocations) {
		snprintf(row->why, sizeof(row->why),
			 "a round frees %u time%s what it did not allocate, "
			 "which takes the host %.0f ns",
			 total->frees, total->frees == 1 ? "" : "s", ns);
		return;
	}
	snprintf(row->why, sizeof(row->why),
		 "a round makes %u allocation%s of %" PRIu64
		 " bytes in all and %u free%s",
		 total->allocations, total->allocations == 1 ? "" : "s",
		 total->bytes, total->frees, total->frees == 1 ? "" : "s");
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	const struct total total = add_up(c);

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (xs_abstain_if(!total.allocations && !total.frees, &row, out,
			  "rounds neither allocate nor free anything"))
		return;
	row.setup_ns = c->work.allocation_ns;
	xs_estimate_replay(c, build_plan, &row);
	explain(&row, &total, c->work.allocation_ns);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_reuse = {
    .id = "reuse",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_STEPS,
    .changes = XS_CHANGES_ALLOCATION,
    .check = XS_CHECK_NONE,
    .error = XS_ERROR_reuse,
    .changes_allocations = true,
    .keeps_copies = true,
    .build = build,
    .first = "allocate once instead of in every round ({places})",
    .advice = "Allocate once, before the rounds, instead of in every round "
	      "({places}), and as much as the largest round needs: {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"if (bytes > room) // allocate; buffer, room: static\n"
		"  cudaFree(buffer), cudaMalloc(&buffer, room = bytes);\n"
		"cudaDeviceSynchronize(); // in place of the free, which waits",
	    [XS_LANGUAGE_NUMBA] = "dev = cuda.device_array(shape, dtype)  # "
				  "once, before the loop\n"
				  "dev.copy_to_device(ary), f[blocks, "
				  "threads](dev), dev.copy_to_host(ary)",
	},
};
