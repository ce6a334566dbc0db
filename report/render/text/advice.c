/* SPDX-License-Identifier: MIT */
#include "report/render/text/parts.h"

#include <inttypes.h>
#include <string.h>

/* Advice printed; JSON has all of it. */
#define ADVICE_MAX 5

/* "streams, n=8" */
static const char *what(struct xs_result *result,
			const struct xs_result_estimate *estimate)
{
	if (estimate->n_streams == XS_UNKNOWN)
		return estimate->strategy;
	return xs_arena_print(&result->arena, "%s (n=%" PRId64 ")",
			      estimate->strategy, estimate->n_streams);
}

/* "at most 2.40 s (24.0 %)"; "1.20 s, at most 2.40 s (24.0 %)" */
static const char *saving(struct xs_result *result,
			  const struct xs_result_advice *advice)
{
	const struct xs_result_estimate *estimate = advice->estimate;
	const char *least = "";

	if (estimate->bound && estimate->least_saves_ns > 0)
		least = xs_arena_print(&result->arena, "%s, ",
				       xs_units_ns(estimate->least_saves_ns).s);
	return xs_arena_print(
	    &result->arena, "%s%s%s (%.1f %%)", least ? least : "",
	    estimate->bound ? "at most " : "",
	    xs_units_ns(estimate->saves_ns).s, advice->saves_percent);
}

/* The alternatives for the same phase, on one line. */
static void put_others(const struct xs_terminal *terminal,
		       struct xs_result *result, size_t first)
{
	const struct xs_result_phase *phase = result->advice[first].phase;
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;

	for (size_t i = first + 1; i < result->advice_count; i++) {
		const struct xs_result_advice *other = &result->advice[i];

		if (other->phase != phase || other->estimate->saves_ns <= 0)
			continue;
		list =
		    xs_arena_join(arena, list,
				  xs_arena_print(arena, "%s %s [%s]",
						 what(result, other->estimate),
						 saving(result, other),
						 other->estimate->effort));
	}
	if (list)
		xs_terminal_wrap(terminal, XS_DIM, "     instead: ", list);
}

static bool is_first_of_phase(const struct xs_result *result, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (result->advice[i].phase == result->advice[index].phase)
			return false;
	return true;
}

static void put_one_advice(const struct xs_terminal *terminal,
			   struct xs_result *result, size_t index, int number)
{
	const struct xs_result_advice *advice = &result->advice[index];
	bool pays = advice->estimate->saves_ns > 0;

	xs_terminal_print(terminal, XS_PLAIN, "  %d. phase %" PRId64 ": ",
			  number, advice->phase->id);
	xs_terminal_print(terminal, XS_BOLD, "%s",
			  what(result, advice->estimate));
	if (pays) {
		xs_terminal_print(terminal, XS_PLAIN, " saves ");
		xs_terminal_print(terminal, XS_GOOD, "%s",
				  saving(result, advice));
	} else {
		xs_terminal_print(terminal, XS_PLAIN,
				  " would pay off in a longer run");
	}
	xs_terminal_print(terminal, XS_DIM, " [%s]\n",
			  advice->estimate->effort);
	xs_terminal_wrap(terminal, XS_PLAIN, "     ", advice->text);
	xs_render_text_source_lines(terminal, result, advice);
	put_others(terminal, result, index);
}

/* Whether any change was predicted for any phase. */
static bool is_predicted(const struct xs_result *result)
{
	for (size_t i = 0; i < result->phase_count; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++)
			if (result->phases[i].estimates[k].applies &&
			    strcmp(result->phases[i].estimates[k].effort,
				   "none") != 0)
				return true;
	return false;
}

/* The best change for each phase, alternatives below it. */
void xs_render_text_advice(const struct xs_terminal *terminal,
			   struct xs_result *result)
{
	int number = 0;

	xs_terminal_heading(terminal, "What to change",
			    "savings of the whole run, each change alone");
	for (size_t i = 0; i < result->advice_count && number < ADVICE_MAX; i++)
		if (is_first_of_phase(result, i))
			put_one_advice(terminal, result, i, ++number);
	if (!number)
		xs_terminal_print(terminal, XS_PLAIN, "  %s\n",
				  is_predicted(result)
				      ? "nothing: no predicted saving exceeds "
					"its uncertainty"
				      : "no strategy could be predicted; the "
					"reasons are below");
}
