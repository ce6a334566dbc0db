/* SPDX-License-Identifier: MIT */
/*
 * From the least effort to the most, and of each effort for all phases: takes
 * the change that adds most to the phase's steps so far, if that is enough for
 * its effort, until none is (add_best). It may replace earlier steps
 * (put_step), and is divided if a part of it takes less effort (divide_step.c).
 * At the end, a last step that this run is too short for is set apart
 * (set_longer).
 */
#include "report/plan/phase_steps.h"

#include "model/strategies/strategies.h"
#include "report/plan/alternatives.h"
#include "report/plan/divide_step.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/same_lines.h"
#include "report/plan/step_gain.h"
#include "report/plan/worth.h"

#include <math.h>

/* A change after others has to shorten the round by this percentage more. */
#define LEAST_PERCENT 5

/* The end of a step's interval that the next one has to be beyond: for kernels
 * that change, all causes count. */
static int64_t low_ns_of(const struct xs_result_estimate *step,
			 const struct xs_phase_step *added)
{
	return added->estimate->effort_level >= XS_EFFORT_SPLIT
		   ? step->low_ns
		   : step->known_low_ns;
}

/* What a step is held against: the gain of all phases that the same change of
 * the same lines reaches, and the squares of what that may be off, by the rows
 * and by the unchanged rounds. These are held against the rounds alone: the
 * setup does not depend on them. */
struct reach {
	double adds_ns, rounds_add_ns, rows_square, as_is_square;
};

static void add_errors(const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row,
		       struct reach *reach)
{
	const double row_ns =
	    xs_worth_error_ns(phase, row, row->high_ns, row->shared_high_ns);
	const double as_is_ns = xs_worth_as_is_known_ns(phase, row);

	reach->rows_square += row_ns * row_ns;
	reach->as_is_square += as_is_ns * as_is_ns;
}

/* The phase's step by the strategy; NULL: it has none. */
static const struct xs_phase_step *find(const struct xs_phase_steps *steps,
					const struct xs_strategy *strategy)
{
	for (size_t i = 0; i < steps->count; i++)
		if (steps->items[i].strategy == strategy)
			return &steps->items[i];
	return NULL;
}

/* What the strategy adds in another phase, or would; without a setup, which is
 * paid once. */
static double adds_there_ns(const struct xs_phase_steps *steps,
			    const struct xs_strategy *strategy,
			    const struct xs_result_estimate *row)
{
	const struct xs_phase_step *step = find(steps, strategy);

	return step ? step->rounds_add_ns
		    : xs_step_gain_of(steps, strategy, row).rounds_add_ns;
}

static struct reach reach_of(const struct xs_result *result,
			     const struct xs_phase_steps *all,
			     const struct xs_phase_steps *steps,
			     const struct xs_phase_step *step)
{
	struct reach reach = {.adds_ns = xs_step_gain_judged_ns(steps, step),
			      .rounds_add_ns = step->rounds_add_ns};

	add_errors(steps->phase, step->estimate, &reach);
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *other = all[i].phase;
		const struct xs_result_estimate *row =
		    &all[i] != steps && xs_lines_are_same(other, steps->phase,
							  step->estimate)
			? xs_worth_candidate(other, step->strategy)
			: NULL;
		const double adds_ns =
		    row ? adds_there_ns(&all[i], step->strategy, row) : 0;

		if (adds_ns <= 0)
			continue;
		reach.adds_ns += adds_ns;
		reach.rounds_add_ns += adds_ns;
		add_errors(other, row, &reach);
	}
	return reach;
}

/* Whether a longer phase has steps at the same lines, and this one is among
 * them, whose setup is then of both, or is not: lines are changed once, in the
 * way that suits that phase. */
static bool is_at_lines(const struct xs_phase_steps *all,
			const struct xs_phase_steps *steps,
			const struct xs_phase_step *step, bool among)
{
	for (const struct xs_phase_steps *longer = all; longer < steps;
	     longer++)
		if (longer->count &&
		    (find(longer, step->strategy) != NULL) == among &&
		    xs_lines_are_same(longer->phase, steps->phase,
				      step->estimate))
			return true;
	return false;
}

/* Whether the new step is worth more effort than those before it: more than
 * they may be off, and than a few per cent. The first one has the unchanged
 * rounds before it. */
static bool is_more(const struct xs_phase_steps *steps,
		    const struct xs_phase_step *added,
		    const struct reach *reach)
{
	const struct xs_result_phase *phase = steps->phase;
	const struct xs_phase_step sum = xs_step_gain_sum(steps, NULL);
	const double adds_ns = xs_step_gain_judged_ns(steps, added);
	const double now_ns =
	    xs_result_of_run(phase, (double)xs_result_untraced_ns(phase)) -
	    sum.rounds_add_ns;

	if (adds_ns < (sum.rounds_add_ns + adds_ns) *
			  xs_phase_estimate_least_share(added->estimate))
		return false;
	XS_EACH(step, steps->items, steps->count) {
		if (xs_strategy_are_apart(added->strategy, step->strategy))
			continue;
		/* who orders copies anew, or does not keep the old change, has
		 * made that for nothing */
		if ((xs_step_gain_both_order(added->strategy, step->strategy) ||
		     !xs_strategy_includes(added->strategy, step->strategy)) &&
		    adds_ns < step->rounds_add_ns)
			return false;
		if (adds_ns <=
			xs_worth_error_ns(phase, step->estimate,
					  low_ns_of(step->estimate, added),
					  added->estimate->shared_low_ns) ||
		    adds_ns < now_ns * LEAST_PERCENT / 100)
			return false;
	}
	return steps->count || reach->rounds_add_ns > sqrt(reach->as_is_square);
}

/* Whether another phase has a step that orders the same lines otherwise. */
static bool is_ordered_otherwise(const struct xs_phase_steps *all, size_t count,
				 const struct xs_phase_steps *steps,
				 const struct xs_phase_step *added)
{
	for (size_t i = 0; i < count; i++)
		XS_EACH(its, all[i].items, all[i].count) {
			if (&all[i] != steps &&
			    its->strategy != added->strategy &&
			    xs_step_gain_both_order(its->strategy,
						    added->strategy) &&
			    xs_lines_meet(all[i].phase, its->estimate,
					  steps->phase, added->estimate))
				return true;
		}
	return false;
}

/* Removes the steps that the new one makes needless, and adds it. There must be
 * room for one. */
static void put_step(struct xs_phase_steps *steps,
		     const struct xs_phase_step *step)
{
	struct xs_phase_step added = *step;
	size_t kept = 0;

	XS_EACH(old, steps->items, steps->count) {
		if (!(old->strategy->changes & step->strategy->spares) &&
		    !xs_step_gain_both_order(old->strategy, step->strategy)) {
			steps->items[kept++] = *old;
			continue;
		}
		added.adds_ns += xs_step_gain_in_this_run(steps->phase, old);
		added.rounds_add_ns += old->rounds_add_ns;
	}
	steps->items[kept] = added;
	steps->count = kept + 1;
}

/* Within this percentage, the lesser effort comes first. */
#define EQUAL_PERCENT 5

/* What the step is worth, of which a condition that the trace does not show
 * leaves half, as in the order of the plan; 0 of no step. */
static double worth_ns(const struct xs_phase_steps *steps,
		       const struct xs_phase_step *step)
{
	return xs_step_gain_judged_ns(steps, step) /
	       (step->estimate && step->estimate->bound ? 2 : 1);
}

/* Whether to pin the buffers of small copies, each by its call, saves less than
 * to merge these copies at one place, into a pinned buffer. */
static bool is_merged_instead(const struct xs_result *result,
			      const struct xs_phase_steps *steps,
			      const struct xs_phase_step *step)
{
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *other = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_worth_candidate(steps->phase, other);
		struct xs_phase_step merged;

		if (!row || row->effort_level != XS_EFFORT_PLACE ||
		    !(other->changes & XS_CHANGES_SIZES) ||
		    !xs_strategy_includes(other, step->strategy))
			continue;
		merged = xs_step_gain_of(steps, other, row);
		if (worth_ns(steps, &merged) >
			worth_ns(steps, step) * (100 + EQUAL_PERCENT) / 100 &&
		    xs_worth_is_sure(result, steps->phase, row, merged.adds_ns))
			return true;
	}
	return false;
}

/* Whether more rounds of the same lines are alone in their phases than are of
 * this one, as those of sequences that differ in length: a graph is of one, as
 * is a kernel for all rounds. Phases left out have as many as those that are
 * not. */
static bool fits_few(const struct xs_result *result,
		     const struct xs_result_phase *phase,
		     const struct xs_result_estimate *row)
{
	int64_t others = 0;

	XS_EACH(other, result->phases, result->phase_count)
		others += !other->apart && other->rounds == 1 &&
			  xs_lines_are_within(other, phase, row);
	return (double)others * (1 + (double)result->rest.phases /
					 (double)result->phase_count) >
	       (double)phase->rounds;
}

/* Whether the row adds enough beside the steps so far for its effort. *step
 * becomes what it adds. */
static bool would_add(const struct xs_result *result,
		      const struct xs_phase_steps *all,
		      const struct xs_phase_steps *steps,
		      const struct xs_strategy *strategy,
		      const struct xs_result_estimate *row,
		      struct xs_phase_step *step)
{
	struct reach reach;

	*step = xs_step_gain_of(steps, strategy, row);
	if (xs_step_gain_judged_ns(steps, step) <= 0 ||
	    (strategy->changes == XS_CHANGES_PINNING &&
	     is_merged_instead(result, steps, step)) ||
	    (strategy->changes & XS_CHANGES_LAUNCHES &&
	     fits_few(result, steps->phase, row)) ||
	    is_at_lines(all, steps, step, false) ||
	    is_ordered_otherwise(all, result->phase_count, steps, step))
		return false;
	reach = reach_of(result, all, steps, step);
	/* nobody rewrites kernels for a few per cent of a single round */
	if (!result->verdict.repeats && row->effort_level >= XS_EFFORT_SPLIT &&
	    reach.adds_ns < (double)xs_result_untraced_wall_ns(result) *
				LEAST_PERCENT / 100)
		return false;
	return xs_worth_is_enough(result, steps->phase, reach.adds_ns) &&
	       reach.adds_ns > sqrt(reach.rows_square) &&
	       is_more(steps, step, &reach);
}

/* Adds the best change of one effort that is worth it. Returns false if there
 * is none. */
static bool add_best(const struct xs_result *result,
		     const struct xs_phase_steps *all,
		     struct xs_phase_steps *steps, int64_t effort)
{
	struct xs_phase_step best = {0}, step;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_worth_candidate(steps->phase, strategy);

		if (row && row->effort_level == effort &&
		    would_add(result, all, steps, strategy, row, &step) &&
		    worth_ns(steps, &step) > worth_ns(steps, &best))
			best = step;
	}
	if (!best.strategy)
		return false;
	put_step(steps, &best);
	return true;
}

/* Nobody splits kernels in this run for a smaller part of what the change gains
 * that pays in longer runs, nor rewrites them, nor for little of the run: the
 * answer is then one for longer runs. */
#define LEAST_OF_LONGER 0.75

/* Puts what pays in this run in the place of what pays in longer ones only. */
static void add_instead(const struct xs_result *result,
			struct xs_phase_steps *steps)
{
	double more_ns;
	const struct xs_result_estimate *row =
	    xs_alternative_instead(result, steps, &more_ns);
	const struct xs_strategy *strategy =
	    row ? xs_strategy_find(row->strategy) : NULL;
	struct xs_phase_steps with = *steps;
	struct xs_phase_step step;

	if (!strategy || row->effort_level > XS_EFFORT_SPLIT)
		return;
	step = xs_step_gain_of(steps, strategy, row);
	put_step(&with, &step);
	if (with.count == steps->count ||
	    step.rounds_add_ns <
		steps->longer.rounds_add_ns * LEAST_OF_LONGER ||
	    (row->effort_level == XS_EFFORT_SPLIT &&
	     xs_worth_is_little(result, step.adds_ns)))
		return;
	*steps = with;
	steps->longer.strategy = NULL;
}

/* Whether a change of what runs once, outside of the steady part, may take more
 * than it saves. */
static bool may_not_pay_once(const struct xs_result_phase *phase,
			     const struct xs_phase_step *step)
{
	return phase->apart &&
	       step->adds_ns <= (double)step->estimate->setup_more_ns;
}

/* Moves the last step out of the steps, if it does not pay in this run. A
 * longer run has no more rounds outside of the steady part. If nothing pays in
 * this run, one call per buffer may in a longer one, or does with that of a
 * longer phase. */
static void set_longer(const struct xs_result *result,
		       const struct xs_phase_steps *all,
		       struct xs_phase_steps *steps)
{
	const struct xs_phase_step *last;

	steps->for_longer = !steps->count && !steps->phase->apart;
	if (steps->for_longer)
		add_best(result, all, steps, XS_EFFORT_CALL);
	if (!steps->count)
		return;
	last = &steps->items[steps->count - 1];
	if (steps->for_longer && is_at_lines(all, steps, last, true))
		return;
	if (xs_step_gain_pays_rounds(steps->phase, last) == XS_UNKNOWN &&
	    !may_not_pay_once(steps->phase, last)) {
		/* its setup and new memory may leave next to nothing of it */
		if (xs_worth_is_enough(result, steps->phase,
				       last->rounds_add_ns) &&
		    !xs_worth_is_enough(result, steps->phase, last->adds_ns))
			steps->count--;
		return;
	}
	steps->count--;
	if (steps->phase->apart || steps->phase->rounds == 1)
		return;
	steps->longer = *last;
	add_instead(result, steps);
}

void xs_phase_steps_build(const struct xs_result *result,
			  struct xs_phase_steps *all)
{
	for (size_t i = 0; i < result->phase_count; i++)
		all[i] = (struct xs_phase_steps){.phase = &result->phases[i]};
	for (int effort = XS_EFFORT_CALL; effort < XS_EFFORTS; effort++)
		for (size_t i = 0; i < result->phase_count; i++)
			while (all[i].count < XS_PHASE_STEPS_MAX - 1 &&
			       add_best(result, all, &all[i], effort))
				xs_divide_last_step(result, &all[i]);
	for (size_t i = 0; i < result->phase_count; i++)
		set_longer(result, all, &all[i]);
}
