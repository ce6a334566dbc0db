/* SPDX-License-Identifier: MIT */
/*
 * as-is: replays the recorded round. Savings are counted from it, and it shows
 * whether replay reproduces the record.
 *
 * Its interval is for another run without the tracer. It covers the times of
 * this run's rounds and the times that the machine profile, measured by another
 * process without a tracer, gives for the same calls and copies.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "model/machine/range_end.h"
#include "model/replay/another_run.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/tracer_overhead.h"

#include <math.h>

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_recorded_plan_change none = {
	    false, scenario->kernel_scale, scenario->host_scale};

	(void)row;
	xs_recorded_plan_build(c->phase, &scenario->machine, &none, plan);
}

/* What to take from the profile besides the call costs. The case comes first,
 * so that the plan function can cast back. */
struct known {
	struct xs_strategy_case c;
	bool ins, outs;			/* times of copies in, of copies out */
	int side;			/* -1: the fast end, 1: the slow end */
	const struct xs_machine *usual; /* with all parameters at their values
					 */
};

/* Whether a round copies out to memory that it touches first: by page faults,
 * or perhaps, since nothing was copied there before. */
static bool may_touch_first(const struct xs_phase *phase)
{
	return phase->touched_bytes >= phase->d2h_bytes ||
	       (phase->rounds == 1 &&
		phase->d2h_buffer_bytes == phase->d2h_bytes);
}

/* The profile's time of a pageable copy that takes ns. Its curve is of memory
 * that was touched before: a copy out that takes as long as with first touches
 * has them in every run. */
static double curve_ns(const struct xs_phase *phase, const struct xs_machine *m,
		       bool in, double bytes, double ns)
{
	const double touched_ns =
	    xs_curve_ns(in ? &m->pageable_h2d : &m->pageable_d2h, bytes);
	const double fresh_ns =
	    touched_ns + bytes * xs_or_zero(m->touch_byte_ns.value);

	return !in && ns >= fresh_ns && may_touch_first(phase) ? fresh_ns
							       : touched_ns;
}

/* A copy of pageable memory takes the time of the curve, if there is one, or
 * that of another run: whichever is farther to the case's side. */
static void take_curve(const struct known *known, const struct xs_machine *m,
		       size_t i, struct xs_action *action)
{
	const bool in = xs_step_is_in(&known->c.phase->steps[i]);
	const double bytes = xs_step_call_bytes(known->c.phase, i);
	const double ns = xs_action_copy_ns(action);
	const double by = curve_ns(known->c.phase, m, in, bytes, ns) / ns;
	const double other =
	    known->side == 0
		? by
		: xs_another_run_ratio(in ? &known->usual->pageable_h2d
					  : &known->usual->pageable_d2h,
				       bytes, known->side);

	if (by > 0 && !isinf(by))
		xs_action_scale(action, known->side < 0 ? fmin(by, other)
							: fmax(by, other));
}

/* A pinned copy takes the profile's latencies, and its rate if `rate`. g, which
 * one that does not block takes, has what its recorded time has besides its
 * bytes. */
static void take_pinned(const struct xs_machine *m, const struct xs_step *step,
			bool rate, struct xs_action *action)
{
	const bool in = xs_step_is_in(step);
	const double least_ns =
	    (double)step->bytes * (in ? m->G_h2d.value : m->G_d2h.value);
	const struct xs_action was = *action;
	const double g_ns = was.blocking ? 0
			    : in	 ? m->g_h2d_ns.value
					 : m->g_d2h_ns.value;

	if (isnan(least_ns))
		return;
	xs_action_replace(action,
			  xs_action_copy(m, in, rate ? (double)step->bytes : 0,
					 was.blocking));
	action->work_ns = rate ? 0
			       : fmax(was.work_ns - xs_or_zero(g_ns),
				      fmin(was.work_ns, least_ns));
}

static void take_copy(const struct known *known, const struct xs_machine *m,
		      size_t i, struct xs_action *action)
{
	const struct xs_step *step = &known->c.phase->steps[i];
	const uint8_t memory =
	    xs_step_is_in(step) ? step->src_memory : step->dst_memory;
	const bool wanted = xs_step_is_in(step) ? known->ins : known->outs;

	if ((step->kind != XS_STEP_H2D && step->kind != XS_STEP_D2H) ||
	    action->kind != XS_ACTION_OP)
		return;
	if (memory == XS_MEM_PINNED)
		take_pinned(m, step, wanted, action);
	else if (memory == XS_MEM_PAGEABLE && wanted)
		take_curve(known, m, i, action);
}

static void build_known_plan(const struct xs_strategy_case *c,
			     const struct xs_estimate *row,
			     const struct xs_scenario *scenario,
			     struct xs_plan *plan)
{
	const struct known *known = (const struct known *)c;

	build_plan(c, row, scenario, plan);
	xs_tracer_overhead_remove(plan, c->phase, &scenario->machine);
	xs_short_copies_limit(plan, c->phase, &scenario->machine, true);
	for (size_t i = 0; i < plan->count; i++)
		take_copy(known, &scenario->machine, i, &plan->actions[i]);
}

/* Returns how far the round moves from untraced_ns to one side, by the
 * profile's ranges for calls, for copies in and for copies out, and by the
 * error of replay, all in quadrature. */
static double deviation_ns(const struct xs_strategy_case *c,
			   const struct xs_machine *traced,
			   const struct xs_estimate *row,
			   enum xs_range_end side, double untraced_ns)
{
	const struct xs_machine at = xs_machine_at(traced, side);
	const double model_ns = xs_model_deviation(traced, row, side);
	struct known known = {
	    .c = *c, .side = side == XS_RANGE_LOW ? -1 : 1, .usual = traced};
	double calls_ns, ins_ns, outs_ns;

	known.c.machine = &at;
	calls_ns = xs_estimate_replay_ns(&known.c, row, build_known_plan);
	known.ins = true;
	ins_ns = xs_estimate_replay_ns(&known.c, row, build_known_plan);
	known.ins = false;
	known.outs = true;
	outs_ns = xs_estimate_replay_ns(&known.c, row, build_known_plan);
	return hypot(
	    hypot(model_ns, fmax(known.side * (calls_ns - untraced_ns), 0)),
	    hypot(fmax(known.side * (ins_ns - calls_ns), 0),
		  fmax(known.side * (outs_ns - calls_ns), 0)));
}

/* Widens the interval of this run's rounds to the profile's times, and tells
 * the tracer's part. */
static void widen_to_profile(const struct xs_strategy_case *c,
			     struct xs_estimate *row)
{
	const struct xs_machine *traced =
	    c->options->traced ? c->options->traced : c->machine;
	struct known calls = {.c = *c};
	double untraced_ns, down_ns, up_ns;

	calls.c.machine = traced;
	untraced_ns = xs_estimate_replay_ns(&calls.c, row, build_known_plan);
	down_ns = deviation_ns(c, traced, row, XS_RANGE_LOW, untraced_ns);
	up_ns = deviation_ns(c, traced, row, XS_RANGE_HIGH, untraced_ns);
	row->tracer_ns =
	    c->phase->imported ? 0 : fmax(row->round_ns - untraced_ns, 0);
	down_ns = hypot(down_ns, row->round_ns - row->low_ns);
	up_ns = hypot(up_ns, row->high_ns - row->round_ns);
	row->low_ns = fmax(fmin(row->round_ns, untraced_ns) - down_ns, 0);
	row->high_ns = row->round_ns + up_ns;
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct xs_spread *measured = &c->phase->round_ns;
	const double median_ns = (double)measured->median_ns;
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_machine recorded; /* only what is recorded */
	struct xs_strategy_case as_recorded = *c;
	double ratio;

	if (xs_abstain_without_needs(c, &row, out))
		return;
	xs_machine_init(&recorded);
	as_recorded.machine = &recorded;
	row.round_ns = xs_estimate_replay_ns(&as_recorded, &row, build_plan);
	xs_estimate_set_host(&as_recorded, build_plan, &row);
	ratio = median_ns > 0 ? row.round_ns / median_ns : 1;
	row.low_ns = (double)measured->p5_ns * ratio;
	row.high_ns = (double)measured->p95_ns * ratio;
	widen_to_profile(c, &row);
	row.applies = true;
	if (fabs(ratio - 1) > 0.01)
		snprintf(row.why, sizeof(row.why),
			 "as measured; the replay of one round takes %.0f ns",
			 row.round_ns);
	else
		snprintf(row.why, sizeof(row.why), "as measured");
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_as_is = {
    .id = "as-is",
    .effort = XS_EFFORT_NONE,
    .needs = XS_NEEDS_STEPS,
    .check = XS_CHECK_explicit,
    .error = XS_ERROR_as_is,
    .build = build,
    .advice = "Change nothing at {places}.",
};
