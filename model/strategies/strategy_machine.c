/* SPDX-License-Identifier: MIT */
/*
 * machine:<profile>: replays the recorded round on another machine. Copies take
 * the times of that machine. Calls, waits and kernels take the recorded times,
 * scaled by the ratio of the two machines' parameters. Without counters, a
 * trace does not show what bounds a kernel: its time follows memory bandwidth,
 * and the interval extends to the time by peak arithmetic.
 */
#include "model/strategies/strategy.h"

#include "model/replay/recorded_plan.h"
#include "model/strategies/machine_move.h"

#include <math.h>
#include <string.h>

static bool is_host_copy(const struct xs_step *step)
{
	return xs_step_is_copy(step) && step->end_ns > 0;
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_machine_move *move = (const struct xs_machine_move *)c;
	const struct xs_recorded_plan_change change = {
	    false, scenario->kernel_scale, scenario->host_scale};

	xs_recorded_plan_build(c->phase, move->from, &change, plan);
	(void)row;
	for (size_t i = 0; i < plan->count; i++)
		xs_machine_move_act(move, &scenario->machine,
				    &c->phase->steps[i], &plan->actions[i]);
}

/* Widens the interval to the time of *move, which differs from the one of the
 * row. */
static void widen(const struct xs_machine_move *move, struct xs_estimate *row)
{
	const double off_ns =
	    xs_estimate_replay_ns(&move->c, row, build_plan) - row->round_ns;

	if (off_ns < 0)
		row->low_ns = fmax(
		    row->round_ns - hypot(row->round_ns - row->low_ns, off_ns),
		    0);
	else
		row->high_ns =
		    row->round_ns + hypot(row->high_ns - row->round_ns, off_ns);
}

/* Fills time and interval: from kernels scaled by memory bandwidth to kernels
 * scaled by peak arithmetic, and down to pageable copies as fast as pinned ones
 * if the profile has no times for them. */
static void estimate(const struct xs_machine_move *move,
		     struct xs_estimate *row)
{
	struct xs_machine_move bound = *move;

	xs_estimate_replay(&move->c, build_plan, row);
	bound.kernel_ratio = move->other_ratio;
	widen(&bound, row);
	bound = *move;
	bound.all_pinned = true;
	widen(&bound, row);
}

/* Abstains and returns true if this copy needs a parameter that a profile
 * lacks. */
static bool lacks_rate(const struct xs_machine_move *move,
		       const struct xs_step *step, struct xs_estimate *row,
		       struct xs_estimates *out)
{
	const struct xs_machine *to = move->c.machine;
	const double lo_ns = step->kind == XS_STEP_H2D ? to->lo_h2d_ns.value
						       : to->lo_d2h_ns.value;
	const enum xs_copy_source source = xs_machine_move_source(to, step);

	if (source == XS_COPY_FROM_CURVE)
		return false;
	if (xs_abstain_if_unknown(row, XS_NAME_G, xs_machine_move_G(to, step),
				  out) ||
	    (source == XS_COPY_FROM_PINNED &&
	     xs_abstain_if_unknown(row, XS_NAME_LO, lo_ns, out)))
		return true;
	return xs_abstain_if(
	    source != XS_COPY_FROM_PINNED &&
		isnan(xs_machine_move_G(move->from, step)),
	    row, out, XS_NAME_G " of the machine that was traced is not known");
}

/* Checks all copies and adds the row's assumptions on them. */
static bool lacks_rates(const struct xs_machine_move *move,
			struct xs_estimate *row, struct xs_estimates *out)
{
	const struct xs_phase *phase = move->c.phase;
	bool by_curve = false, by_rates = false;

	XS_EACH(step, phase->steps, phase->step_count) {
		if (!is_host_copy(step))
			continue;
		if (lacks_rate(move, step, row, out))
			return true;
		by_curve |= xs_machine_move_source(move->c.machine, step) ==
			    XS_COPY_FROM_CURVE;
		by_rates |= xs_machine_move_source(move->c.machine, step) ==
			    XS_COPY_FROM_RATES;
	}
	if (by_curve && strcmp(move->from->source, "calibrated") != 0)
		xs_estimate_assume(
		    row, "pageable copies use pages that were touched before");
	if (by_rates)
		xs_estimate_assume(
		    row, "copies of memory that is not pinned change as pinned "
			 "ones do: the profile has no times of them");
	return false;
}

static double time_ratio(double to_rate, double from_rate)
{
	return to_rate > 0 && from_rate > 0 ? from_rate / to_rate : NAN;
}

/* Returns whether the counted instructions take longer at the traced machine's
 * peak (one multiply-add per thread) than the counted bytes. */
static bool is_arithmetic_bound(const struct xs_machine_move *move)
{
	const struct xs_round_work *w = &move->c.work;
	const double operations = w->instructions * 32 * 2;
	const double bytes = (w->read_sectors + w->write_sectors) * 32;

	return move->from->memory_bandwidth > 0 && move->from->peak_flops > 0 &&
	       operations / move->from->peak_flops >
		   bytes / move->from->memory_bandwidth;
}

/* Sets the factors of kernel times that the profiles allow. */
static void set_ratios(struct xs_machine_move *move, struct xs_estimate *row)
{
	const struct xs_machine *to = move->c.machine, *from = move->from;
	const double memory =
	    time_ratio(to->memory_bandwidth, from->memory_bandwidth);
	const double flops = time_ratio(to->peak_flops, from->peak_flops);

	move->memory_ratio = isnan(memory) ? 1 : memory;
	move->flops_ratio = flops;
	move->kernel_ratio = isnan(memory) ? flops : memory;
	move->other_ratio = isnan(flops) ? memory : flops;
	if (!isnan(flops) && is_arithmetic_bound(move)) {
		move->kernel_ratio = flops;
		move->other_ratio = isnan(memory) ? flops : memory;
	}
	if (isnan(move->kernel_ratio)) {
		move->kernel_ratio = move->other_ratio = 1;
		xs_estimate_assume(row, "kernels take as long as in the trace: "
					"the profiles do not compare the GPUs");
	} else if (isnan(flops)) {
		xs_estimate_assume(row,
				   "memory bounds the kernels: the profiles do "
				   "not compare peak arithmetic");
	}
	xs_estimate_assume(row, "the host's own work, and call costs that a "
				"profile does not have, are as in the trace");
}

static void explain(const struct xs_machine_move *move, struct xs_estimate *row)
{
	const double memory = time_ratio(move->c.machine->memory_bandwidth,
					 move->from->memory_bandwidth);
	int used = snprintf(row->why, sizeof(row->why), "the same program");

	if (!move->c.work.kernels)
		return;
	if (!isnan(memory))
		used +=
		    snprintf(row->why + used, sizeof(row->why) - (size_t)used,
			     "; kernels x %.3g by memory bandwidth", memory);
	if (!isnan(move->flops_ratio))
		snprintf(row->why + used, sizeof(row->why) - (size_t)used,
			 "; kernels x %.3g by peak arithmetic",
			 move->flops_ratio);
}

static void add_row(const struct xs_strategy_case *c,
		    const struct xs_other_machine *other,
		    struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_machine_move move = {
	    .c = *c,
	    .from = c->options->traced ? c->options->traced : c->machine};

	move.c.machine = &other->machine;
	row.strategy = other->strategy;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (lacks_rates(&move, &row, out))
		return;
	set_ratios(&move, &row);
	estimate(&move, &row);
	explain(&move, &row);
	xs_estimates_add(out, &row);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	for (size_t i = 0; i < c->options->other_machine_count; i++)
		add_row(c, &c->options->other_machines[i], out);
}

void xs_other_machine_set(struct xs_other_machine *other,
			  const struct xs_machine *machine)
{
	other->machine = *machine;
	snprintf(other->strategy, sizeof(other->strategy), "machine:%s",
		 machine->name);
}

const struct xs_strategy xs_strategy_machine = {
    .id = "machine",
    .effort = XS_EFFORT_NONE,
    .needs = XS_NEEDS_STEPS | XS_NEEDS_GPU_TIMES,
    .check = XS_CHECK_NONE,
    .build = build,
    .advice = "Run the program as it is on another machine.",
};
