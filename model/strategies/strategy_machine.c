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

#include <math.h>
#include <string.h>

/* The case on the other machine; it comes first, so that the plan function can
 * cast back. */
struct move {
	struct xs_strategy_case c;
	const struct xs_machine *from; /* where the trace was recorded */
	double memory_ratio;	       /* factor of times bound by device memory
					*/
	double flops_ratio;	       /* factor of times bound by arithmetic;
					* NAN: unknown */
	double kernel_ratio, other_ratio; /* factors of kernels: the likely one
					   * and the alternative */
	bool all_pinned; /* pageable copies without times in the profile are
			  * taken as pinned */
};

/* The source of a copy's time on the other machine. */
enum source { FROM_PINNED, FROM_CURVE, FROM_RATES };

static bool is_host_copy(const struct xs_step *step)
{
	return (step->kind == XS_STEP_H2D || step->kind == XS_STEP_D2H) &&
	       step->end_ns > 0;
}

static bool is_in(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D;
}

static const struct xs_curve *curve_of(const struct xs_machine *m,
				       const struct xs_step *step)
{
	return is_in(step) ? &m->pageable_h2d : &m->pageable_d2h;
}

static double G_of(const struct xs_machine *m, const struct xs_step *step)
{
	return is_in(step) ? m->G_h2d.value : m->G_d2h.value;
}

static enum source source_of(const struct xs_machine *to,
			     const struct xs_step *step)
{
	const uint8_t memory =
	    is_in(step) ? step->src_memory : step->dst_memory;

	if (memory == XS_MEM_PINNED)
		return FROM_PINNED;
	if (memory == XS_MEM_PAGEABLE && curve_of(to, step)->count)
		return FROM_CURVE;
	return FROM_RATES;
}

/* Returns the ratio of two parameters; 1 if one is unknown. */
static double ratio(const struct xs_param *to, const struct xs_param *from)
{
	return to->value > 0 && from->value > 0 ? to->value / from->value : 1;
}

/* Scales a pageable copy by the curves of both machines. Extra time on the
 * traced machine, such as first touches of pages, then remains. Without a curve
 * of the traced machine, compares with the copy's own time. */
static double curve_ratio(const struct move *move, const struct xs_machine *to,
			  const struct xs_step *step)
{
	const double bytes = (double)step->bytes;
	double was_ns = xs_curve_ns(curve_of(move->from, step), bytes);

	if (isnan(was_ns) && step->blocking && step->return_ns)
		was_ns = (double)step->return_ns - (double)step->start_ns;
	else if (isnan(was_ns))
		was_ns = (double)(step->end_ns - step->start_ns);
	return was_ns > 0 ? xs_curve_ns(curve_of(to, step), bytes) / was_ns : 1;
}

static void stretch(struct xs_action *action, double by)
{
	action->call_ns *= by;
	action->issue_lag_ns *= by;
	action->work_ns *= by;
	action->return_ns *= by;
}

/* Takes the other machine's copy, with call costs by ratio, since a profile may
 * lack them. */
static void move_pinned(const struct move *move, const struct xs_machine *to,
			const struct xs_step *step, struct xs_action *action)
{
	const struct xs_action was = *action;

	*action =
	    xs_action_copy(to, is_in(step), (double)step->bytes, was.blocking);
	action->thread = was.thread;
	action->queue = was.queue;
	action->after = was.after;
	action->unordered = was.unordered;
	action->gap_ns = was.gap_ns;
	action->call_ns = was.call_ns * ratio(&to->call_copy_async_ns,
					      &move->from->call_copy_async_ns);
	action->return_ns =
	    was.return_ns *
	    ratio(&to->call_copy_sync_ns, &move->from->call_copy_sync_ns);
}

static void move_copy(const struct move *move, const struct xs_machine *to,
		      const struct xs_step *step, struct xs_action *action)
{
	switch (source_of(to, step)) {
	case FROM_PINNED:
		move_pinned(move, to, step, action);
		break;
	case FROM_CURVE:
		stretch(action, curve_ratio(move, to, step));
		break;
	case FROM_RATES:
		if (move->all_pinned)
			move_pinned(move, to, step, action);
		else
			stretch(action,
				G_of(to, step) / G_of(move->from, step));
		break;
	}
}

static void move_kernel(const struct move *move, const struct xs_machine *to,
			struct xs_action *action)
{
	const double waited_ns =
	    fmax(action->issue_lag_ns - action->call_ns, 0);

	action->call_ns *=
	    ratio(&to->call_launch_ns, &move->from->call_launch_ns);
	action->issue_lag_ns =
	    action->call_ns + waited_ns * ratio(&to->launch_latency_ns,
						&move->from->launch_latency_ns);
	action->dep_lag_ns *=
	    ratio(&to->kernel_gap_ns, &move->from->kernel_gap_ns);
	action->work_ns *= move->kernel_ratio;
}

static void move_act(const struct move *move, const struct xs_machine *to,
		     const struct xs_step *step, struct xs_action *action)
{
	switch (step->kind) {
	case XS_STEP_H2D:
	case XS_STEP_D2H:
		if (action->kind == XS_ACTION_OP)
			move_copy(move, to, step, action);
		break;
	case XS_STEP_KERNEL:
		if (action->kind == XS_ACTION_OP)
			move_kernel(move, to, action);
		break;
	case XS_STEP_D2D:
	case XS_STEP_SET:
		action->work_ns *= move->memory_ratio;
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
	case XS_STEP_SYNC_EVENT:
		action->return_ns *= ratio(&to->sync_ns, &move->from->sync_ns);
		break;
	case XS_STEP_EVENT_RECORD:
	case XS_STEP_STREAM_WAIT:
		action->call_ns *=
		    ratio(&to->call_event_ns, &move->from->call_event_ns);
		break;
	default: /* the host's own work and other calls */
		break;
	}
}

static int build_plan(const struct xs_strategy_case *c,
		      const struct xs_estimate *row,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct move *move = (const struct move *)c;
	const struct xs_recorded_plan_change change = {
	    false, scenario->kernel_scale, scenario->host_scale};
	size_t i;
	int rc = xs_recorded_plan_build(c->phase, move->from, &change, plan);

	(void)row;
	for (i = 0; !rc && i < plan->count; i++)
		move_act(move, &scenario->machine, &c->phase->steps[i],
			 &plan->actions[i]);
	return rc;
}

/* Widens the interval to the time of *move, which differs from the one of the
 * row. Returns 0 or -errno of xs_estimate_replay_ns(). */
static int widen(const struct move *move, struct xs_estimate *row)
{
	double other_ns = 0, off_ns;
	int rc = xs_estimate_replay_ns(&move->c, row, build_plan, &other_ns);

	if (rc)
		return rc;
	off_ns = other_ns - row->round_ns;
	if (off_ns < 0)
		row->low_ns = fmax(
		    row->round_ns - hypot(row->round_ns - row->low_ns, off_ns),
		    0);
	else
		row->high_ns =
		    row->round_ns + hypot(row->high_ns - row->round_ns, off_ns);
	return 0;
}

/* Fills time and interval: from kernels scaled by memory bandwidth to kernels
 * scaled by peak arithmetic, and down to pageable copies as fast as pinned ones
 * if the profile has no times for them. Returns 0 or -errno of
 * xs_estimate_replay_ns(). */
static int estimate(const struct move *move, struct xs_estimate *row)
{
	struct move bound = *move;
	int rc = xs_estimate_replay(&move->c, build_plan, row);

	bound.kernel_ratio = move->other_ratio;
	if (!rc)
		rc = widen(&bound, row);
	bound = *move;
	bound.all_pinned = true;
	return rc ? rc : widen(&bound, row);
}

/* Abstains and returns true if this copy needs a parameter that a profile
 * lacks. *rc: 0 or -ENOMEM. */
static bool lacks_rate(const struct move *move, const struct xs_step *step,
		       struct xs_estimate *row, struct xs_estimates *out,
		       int *rc)
{
	const struct xs_machine *to = move->c.machine;
	const double lo_ns =
	    is_in(step) ? to->lo_h2d_ns.value : to->lo_d2h_ns.value;
	const enum source source = source_of(to, step);

	if (source == FROM_CURVE)
		return false;
	if (xs_abstain_if_unknown(row, "G", G_of(to, step), out, rc) ||
	    (source == FROM_PINNED &&
	     xs_abstain_if_unknown(row, "L+o", lo_ns, out, rc)))
		return true;
	if (source == FROM_PINNED || !isnan(G_of(move->from, step)))
		return false;
	*rc = xs_estimate_abstain(
	    row, out, "G of the machine that was traced is not known");
	return true;
}

/* Checks all copies and adds the row's assumptions on them. */
static bool lacks_rates(const struct move *move, struct xs_estimate *row,
			struct xs_estimates *out, int *rc)
{
	const struct xs_phase *phase = move->c.phase;
	bool by_curve = false, by_rates = false;
	size_t i;

	for (i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		if (!is_host_copy(step))
			continue;
		if (lacks_rate(move, step, row, out, rc))
			return true;
		by_curve |= source_of(move->c.machine, step) == FROM_CURVE;
		by_rates |= source_of(move->c.machine, step) == FROM_RATES;
	}
	if (by_curve && strcmp(move->from->source, "calibrated") != 0)
		xs_estimate_assume(
		    row, "pageable copies use pages that were touched before");
	if (by_rates)
		xs_estimate_assume(
		    row, "copies of memory that is not pinned change as "
			 "pinned ones do: the profile has no times of "
			 "them");
	return false;
}

static double time_ratio(double to_rate, double from_rate)
{
	return to_rate > 0 && from_rate > 0 ? from_rate / to_rate : NAN;
}

/* Returns whether the counted instructions take longer at the traced machine's
 * peak (one multiply-add per thread) than the counted bytes. */
static bool is_arithmetic_bound(const struct move *move)
{
	const struct xs_round_work *w = &move->c.work;
	const double operations = w->instructions * 32 * 2;
	const double bytes = (w->read_sectors + w->write_sectors) * 32;

	return move->from->memory_bandwidth > 0 && move->from->peak_flops > 0 &&
	       operations / move->from->peak_flops >
		   bytes / move->from->memory_bandwidth;
}

/* Sets the factors of kernel times that the profiles allow. */
static void set_ratios(struct move *move, struct xs_estimate *row)
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
		xs_estimate_assume(row,
				   "kernels take as long as in the trace: the "
				   "profiles do not compare the GPUs");
	} else if (isnan(flops)) {
		xs_estimate_assume(
		    row, "memory bounds the kernels: the profiles do not "
			 "compare peak arithmetic");
	}
	xs_estimate_assume(row,
			   "the host's own work, and call costs that a profile "
			   "does not have, are as in the trace");
}

static void explain(const struct move *move, struct xs_estimate *row)
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

static int add_row(const struct xs_strategy_case *c,
		   const struct xs_other_machine *other,
		   struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct move move = {.c = *c,
			    .from = c->options->traced ? c->options->traced
						       : c->machine};
	int rc = 0;

	move.c.machine = &other->machine;
	row.strategy = other->strategy;
	if (xs_abstain_without_needs(c, &row, out, &rc))
		return rc;
	if (lacks_rates(&move, &row, out, &rc))
		return rc;
	set_ratios(&move, &row);
	rc = estimate(&move, &row);
	row.breakeven_rounds = NAN; /* the program is not changed */
	explain(&move, &row);
	return rc ? rc : xs_estimates_add(out, &row);
}

static int build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < c->options->other_machine_count; i++)
		rc = add_row(c, &c->options->other_machines[i], out);
	return rc;
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
