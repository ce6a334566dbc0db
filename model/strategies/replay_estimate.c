/* SPDX-License-Identifier: MIT */
/* Estimates by replay: time, interval, setup cost and break-even. */
#include "model/strategies/strategy.h"

#include "analyzer/util/memory.h"
#include "model/machine/range_end.h"
#include "model/replay/another_run.h"
#include "model/replay/mapped_writes.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/replay.h"
#include "model/replay/tracer_overhead.h"
#include "model/strategies/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG_ROUND 20000u /* steps */

/* What changes none of these takes no call away: the calls beside the round's
 * copies all stay, and were traced. */
#define SAME_CALLS (XS_CHANGES_HOST | XS_CHANGES_LAUNCHES)

struct xs_estimate xs_estimate_init(const struct xs_strategy_case *c)
{
	return (struct xs_estimate){.strategy = c->strategy->id,
				    .model = XS_MODEL_REPLAY,
				    .effort = c->strategy->effort,
				    .round_ns = NAN,
				    .low_ns = NAN,
				    .high_ns = NAN,
				    .otherwise_ns = NAN,
				    .tracer_ns = NAN};
}

void xs_plan_recorded(const struct xs_strategy_case *c,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_recorded_plan_change change = {
	    false, scenario->kernel_scale, scenario->host_scale};
	const struct xs_machine *machine = &scenario->machine;

	xs_recorded_plan_build(c->phase, machine, &change, plan);
	xs_tracer_overhead_remove(plan, c->phase, machine);
	if (!scenario->calls_recorded)
		xs_short_copies_limit(plan, c->phase, machine,
				      c->strategy->changes & SAME_CALLS);
	xs_another_run(plan, c->phase, machine, scenario->in_end,
		       scenario->out_end);
}

struct xs_plan_rounds xs_plan_rounds_of(const struct xs_phase *phase)
{
	return phase->step_count < LONG_ROUND ? (struct xs_plan_rounds){4, 8}
					      : (struct xs_plan_rounds){2, 2};
}

/* Returns the time of one round, which is at least that of all threads' calls.
 * *all_ns: of all rounds until the last result. */
static double replay_plan(const struct xs_strategy_case *c,
			  const struct xs_plan *plan,
			  const struct xs_machine *machine, double *all_ns)
{
	struct xs_action_times *times = NULL;
	double round_ns, calls_ns = 0;

	if (plan->rounds)
		times = xs_calloc(plan->count, sizeof(*times));
	*all_ns = round_ns = xs_replay(plan, machine, times);
	if (times)
		round_ns = (times[plan->count - 1].return_ns -
			    times[plan->untimed - 1].return_ns) /
			       plan->rounds -
			   plan->between_ns;
	if (c->phase->at_once > 1 && c->strategy->changes)
		calls_ns = c->phase->at_once *
			   xs_plan_calls_ns(plan, c->phase, machine);
	free(times);
	return round_ns < calls_ns ? calls_ns : round_ns;
}

/* A row, and how its plan is built. */
struct replayed {
	const struct xs_strategy_case *c;
	const struct xs_estimate *row;
	xs_plan_fn build_plan;
	uint64_t digest; /* of the plan of row->round_ns; 0: not known */
	double all_ns;	 /* of all rounds of that plan */
	double calls_ns; /* less than with calls as recorded */
};

/* Returns the scenario with all parameters at their values and all times at
 * their medians. */
static struct xs_scenario usual(const struct xs_strategy_case *c)
{
	return (struct xs_scenario){
	    .machine = *c->machine, .kernel_scale = 1, .host_scale = 1};
}

/* Returns the time of a round in the usual scenario. Stores its plan's digest.
 */
static double replay_usual(struct replayed *r)
{
	const struct xs_scenario base = usual(r->c);
	struct xs_plan plan = {0};
	double round_ns;

	r->build_plan(r->c, r->row, &base, &plan);
	round_ns = replay_plan(r->c, &plan, &base.machine, &r->all_ns);
	r->digest = xs_plan_digest(&plan);
	xs_plan_free(&plan);
	return round_ns;
}

/* The same for another one, whose plan may be the usual one. */
static double replay_other(const struct replayed *r,
			   const struct xs_scenario *scenario)
{
	const struct xs_machine *machine = &scenario->machine;
	double round_ns = r->row->round_ns;
	struct xs_plan plan = {0};

	r->build_plan(r->c, r->row, scenario, &plan);
	if (memcmp(machine, r->c->machine, sizeof(*machine)) != 0 ||
	    xs_plan_digest(&plan) != r->digest)
		round_ns = replay_plan(r->c, &plan, machine, &(double){0});
	xs_plan_free(&plan);
	return round_ns;
}

static bool is_other_row(const struct xs_schedule *schedule,
			 const struct xs_estimate *row)
{
	return row->n_streams != schedule->n_streams ||
	       row->order != schedule->order ||
	       strcmp(row->strategy, schedule->strategy) != 0;
}

/* Fills the schedule if it is of this row. A row's own plan is its first one;
 * others serve its interval. */
static void keep_schedule(const struct xs_strategy_case *c,
			  const struct xs_estimate *row, xs_plan_fn build_plan)
{
	struct xs_schedule *out = c->schedule;
	const struct xs_scenario base = usual(c);

	if (out->times || is_other_row(out, row))
		return;
	build_plan(c, row, &base, &out->plan);
	out->times = xs_calloc(out->plan.count + 1, sizeof(*out->times));
	xs_replay(&out->plan, &base.machine, out->times);
}

double xs_estimate_replay_ns(const struct xs_strategy_case *c,
			     const struct xs_estimate *row,
			     xs_plan_fn build_plan)
{
	struct replayed r = {.c = c, .row = row, .build_plan = build_plan};

	if (c->schedule && is_other_row(c->schedule, row))
		return INFINITY;
	return replay_usual(&r);
}

static const char only_issues[] =
    "no call of a round needs what the host computes between them";

/* Work that takes a smaller share of the round makes no condition. */
#define LEAST_WORK 0.01

double xs_estimate_with_work_ns(const struct xs_strategy_case *c,
				const struct xs_estimate *row,
				xs_plan_fn build_plan)
{
	struct xs_strategy_case with = *c;

	with.keeps_work = true;
	return xs_estimate_replay_ns(&with, row, build_plan);
}

void xs_estimate_only_issues(const struct xs_strategy_case *c,
			     xs_plan_fn build_plan, struct xs_estimate *row)
{
	const double with_ns = xs_estimate_with_work_ns(c, row, build_plan);

	if (with_ns < row->round_ns * (1 + LEAST_WORK))
		return;
	row->otherwise_ns = with_ns;
	row->bound = only_issues;
	xs_estimate_assume(row, only_issues);
}

/* Returns one end of a spread, relative to its median. */
static double scale(const struct xs_spread *spread, enum xs_range_end side)
{
	const uint64_t end =
	    side == XS_RANGE_LOW ? spread->p5_ns : spread->p95_ns;

	return spread->median_ns ? (double)end / (double)spread->median_ns : 1;
}

static double squared(double x)
{
	return x * x;
}

/* Returns the self-check that shows the error of the strategy's replay, or
 * NULL. */
static const struct xs_check *check_of(const struct xs_machine *machine,
				       const struct xs_strategy *strategy)
{
	switch (strategy ? strategy->check : XS_CHECK_NONE) {
#define XS_CHECK_CASE(family)                                                  \
	case XS_CHECK_##family:                                                \
		return &machine->self_check.family;
		XS_MACHINE_FAMILIES(XS_CHECK_CASE)
#undef XS_CHECK_CASE
	case XS_CHECK_NONE:
		break;
	}
	return NULL;
}

double xs_model_deviation(const struct xs_machine *machine,
			  const struct xs_estimate *row, enum xs_range_end side)
{
	const struct xs_check *check =
	    check_of(machine, xs_strategy_find(row->strategy));

	if (!check || !check->cases)
		return 0;
	return row->round_ns *
	       fmax(side == XS_RANGE_LOW ? -check->low : check->high, 0);
}

/* Field by field, since the padding between them may differ. */
static bool is_same(const struct xs_scenario *a, const struct xs_scenario *b)
{
	return memcmp(&a->machine, &b->machine, sizeof(a->machine)) == 0 &&
	       a->kernel_scale == b->kernel_scale &&
	       a->host_scale == b->host_scale && a->shares == b->shares &&
	       a->mapped == b->mapped && a->in_order == b->in_order &&
	       a->calls_recorded == b->calls_recorded &&
	       a->in_end == b->in_end && a->out_end == b->out_end &&
	       a->one_kernel == b->one_kernel && a->own_items == b->own_items;
}

/* Returns how far a scenario moves the row to one side; 0 if to the other one.
 */
static double moved_ns(const struct replayed *r, enum xs_range_end side,
		       const struct xs_scenario *scenario)
{
	const struct xs_scenario base = usual(r->c);
	double more_ns;

	/* such as the spread of a phase of one round */
	if (is_same(scenario, &base))
		return 0;
	more_ns = replay_other(r, scenario) - r->row->round_ns;
	return fmax(side == XS_RANGE_LOW ? -more_ns : more_ns, 0);
}

void xs_estimate_set_host(const struct xs_strategy_case *c,
			  xs_plan_fn build_plan, struct xs_estimate *row)
{
	struct xs_scenario fast = usual(c), slow = usual(c);
	const struct replayed r = {
	    .c = c, .row = row, .build_plan = build_plan};

	fast.host_scale = scale(&c->phase->host_ns, XS_RANGE_LOW);
	slow.host_scale = scale(&c->phase->host_ns, XS_RANGE_HIGH);
	row->shared_low_ns = moved_ns(&r, XS_RANGE_LOW, &fast);
	row->shared_high_ns = moved_ns(&r, XS_RANGE_HIGH, &slow);
}

#define CAUSES	       7
#define CALLS_RECORDED 4

/* Fills the scenarios that move the time to one side. A strategy that reads no
 * order has none of it; of what else it does not read the plan is the usual
 * one, which is not replayed again. */
static void set_causes(const struct xs_strategy_case *c, enum xs_range_end side,
		       struct xs_scenario causes[CAUSES])
{
	const unsigned changes = c->strategy->changes;
	const bool high = side == XS_RANGE_HIGH;

	for (size_t i = 0; i < CAUSES; i++)
		causes[i] = usual(c);
	causes[0].machine = xs_machine_at(c->machine, side);
	causes[1].kernel_scale = scale(&c->phase->kernel_ns, side);
	if (changes & (XS_CHANGES_ORDER | XS_CHANGES_TRAFFIC)) {
		causes[2].shares = causes[2].own_items = high;
		causes[2].mapped = high ? XS_MAPPED_MOST : XS_MAPPED_LEAST;
	}
	if (changes & XS_CHANGES_ORDER) {
		causes[3].in_order = true;
		causes[3].one_kernel = high;
	}
	causes[CALLS_RECORDED].calls_recorded = high;
	if (c->strategy->keeps_copies && c->work.pageable)
		causes[5].in_end = causes[6].out_end = high ? 1 : -1;
}

/* Returns how far all causes together move the time to one side; host_ns: the
 * host's own time. */
static double deviation_ns(struct replayed *r, enum xs_range_end side,
			   double host_ns)
{
	const struct xs_strategy_case *c = r->c;
	struct xs_scenario causes[CAUSES];
	double sum = squared(xs_model_deviation(c->machine, r->row, side)) +
		     squared(host_ns);

	set_causes(c, side, causes);
	for (size_t i = 0; i < CAUSES; i++) {
		const double ns = moved_ns(r, side, &causes[i]);

		sum += squared(ns);
		if (i == CALLS_RECORDED)
			r->calls_ns = ns;
	}
	return sqrt(sum);
}

void xs_estimate_replay(const struct xs_strategy_case *c, xs_plan_fn build_plan,
			struct xs_estimate *row)
{
	struct replayed r = {.c = c, .row = row, .build_plan = build_plan};

	if (c->schedule) {
		keep_schedule(c, row, build_plan);
		return;
	}
	row->round_ns = replay_usual(&r);
	row->replayed_ns = r.all_ns;
	if (isnan(row->round_ns))
		return;
	xs_estimate_set_host(c, build_plan, row);
	row->low_ns = fmax(
	    row->round_ns - deviation_ns(&r, XS_RANGE_LOW, row->shared_low_ns),
	    0);
	row->high_ns = row->round_ns +
		       deviation_ns(&r, XS_RANGE_HIGH, row->shared_high_ns);
	row->calls_ns = r.calls_ns;
	row->applies = true;
}

/* Returns the crossings of a byte; 0 if they were not counted. */
static double counted(double crossings)
{
	return isfinite(crossings) ? crossings : 0;
}

struct xs_closed_form
xs_strategy_case_closed_form(const struct xs_strategy_case *c)
{
	const struct xs_round_work *w = &c->work;

	return (struct xs_closed_form){
	    .machine = c->machine,
	    .work = {w->in_bytes, w->out_bytes, NAN, NAN, w->kernel_ns,
		     counted(xs_mapped_access_reads_per_byte(w)),
		     counted(xs_mapped_access_writes_per_byte(w))},
	    .in_ops = (double)c->phase->h2d_ops,
	    .out_ops = (double)c->phase->d2h_ops,
	    .extra_ns = w->host_ns + w->other_ns};
}
