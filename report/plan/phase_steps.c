/* SPDX-License-Identifier: MIT */
#include "report/plan/phase_steps.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <math.h>

/* A change after others has to shorten the round by this percentage more. */
#define LEAST_PERCENT 5

/* Whether it is worth a step in the steady part or, of a phase outside of it,
 * in the run. */
static bool is_enough(const struct xs_result *result,
		      const struct xs_result_phase *phase, double adds_ns)
{
	const int64_t whole_ns =
	    phase->apart ? result->run.wall_ns : result->verdict.steady_ns;
	const int64_t part_ns =
	    xs_result_in_steady(result, phase, xs_number_round(adds_ns));

	return adds_ns > 0 && whole_ns != XS_UNKNOWN &&
	       part_ns >= whole_ns / XS_RESULT_LEAST_PART;
}

/* How far what is saved of the run may be off, since the row's time may be
 * end_ns. shared_ns of that moves the other one of the two rounds as well. */
static double saving_error_ns(const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row,
			      int64_t end_ns, int64_t shared_ns)
{
	return end_ns == XS_UNKNOWN
		   ? 0
		   : xs_phase_estimate_of_run(
			 phase,
			 xs_result_saving_error_ns(
			     (double)(end_ns - row->round_ns), shared_ns));
}

/* Whether the row adds enough, and more than it may be off. */
static bool is_worth(const struct xs_result *result,
		     const struct xs_result_phase *phase,
		     const struct xs_result_estimate *row, double adds_ns)
{
	return is_enough(result, phase, adds_ns) &&
	       adds_ns > saving_error_ns(phase, row, row->high_ns,
					 row->shared_high_ns);
}

/* How much shorter the unchanged rounds may be in another run, without the
 * tracer, and the row's rounds not as well. */
static double as_is_error_ns(const struct xs_result_phase *phase,
			     const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *as_is =
	    xs_result_best(phase, xs_strategies[0]->id, false);

	return as_is ? saving_error_ns(phase, as_is, as_is->low_ns,
				       row->shared_low_ns)
		     : 0;
}

/*
 * Whether the bound's condition may be expected to hold. How often bytes cross
 * the bus, no reader of the program can tell. Data that is copied again has
 * changed, unless its contents show otherwise.
 */
static bool may_hold(const struct xs_strategy *strategy,
		     const struct xs_result_estimate *row)
{
	return !row->bound || (!row->assumes_once &&
			       !(strategy->changes & XS_CHANGES_TRAFFIC));
}

/* Whether the row is only another number of pieces, and not faster than the
 * present one by more than its rounds differ. */
static bool is_same_in_pieces(const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row)
{
	return xs_phase_estimate_is_in_pieces(phase, row) &&
	       row->known_high_ns >= phase->round_low_ns;
}

/* The strategy's estimate, if it may be a step. */
static const struct xs_result_estimate *
candidate(const struct xs_result_phase *phase,
	  const struct xs_strategy *strategy)
{
	const struct xs_result_estimate *row =
	    strategy->effort == XS_EFFORT_NONE
		? NULL
		: xs_result_best(phase, strategy->id, true);

	return row && row->saves_ns != XS_UNKNOWN && may_hold(strategy, row) &&
		       !is_same_in_pieces(phase, row)
		   ? row
		   : NULL;
}

static bool includes(const struct xs_strategy *outer,
		     const struct xs_strategy *inner)
{
	return !(inner->changes & ~(outer->changes | outer->spares));
}

/* Whether the changes have nothing to do with each other, so that each saves
 * beside the other what it saves alone. */
static bool is_apart(const struct xs_strategy *a, const struct xs_strategy *b)
{
	return !((a->changes | a->spares) & b->changes) &&
	       !((b->changes | b->spares) & a->changes);
}

/* What the phase's steps add up to: only those that the strategy has to do
 * with, or all (NULL). */
static struct xs_phase_step sum_of(const struct xs_phase_steps *steps,
				   const struct xs_strategy *strategy)
{
	struct xs_phase_step sum = {0};

	for (size_t i = 0; i < steps->count; i++) {
		const struct xs_phase_step *step = &steps->items[i];

		if (strategy && is_apart(strategy, step->strategy))
			continue;
		sum.adds_ns += step->adds_ns;
		sum.rounds_add_ns += step->rounds_add_ns;
	}
	return sum;
}

/* Whether there is a limit to what the step saves of a round. */
static bool is_limited(const struct xs_phase_steps *steps,
		       const struct xs_phase_step *step)
{
	return xs_phase_estimate_most_ns(steps->phase,
					 step->strategy->changes) != XS_UNKNOWN;
}

/* By how much the new step and those before it save more than the limit of what
 * they change together. */
static double over_ns(const struct xs_phase_steps *steps,
		      const struct xs_phase_step *added)
{
	unsigned changes = added->strategy->changes;
	double sum_ns = added->rounds_add_ns;
	int64_t most_ns;

	if (!is_limited(steps, added))
		return 0;
	for (size_t i = 0; i < steps->count; i++) {
		const struct xs_phase_step *step = &steps->items[i];

		if (!is_limited(steps, step))
			continue;
		changes |= step->strategy->changes;
		sum_ns += step->rounds_add_ns;
	}
	most_ns = xs_phase_estimate_most_ns(steps->phase, changes);
	return fmax(sum_ns -
			xs_phase_estimate_of_run(steps->phase, (double)most_ns),
		    0);
}

/* Whether the new step is worth more effort than those before it: more than
 * they may be off, and than a few per cent. The first one has the unchanged
 * rounds before it. */
static bool is_more(const struct xs_phase_steps *steps,
		    const struct xs_phase_step *added)
{
	const struct xs_result_phase *phase = steps->phase;
	const struct xs_phase_step sum = sum_of(steps, NULL);
	const double now_ns =
	    xs_phase_estimate_of_run(phase, (double)phase->round_ns) -
	    sum.rounds_add_ns;

	if (added->adds_ns < (sum.adds_ns + added->adds_ns) *
				 xs_phase_estimate_least_share(added->estimate))
		return false;
	for (size_t i = 0; i < steps->count; i++) {
		const struct xs_phase_step *step = &steps->items[i];

		if (is_apart(added->strategy, step->strategy))
			continue;
		if (!includes(added->strategy, step->strategy) ||
		    added->adds_ns <=
			saving_error_ns(phase, step->estimate,
					step->estimate->known_low_ns,
					added->estimate->shared_low_ns) ||
		    added->adds_ns < now_ns * LEAST_PERCENT / 100)
			return false;
	}
	return steps->count ||
	       added->adds_ns > as_is_error_ns(phase, added->estimate);
}

/* What the row saves beside the steps so far. */
static struct xs_phase_step beside(const struct xs_phase_steps *steps,
				   const struct xs_strategy *strategy,
				   const struct xs_result_estimate *row)
{
	const struct xs_phase_step related = sum_of(steps, strategy);
	const double setup_ns = row->setup_ns > 0 ? (double)row->setup_ns : 0;
	const double saves_ns = (double)row->saves_ns;
	struct xs_phase_step step = {.strategy = strategy,
				     .estimate = row,
				     .adds_ns = saves_ns - related.adds_ns,
				     .rounds_add_ns = saves_ns + setup_ns -
						      related.rounds_add_ns};
	const double over = over_ns(steps, &step);

	step.adds_ns -= over;
	step.rounds_add_ns -= over;
	return step;
}

/* Removes the steps that the new one makes needless, and adds it. There must be
 * room for one. */
static void put_step(struct xs_phase_steps *steps,
		     const struct xs_phase_step *step)
{
	struct xs_phase_step added = *step;
	size_t kept = 0;

	for (size_t i = 0; i < steps->count; i++) {
		const struct xs_phase_step *old = &steps->items[i];

		if (!(old->strategy->changes & step->strategy->spares)) {
			steps->items[kept++] = *old;
			continue;
		}
		added.adds_ns += old->adds_ns;
		added.rounds_add_ns += old->rounds_add_ns;
	}
	steps->items[kept] = added;
	steps->count = kept + 1;
}

/* Whether the row adds enough beside the steps so far for its effort. *step
 * becomes what it adds. */
static bool would_add(const struct xs_result *result,
		      const struct xs_phase_steps *steps,
		      const struct xs_strategy *strategy,
		      const struct xs_result_estimate *row,
		      struct xs_phase_step *step)
{
	*step = beside(steps, strategy, row);
	return is_worth(result, steps->phase, row, step->adds_ns) &&
	       is_more(steps, step);
}

/* Adds the best change of one effort that is worth it. Returns false if there
 * is none. */
static bool add_best(const struct xs_result *result,
		     struct xs_phase_steps *steps, int64_t effort)
{
	struct xs_phase_step best = {0}, step;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    candidate(steps->phase, strategy);

		if (row && row->effort_level == effort &&
		    would_add(result, steps, strategy, row, &step) &&
		    step.adds_ns > best.adds_ns)
			best = step;
	}
	if (!best.strategy)
		return false;
	put_step(steps, &best);
	return true;
}

/* Whether the strategy is a part of the step that takes less effort. */
static bool is_part(const struct xs_strategy *strategy,
		    const struct xs_result_estimate *row,
		    const struct xs_phase_step *whole)
{
	return row && row->saves_ns != XS_UNKNOWN && !row->bound &&
	       row->effort_level > XS_EFFORT_NONE &&
	       row->effort_level < whole->estimate->effort_level &&
	       !(strategy->changes & ~whole->strategy->changes);
}

/*
 * Divides the last step, if a part of it takes less effort and brings most of
 * what all steps gain. How uncertain the part is by itself does not matter: the
 * step contains it, and is certain.
 */
static void divide_last(const struct xs_result *result,
			struct xs_phase_steps *steps)
{
	const double all_ns = sum_of(steps, NULL).adds_ns;
	struct xs_phase_step *whole = &steps->items[--steps->count];
	struct xs_phase_step best = {.adds_ns = all_ns / 2}, part;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(steps->phase, strategy->id, false);

		if (!is_part(strategy, row, whole))
			continue;
		part = beside(steps, strategy, row);
		if (part.adds_ns > best.adds_ns &&
		    is_enough(result, steps->phase,
			      whole->adds_ns - part.adds_ns))
			best = part;
	}
	if (best.strategy) {
		whole[1] = *whole;
		whole[1].adds_ns -= best.adds_ns;
		whole[1].rounds_add_ns -= best.rounds_add_ns;
		best.whole = whole[1].strategy;
		*whole = best;
		steps->count++;
	}
	steps->count++;
}

/* Whether the row's condition is the one to ask for: what the program does with
 * its data can be read in it, how often bytes cross the bus cannot. */
static bool asks_less(const struct xs_result_estimate *row,
		      const struct xs_result_estimate *most)
{
	return row->assumes_once != most->assumes_once
		   ? most->assumes_once
		   : row->saves_ns > most->saves_ns;
}

const struct xs_result_estimate *
xs_phase_steps_left_out(const struct xs_result *result,
			const struct xs_result_phase *phase)
{
	const struct xs_result_estimate *most = NULL;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(phase, strategy->id, true);

		if (row && row->saves_ns != XS_UNKNOWN &&
		    !may_hold(strategy, row) &&
		    is_worth(result, phase, row, (double)row->saves_ns) &&
		    (!most || asks_less(row, most)))
			most = row;
	}
	return most;
}

const struct xs_result_estimate *
xs_phase_steps_instead(const struct xs_result *result,
		       const struct xs_phase_steps *steps, double *more_ns)
{
	const double all_ns = sum_of(steps, NULL).adds_ns;
	const struct xs_result_estimate *most = NULL;

	*more_ns = 0;
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_result_estimate *row =
		    candidate(steps->phase, xs_strategies[i]);
		const double by_ns = row ? (double)row->saves_ns - all_ns : 0;

		if (row && !row->bound && by_ns > *more_ns &&
		    is_worth(result, steps->phase, row, by_ns)) {
			most = row;
			*more_ns = by_ns;
		}
	}
	return most;
}

const struct xs_result_estimate *
xs_phase_steps_uncertain(const struct xs_result *result,
			 const struct xs_phase_steps *steps, double *adds_ns)
{
	const struct xs_result_estimate *most = NULL;

	*adds_ns = 0;
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(steps->phase, strategy->id, false);
		double by_ns;
		size_t k = 0;

		while (k < steps->count &&
		       is_apart(strategy, steps->items[k].strategy))
			k++;
		if (k < steps->count || !row || row->bound ||
		    row->saves_ns == XS_UNKNOWN ||
		    row->effort_level == XS_EFFORT_NONE ||
		    row->effort_level >= XS_EFFORT_SPLIT)
			continue;
		by_ns = beside(steps, strategy, row).adds_ns;
		if (by_ns > *adds_ns &&
		    is_enough(result, steps->phase, by_ns)) {
			most = row;
			*adds_ns = by_ns;
		}
	}
	return most;
}

void xs_phase_steps_build(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  struct xs_phase_steps *steps)
{
	*steps = (struct xs_phase_steps){.phase = phase};
	for (int effort = XS_EFFORT_CALL; effort < XS_EFFORTS; effort++)
		while (steps->count < XS_PHASE_STEPS_MAX - 1 &&
		       add_best(result, steps, effort))
			divide_last(result, steps);
}
