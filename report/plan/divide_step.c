/* SPDX-License-Identifier: MIT */
#include "report/plan/divide_step.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/step_gain.h"
#include "report/plan/worth.h"
#include "report/result/best.h"

/* Merged copies need none of the buffers pinned that they are gathered from. */
static bool is_merge(const struct xs_phase_step *whole)
{
	return whole->strategy->changes & XS_CHANGES_SIZES &&
	       whole->estimate->effort_level == XS_EFFORT_PLACE;
}

/* Whether the step contains the strategy, which takes less effort. */
static bool is_contained(const struct xs_strategy *strategy,
			 const struct xs_result_estimate *row,
			 const struct xs_phase_step *whole)
{
	return row && row->saves_ns != XS_UNKNOWN && !row->bound &&
	       !xs_step_gain_both_order(strategy, whole->strategy) &&
	       row->effort_level > XS_EFFORT_NONE &&
	       row->effort_level < whole->estimate->effort_level &&
	       !is_merge(whole) &&
	       !(strategy->changes & ~whole->strategy->changes);
}

/* Nobody rewrites kernels before what they contain is changed. */
static bool is_rewrite(const struct xs_phase_step *whole)
{
	return whole->estimate->effort_level >= XS_EFFORT_REWRITE;
}

/* The least that a part of the last step has to bring: half of all. */
static double least_part_ns(const struct xs_phase_steps *steps,
			    const struct xs_phase_step *whole)
{
	return is_rewrite(whole)
		   ? 0
		   : (xs_step_gain_sum(steps, NULL).rounds_add_ns +
		      xs_step_gain_judged_ns(steps, whole)) /
			 2;
}

/* Returns what takes less effort and brings most of the whole step; without a
 * strategy if nothing brings enough. */
static struct xs_phase_step part_of(const struct xs_result *result,
				    const struct xs_phase_steps *steps,
				    const struct xs_phase_step *whole)
{
	struct xs_phase_step best = {0};
	double best_ns = least_part_ns(steps, whole);

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(steps->phase, strategy->id, false);
		struct xs_phase_step part;
		double part_ns;

		if (!is_contained(strategy, row, whole))
			continue;
		part = xs_step_gain_of(steps, strategy, row);
		part_ns = xs_step_gain_judged_ns(steps, &part);
		if (part_ns > best_ns &&
		    xs_worth_is_enough(result, steps->phase, part_ns)) {
			best = part;
			best_ns = part_ns;
		}
	}
	return best;
}

void xs_divide_last_step(const struct xs_result *result,
			 struct xs_phase_steps *steps)
{
	struct xs_phase_steps parts = *steps;
	struct xs_phase_step rest = parts.items[--parts.count];
	const double whole_ns = xs_step_gain_judged_ns(&parts, &rest);
	struct xs_phase_step part = part_of(result, &parts, &rest);
	const double rest_ns = whole_ns - xs_step_gain_judged_ns(&parts, &part);

	const bool goes_on =
	    xs_worth_is_enough(result, parts.phase, rest_ns) &&
	    rest_ns >= whole_ns * xs_phase_estimate_least_share(rest.estimate);

	if (!part.strategy || (!goes_on && !is_rewrite(&rest)))
		return;
	rest.adds_ns -= part.adds_ns;
	rest.rounds_add_ns -= part.rounds_add_ns;
	parts.items[parts.count++] = part;
	if (goes_on)
		parts.items[parts.count++] = rest;
	*steps = parts;
}
