/* SPDX-License-Identifier: MIT */
#include "report/plan/alternatives.h"

#include "model/strategies/strategies.h"
#include "report/plan/step_gain.h"
#include "report/plan/worth.h"
#include "report/result/best.h"

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
xs_alternative_left_out(const struct xs_result *result,
			const struct xs_result_phase *phase)
{
	const struct xs_result_estimate *most = NULL;

	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];
		const struct xs_result_estimate *row =
		    xs_result_best(phase, strategy->id, true);

		if (row && row->saves_ns != XS_UNKNOWN && !row->returning &&
		    !xs_result_may_hold(row) &&
		    xs_worth_is_sure(result, phase, row,
				     (double)row->saves_ns) &&
		    (!most || asks_less(row, most)))
			most = row;
	}
	return most;
}

/* Whether the strategy has to do with a step. */
static bool is_related(const struct xs_phase_steps *steps,
		       const struct xs_strategy *strategy)
{
	for (size_t i = 0; i < steps->count; i++)
		if (!xs_strategy_are_apart(strategy, steps->items[i].strategy))
			return true;
	return steps->longer.strategy &&
	       !xs_strategy_are_apart(strategy, steps->longer.strategy);
}

const struct xs_result_estimate *
xs_alternative_instead(const struct xs_result *result,
		       const struct xs_phase_steps *steps, double *more_ns)
{
	const struct xs_result_estimate *most = NULL;

	*more_ns = 0;
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_result_estimate *row =
		    xs_worth_candidate(steps->phase, xs_strategies[i]);
		const double by_ns =
		    row && is_related(steps, xs_strategies[i])
			? xs_step_gain_of(steps, xs_strategies[i], row).adds_ns
			: 0;

		if (row && !row->bound && by_ns > *more_ns &&
		    xs_worth_is_sure(result, steps->phase, row, by_ns)) {
			most = row;
			*more_ns = by_ns;
		}
	}
	return most;
}

const struct xs_result_estimate *
xs_alternative_without(const struct xs_result *result,
		       const struct xs_phase_steps *steps,
		       const struct xs_result_estimate *step, double *adds_ns)
{
	const struct xs_result_estimate *most = NULL;

	*adds_ns = 0;
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_result_estimate *row =
		    xs_result_best(steps->phase, xs_strategies[i]->id, false);
		const double ns =
		    row && row->effort_level > XS_EFFORT_NONE &&
			    row->n_streams == XS_UNKNOWN &&
			    row->saves_ns != XS_UNKNOWN && !row->bound &&
			    !row->only_if
			? xs_step_gain_of(steps, xs_strategies[i], row).adds_ns
			: 0;

		if (ns > *adds_ns && row->effort_level <= step->effort_level &&
		    xs_worth_is_enough(result, steps->phase, ns)) {
			most = row;
			*adds_ns = ns;
		}
	}
	return most;
}
