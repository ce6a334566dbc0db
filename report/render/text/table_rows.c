/* SPDX-License-Identifier: MIT */
#include "report/render/text/table_rows.h"

#include "model/strategies/strategies.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <stdlib.h>

/* Less of the run than 1 / LEAST_PART is not told. */
#define LEAST_PART 1000

/* A row that takes 1 / AS_LONG_PART less than another one takes as long. */
#define AS_LONG_PART 20

/* On another GPU the gain is unknown, and rounds alone are compared. */
static bool gains_as_much(const struct xs_result_estimate *less,
			  const struct xs_result_estimate *row)
{
	const int64_t ns = xs_result_gain_ns(row);
	const int64_t less_ns = xs_result_gain_ns(less);

	return ns == XS_UNKNOWN || less_ns == XS_UNKNOWN ||
	       less_ns >= ns - llabs(ns) / AS_LONG_PART;
}

/* Whether the changes of both can be made, and save beside each other. */
static bool are_apart(const struct xs_result_estimate *a,
		      const struct xs_result_estimate *b)
{
	const struct xs_strategy *of_a = xs_strategy_find(a->strategy);
	const struct xs_strategy *of_b = xs_strategy_find(b->strategy);

	return of_a && of_b && xs_strategy_are_apart(of_a, of_b);
}

/* Whether a row of less effort takes as long, a round and the run, up to a few
 * per cent. */
static bool is_effort_for_nothing(const struct xs_result *result,
				  const struct xs_result_phase *phase,
				  const struct xs_result_estimate *row)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *less = &phase->estimates[i];

		if (less->effort_level < row->effort_level &&
		    !are_apart(less, row) &&
		    xs_result_is_listed(result, phase, less) &&
		    xs_result_is_known(less) &&
		    less->round_ns - less->round_ns / AS_LONG_PART <=
			row->round_ns &&
		    gains_as_much(less, row))
			return true;
	}
	return false;
}

/* Whether it shortens a round by one per cent. */
static bool is_gain(const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row)
{
	const int64_t now_ns = xs_result_untraced_ns(phase);

	return xs_result_is_known(row) &&
	       row->round_ns <= now_ns - now_ns / 100;
}

/* Without --all, the table leaves out rows of changes that do not shorten a
 * round by one per cent, or not more than one of less effort does, best cases
 * of which next to nothing is known, and what is not known because of the
 * rounds as they are. */
static bool is_no_gain(const struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row)
{
	if (result->all_asked || row->effort_level <= 0)
		return false;
	if (!xs_result_is_known(row))
		return row->bound || xs_result_is_noisy(phase);
	return !is_gain(phase, row) ||
	       is_effort_for_nothing(result, phase, row);
}

/* Whether the plan has the row, or says why there is no step with it. */
static bool is_named(const struct xs_result *result,
		     const struct xs_result_estimate *row)
{
	if (row == result->nearest || row == result->nearest_if)
		return true;
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].estimate == row ||
		    result->plan[i].instead == row)
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

bool xs_text_row_is_shown(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row)
{
	if (is_named(result, row))
		return true;
	return is_row(result, phase, row) && !is_no_gain(result, phase, row);
}

void xs_text_row_add_hidden(struct xs_result *result, const char *list[2],
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	const bool gains = is_gain(phase, row);

	if (is_row(result, phase, row) &&
	    !xs_text_row_is_shown(result, phase, row))
		list[gains] = xs_arena_join_once(&result->arena, list[gains],
						 row->strategy);
}

/* What the phase's steps save of this run that are in the row's place. */
static int64_t planned_ns(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].phase == phase &&
		    !are_apart(result->plan[i].estimate, row) &&
		    result->plan[i].pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns, result->plan[i].adds_saves_ns);
	return saves_ns;
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
	return row->bound && row->effort_level >= XS_EFFORT_REWRITE
		   ? "kernels are rewritten only for as much as all other "
		     "steps save"
		   : "little for its effort";
}

void xs_text_row_add_beyond(struct xs_result *result, const char **list,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	int64_t more_ns;

	if (result->verdict.missing || is_named(result, row) ||
	    row->effort_level <= 0 || !strategy ||
	    row->saves_ns == XS_UNKNOWN || !xs_result_may_hold(row) ||
	    (result->no_pinning && strategy->changes == XS_CHANGES_PINNING))
		return;
	more_ns = xs_result_gain_ns(row) - planned_ns(result, phase, row);
	if (more_ns > xs_result_untraced_wall_ns(result) / LEAST_PART)
		*list = xs_arena_join(
		    &result->arena, *list,
		    xs_arena_print(&result->arena, "%s adds %s (%s)",
				   row->strategy, xs_units_ns(more_ns).s,
				   reason(phase, row, more_ns)));
}

void xs_text_row_put_beyond(const struct xs_terminal *terminal,
			    struct xs_result *result, const char *list)
{
	if (list)
		xs_terminal_wrap(
		    terminal, XS_DIM, "  ",
		    xs_arena_print(&result->arena, "no step: %s", list));
}

void xs_text_row_put_hidden(const struct xs_terminal *terminal,
			    struct xs_result *result, const char *list[2])
{
	const char *const texts[] = {
	    list[0] ? list[0] : "", list[0] && list[1] ? "; " : "",
	    list[1] ? "as much by less effort: " : "", list[1] ? list[1] : ""};

	if (list[0] || list[1])
		xs_terminal_wrap(
		    terminal, XS_DIM, "  ",
		    xs_arena_print(&result->arena, "only with --all: %s%s%s%s",
				   texts[0], texts[1], texts[2], texts[3]));
}
