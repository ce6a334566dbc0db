/* SPDX-License-Identifier: MIT */
/*
 * async: the host does its own work of the round while it would otherwise wait
 * for the GPU (Yellapragada 2022, section 3.3). Replays the record without the
 * host's work between calls, beside all that keeps the host busy, this work,
 * its calls and its copies of pageable memory: the round takes as long as the
 * longer of the two. What the host saves is time in which it waits for the GPU.
 * Where a round copies nothing, the host's waits between kernels are left out
 * instead: the record without them.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "model/replay/recorded_plan.h"

#include <math.h>

/* Less host work than this share of the round is not worth moving. */
#define LEAST_PERCENT 1

/* The host itself moves the data of a pageable copy: from the call, or from the
 * end of the ops before, to the return. */
static double copying_ns(const struct xs_step *step, uint64_t busy_until_ns)
{
	const uint64_t start_ns =
	    step->call_ns > busy_until_ns ? step->call_ns : busy_until_ns;

	return xs_step_is_pageable(step) && step->return_ns > start_ns
		   ? (double)(step->return_ns - start_ns)
		   : 0;
}

/* What keeps the host busy: its work before the call, and the call without its
 * wait for the GPU. */
static double busy_ns(const struct xs_action *action,
		      const struct xs_step *step, uint64_t busy_until_ns)
{
	return action->gap_ns + fmax(action->call_ns + action->return_ns,
				     copying_ns(step, busy_until_ns));
}

/* What CuPy stages belongs to its call and stays. */
static void move_work(struct xs_plan *plan, const struct xs_phase *phase)
{
	const uint32_t threads = plan->threads;
	const size_t count = plan->count;
	uint64_t busy_until_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct xs_action work = xs_action_host(
		    busy_ns(&plan->actions[i], step, busy_until_ns));

		if (step->end_ns > busy_until_ns)
			busy_until_ns = step->end_ns;

		work.thread = plan->actions[i].thread + threads;
		plan->actions[i].gap_ns =
		    fmin(xs_step_staging_ns(phase, i), plan->actions[i].gap_ns);
		if (work.call_ns > 0)
			xs_plan_add(plan, &work);
	}
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	xs_plan_recorded(c, scenario, plan);
	(void)row;
	move_work(plan, c->phase);
}

/* Sets the first wait of the host behind a round's first kernel and, as *end,
 * the last kernel: the waits between are behind a kernel and before one. */
static size_t first_wait(const struct xs_phase *phase, size_t *end)
{
	size_t i = 0;

	*end = phase->step_count;
	while (*end && phase->steps[*end - 1].kind != XS_STEP_KERNEL)
		--*end;
	while (i < *end && phase->steps[i].kind != XS_STEP_KERNEL)
		i++;
	while (i < *end && !xs_step_is_wait(&phase->steps[i]))
		i++;
	return i;
}

/* Whether the host waits between kernels in a round that copies nothing, so
 * that no result is there to wait for. */
static bool waits_for_nothing(const struct xs_strategy_case *c)
{
	size_t end;

	return !c->options->shares_memory && !c->phase->h2d_ops &&
	       !c->phase->d2h_ops && first_wait(c->phase, &end) < end;
}

static void build_without_waits(const struct xs_strategy_case *c,
				const struct xs_estimate *row,
				const struct xs_scenario *scenario,
				struct xs_plan *plan)
{
	size_t end, i = first_wait(c->phase, &end);

	xs_plan_recorded(c, scenario, plan);
	(void)row;
	for (; i < end; i++)
		if (xs_step_is_wait(&c->phase->steps[i]))
			xs_action_leave_out(&plan->actions[i]);
}

static void add_without_waits(const struct xs_strategy_case *c,
			      struct xs_estimate *row, struct xs_estimates *out)
{
	row->assumes[0] = row->bound =
	    "the host needs nothing of a kernel before it launches the next";
	row->quiet = false;
	row->other_advice = true;
	xs_estimate_replay(c, build_without_waits, row);
	snprintf(row->why, sizeof(row->why),
		 "without its waits between kernels, the host launches a "
		 "kernel while the one before runs");
	xs_estimates_add(out, row);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct xs_phase *phase = c->phase;
	struct xs_estimate row = xs_estimate_init(c);

	row.quiet = true;
	row.bound =
	    "the host's work and what it overlaps need nothing of each other";
	xs_estimate_assume(&row, row.bound);
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (waits_for_nothing(c)) {
		add_without_waits(c, &row, out);
		return;
	}
	if (xs_abstain_if(c->work.host_ns * 100 <
			      (double)phase->round_ns.median_ns * LEAST_PERCENT,
			  &row, out,
			  "the host's own work is less than %d %% of the round",
			  LEAST_PERCENT))
		return;
	if (xs_abstain_if(!phase->host_blocked_ns, &row, out,
			  "the host never waits"))
		return;
	xs_estimate_replay(c, build_plan, &row);
	snprintf(row.why, sizeof(row.why),
		 "%.0f ns of host work overlaps what the host waits for now",
		 c->work.host_ns);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_async = {
    .id = "async",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_GPU_TIMES,
    .changes = XS_CHANGES_HOST,
    .check = XS_CHECK_NONE,
    .error = XS_ERROR_as_is, /* keeps pageable copies */
    .keeps_allocations = true,
    .keeps_copies = true,
    .build = build,
    .first = "let the host work while the GPU executes the work of {places}",
    .advice =
	"Let the host do its own work of a round, {host_time}, while the GPU "
	"executes that of {places}: it then works where it waits now.",
    .other_first = "leave out the host's waits between kernels",
    .other_advice = "{no_waits}The host then launches a kernel while the one "
		    "before runs.",
};
