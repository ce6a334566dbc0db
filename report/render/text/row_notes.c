/* SPDX-License-Identifier: MIT */
#include "report/render/text/row_notes.h"

#include "report/result/best.h"

#include <inttypes.h>
#include <string.h>

/* Less than 1 / UNCOUNTED_PART of the row's round is not told. */
#define UNCOUNTED_PART 20

/* Whether the run counts less than the row's round saves. */
static bool is_counted_in_part(const struct xs_result_phase *phase,
			       const struct xs_result_estimate *row)
{
	const int64_t now_ns = xs_result_untraced_ns(phase);
	const double setup_ns = row->setup_ns > 0 ? (double)row->setup_ns : 0;

	return row->saves_ns != XS_UNKNOWN && row->round_ns < now_ns &&
	       xs_result_of_run(phase, (double)(now_ns - row->round_ns)) -
		       (double)row->saves_ns - setup_ns >
		   xs_result_of_run(phase,
				    (double)row->round_ns / UNCOUNTED_PART);
}

void xs_text_uncounted_add(struct xs_result *result, const char **list,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row)
{
	if (is_counted_in_part(phase, row) &&
	    !(*list && strstr(*list, row->strategy)))
		*list = xs_arena_join(&result->arena, *list, row->strategy);
}

void xs_text_uncounted_put(const struct xs_terminal *terminal,
			   struct xs_result *result, const char *list)
{
	if (list)
		xs_terminal_wrap(
		    terminal, XS_DIM, "  ",
		    xs_arena_print(
			&result->arena,
			"%s: the run, the steps and the verdict count "
			"less than a round saves: only time in which "
			"data moves or the host waits",
			list));
}

/* Less of the row's saving is not told. */
#define NEW_MEMORY_PART 20

void xs_text_new_memory_add(struct xs_result *result, const char **list,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	const char *where =
	    result->phase_count > 1
		? xs_arena_print(&result->arena, " in phase %" PRId64,
				 phase->id)
		: "";

	if (row->saves_ns > 0 &&
	    row->new_memory_ns > row->saves_ns / NEW_MEMORY_PART)
		*list = xs_arena_join(
		    &result->arena, *list,
		    xs_arena_print(&result->arena, "%s %s%s", row->strategy,
				   xs_units_ns(row->new_memory_ns).s, where));
}

void xs_text_new_memory_put(const struct xs_terminal *terminal,
			    struct xs_result *result, const char *list)
{
	if (list)
		xs_terminal_wrap(terminal, XS_DIM, "  ",
				 xs_arena_print(&result->arena,
						"the run includes the first "
						"touch of the second set: %s",
						list));
}

/* "phase 1: each with the host's 900 us until the next round" */
void xs_text_between_put(const struct xs_terminal *terminal,
			 struct xs_result *result,
			 const struct xs_result_phase *phase)
{
	const int64_t ns = xs_result_used_between_ns(phase);

	if (ns)
		xs_terminal_wrap(terminal, XS_DIM, "  ",
				 xs_arena_print(&result->arena,
						"phase %" PRId64
						": each with the host's %s "
						"until the next round",
						phase->id, xs_units_ns(ns).s));
}
