/* SPDX-License-Identifier: MIT */
#include "report/result/table_rows.h"

#include "model/strategies/strategies.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <string.h>

/* Whether it shortens this run; on another GPU that is unknown. */
static bool pays(const struct xs_result_estimate *row)
{
	const int64_t saves_ns = row->saves_ns;

	return saves_ns == XS_UNKNOWN || saves_ns > 0;
}

/* Whether it shortens a round by one per cent, and this run. */
static bool is_gain(const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row)
{
	const int64_t now_ns = xs_result_untraced_ns(phase);

	return xs_result_is_known(row) && pays(row) &&
	       row->round_ns <= now_ns - now_ns / 100;
}

/* Whether data that stays on the GPU saves more, in its whole range, than that
 * is wide. */
static bool is_sure(const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);

	return strategy && strategy->changes & XS_CHANGES_TRAFFIC &&
	       pays(row) &&
	       xs_result_untraced_ns(phase) - row->high_ns >
		   row->high_ns - row->low_ns;
}

/* Allocations of 1 / ALLOCATION_PART of the steady part have a row. */
#define ALLOCATION_PART 10

static bool is_of_allocation(const struct xs_result *result,
			     const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const struct xs_result_verdict *in = &result->verdict;

	if (!strategy || strategy->changes != XS_CHANGES_ALLOCATION)
		return false;
	for (size_t i = 0; i < in->part_count; i++)
		if (strcmp(in->parts[i].what, "allocation") == 0)
			return in->parts[i].ns >=
			       in->recorded_ns / ALLOCATION_PART;
	return false;
}

/* Without --all, the table leaves out rows of changes that are no gain, best
 * cases of which next to nothing is known, and what is not known because of the
 * rounds as they are. */
static bool is_no_gain(const struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	if (result->all_asked || row->effort_level <= 0)
		return false;
	if (!xs_result_is_known(row))
		return (row->bound && !is_sure(phase, row)) ||
		       (xs_result_is_noisy(phase) &&
			!is_of_allocation(result, row));
	return !is_gain(phase, row);
}

/* Whether the plan has the row, says why there is no step with it, or one of
 * its first `full` steps names it. */
static bool is_named(const struct xs_result *result,
		     const struct xs_result_estimate *row, size_t full)
{
	if (row == result->nearest || row == result->nearest_if)
		return true;
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].estimate == row ||
		    (i < full && result->plan[i].instead == row))
			return true;
	return false;
}

static bool is_row(const struct xs_result *result,
		   const struct xs_result_phase *phase,
		   const struct xs_result_estimate *row)
{
	return xs_result_is_replay(row) && row->applies &&
	       xs_result_is_listed(result, phase, row);
}

bool xs_result_row_is_shown(const struct xs_result *result,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].estimate == row)
			return true;
	if (is_named(result, row, result->plan_count))
		return result->all_asked || pays(row) ||
		       row == result->nearest || row == result->nearest_if;
	return is_row(result, phase, row) && !is_no_gain(result, phase, row);
}

const char *xs_result_row_hidden(struct xs_result *result,
				 const struct xs_result_phase *phase)
{
	const char *list = NULL;

	XS_EACH(row, phase->estimates, phase->estimate_count) {
		if (is_row(result, phase, row) &&
		    !xs_result_row_is_shown(result, phase, row))
			list = xs_arena_join_once(&result->arena, list,
						  row->strategy);
	}
	return list;
}

/* What the phase's first `steps` save of this run, of what the row saves. */
static int64_t planned_ns(const struct xs_result *result, size_t steps,
			  const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < steps; i++) {
		const struct xs_result_step *step = &result->plan[i];
		const int64_t both_ns =
		    xs_result_both_save_ns(row, step->estimate);

		if (xs_result_step_is_of(step, phase) &&
		    step->pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns,
				      both_ns == XS_UNKNOWN
					  ? xs_result_step_saves_ns(step, phase)
					  : xs_number_round(xs_result_of_run(
						phase, (double)both_ns)));
	}
	return saves_ns;
}

/* What the first steps leave of the most that changes save of this run;
 * XS_UNKNOWN: not known. */
static int64_t left_ns(const struct xs_result *result, size_t steps)
{
	int64_t ns = result->verdict.at_most_saves_ns;

	for (size_t i = 0; ns != XS_UNKNOWN && i < steps; i++)
		if (!result->plan[i].phase->apart &&
		    result->plan[i].pays_rounds == XS_UNKNOWN)
			ns -= result->plan[i].adds_saves_ns;
	return ns;
}

/* Why there is no step by the row, which saves more_ns more. */
static const char *reason(const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row, int64_t more_ns)
{
	const double round_ns = (double)row->round_ns;
	const double off_ns =
	    xs_result_round_end_ns(row, round_ns, false) - round_ns;

	if ((double)more_ns <= xs_result_of_run(phase, off_ns))
		return "uncertain";
	if (!xs_result_may_hold(row) || (row->only_if && !row->chosen))
		return "only on its condition";
	return row->bound && row->effort_level >= XS_EFFORT_REWRITE
		   ? "too little for rewritten kernels"
		   : "little for its effort";
}

void xs_result_row_add_beyond(struct xs_result *result, size_t steps,
			      size_t full, const char **list,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const char *of =
	    result->phase_count > 1
		? xs_print(&result->arena, " of phase %" PRId64, phase->id)
		: "";
	const int64_t most_ns = left_ns(result, steps);
	int64_t more_ns;

	if (result->verdict.missing || is_named(result, row, full) ||
	    row->effort_level <= 0 || !strategy ||
	    row->saves_ns == XS_UNKNOWN ||
	    (result->no_pinning && strategy->changes == XS_CHANGES_PINNING))
		return;
	more_ns = xs_result_capped_ns(result, row->saves_ns) -
		  planned_ns(result, steps, phase, row);
	if (!phase->apart && most_ns != XS_UNKNOWN && more_ns > most_ns)
		more_ns = most_ns;
	if (more_ns > xs_result_untraced_wall_ns(result) / XS_RESULT_TOLD_PART)
		*list = xs_arena_join(
		    &result->arena, *list,
		    xs_print(&result->arena, "%s%s saves %s more (%s)",
			     row->strategy, of, xs_units_ns(more_ns).s,
			     reason(phase, row, more_ns)));
}
