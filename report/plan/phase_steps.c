/* SPDX-License-Identifier: MIT */
#include "report/plan/phase_steps.h"

#include "model/strategies/strategies.h"
#include "report/plan/beside.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/worth.h"
#include "report/result/best.h"

/* A change after others has to shorten the round by this percentage more. */
#define LEAST_PERCENT 5

static bool includes(const struct xs_strategy *outer,
		     const struct xs_strategy *inner)
{
	return !(inner->changes & ~(outer->changes | outer->spares));
}

/* The end of a step's interval that the next one has to be beyond: for kernels
 * that change, all causes count. */
static int64_t low_ns_of(const struct xs_result_estimate *step,
			 const struct xs_phase_step *added)
{
	return added->estimate->effort_level >= XS_EFFORT_SPLIT
		   ? step->low_ns
		   : step->known_low_ns;
}

/* Whether the new step is worth more effort than those before it: more than
 * they may be off, and than a few per cent. The first one has the unchanged
 * rounds before it. */
static bool is_more(const struct xs_phase_steps *steps,
		    const struct xs_phase_step *added)
{
	const struct xs_result_phase *phase = steps->phase;
	const struct xs_phase_step sum = xs_beside_sum(steps, NULL);
	const double now_ns =
	    xs_phase_estimate_of_run(phase, (double)phase->round_ns) -
	    sum.rounds_add_ns;

	if (added->adds_ns < (sum.adds_ns + added->adds_ns) *
				 xs_phase_estimate_least_share(added->estimate))
		return false;
	for (size_t i = 0; i < steps->count; i++) {
		const struct xs_phase_step *step = &steps->items[i];

		if (xs_beside_is_apart(added->strategy, step->strategy))
			continue;
		if (!includes(added->strategy, step->strategy) ||
		    added->adds_ns <=
			xs_worth_error_ns(phase, step->estimate,
					  low_ns_of(step->estimate, added),
					  added->estimate->shared_low_ns) ||
		    added->adds_ns < now_ns * LEAST_PERCENT / 100)
			return false;
	}
	return steps->count ||
	       added->adds_ns > xs_worth_as_is_error_ns(phase, added->estimate);
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
	*step = xs_beside_gain(steps, strategy, row);
	return xs_worth_is_sure(result, steps->phase, row, step->adds_ns) &&
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
		    xs_worth_candidate(steps->phase, strategy);

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
	const double all_ns = xs_beside_sum(steps, NULL).adds_ns;
	struct xs_phase_step *whole = &steps->items[--steps->count];
	struct xs_phase_step best = {.adds_ns = all_ns / 2}, part;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(steps->phase, strategy->id, false);

		if (!is_part(strategy, row, whole))
			continue;
		part = xs_beside_gain(steps, strategy, row);
		if (part.adds_ns > best.adds_ns &&
		    xs_worth_is_enough(result, steps->phase,
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
