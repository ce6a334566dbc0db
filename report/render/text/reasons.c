/* SPDX-License-Identifier: MIT */
/* Below the table of strategies: what a given profile lacks for more of them.
 * With --all each number of streams, and why strategies have no figure. */
#include "report/render/text/sections.h"

#include "report/result/best.h"
#include "report/result/shown_row.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Returns the streams row with the smallest n above `above`, in its faster
 * order, or NULL. */
static const struct xs_result_estimate *
next_streams(const struct xs_result_phase *phase, int64_t above)
{
	const struct xs_result_estimate *next = NULL;

	XS_EACH(row, phase->estimates, phase->estimate_count) {
		if (!xs_result_is_replay(row) || !row->applies ||
		    !xs_result_same_text(row->strategy, "streams") ||
		    row->n_streams <= above)
			continue;
		if (!next || row->n_streams < next->n_streams ||
		    (row->n_streams == next->n_streams &&
		     row->round_ns < next->round_ns))
			next = row;
	}
	return next;
}

/* "2.84", as the table has it; "~2.84" if the time of a round is not well
 * known. The first one sets the unit. */
static struct xs_units_text bare(const struct xs_result *result,
				 const struct xs_result_phase *phase,
				 const struct xs_result_estimate *row,
				 int64_t *like_ns, const char **unit)
{
	const struct xs_result_estimate shown =
	    xs_result_shown_row(result, phase, row);
	struct xs_units_text out, ns;

	if (!*like_ns)
		*like_ns = shown.round_ns;
	ns = xs_units_ns_bare(shown.round_ns, *like_ns, unit);
	snprintf(out.s, sizeof(out.s), "%s%.*s",
		 xs_result_is_known(&shown) ? "" : "~", (int)sizeof(out.s) - 2,
		 ns.s);
	return out;
}

/* "phase 1 streams by n: 2 3.10, 4 2.84, 8 ~3.01 ms" */
static void put_sweep(const struct xs_terminal *terminal,
		      struct xs_result *result,
		      const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const struct xs_result_estimate *row = next_streams(phase, 0);
	int64_t like_ns = 0;
	const char *list = NULL, *unit = "";

	for (; row; row = next_streams(phase, row->n_streams))
		list = xs_print(arena, "%s%s%" PRId64 " %s", list ? list : "",
				list ? ", " : "", row->n_streams,
				bare(result, phase, row, &like_ns, &unit).s);
	if (list)
		xs_terminal_wrapf(terminal, XS_DIM, "  ",
				  "phase %" PRId64 " streams by n: %s %s",
				  phase->id, list, unit);
}

/* Abstentions that are worth a line: with --all, each. */
static bool abstains(const struct xs_result *result,
		     const struct xs_result_estimate *row)
{
	const char *origin = result->machine_choice.origin;

	return xs_result_is_replay(row) && !row->applies &&
	       (result->all_asked || (!row->quiet && row->unmeasured &&
				      xs_result_same_text(origin, "given")));
}

/* "mapped, hybrid": strategies of a phase that abstain for one reason. */
static const char *abstainers(struct xs_result *result,
			      const struct xs_result_phase *phase,
			      const char *why)
{
	const char *list = NULL;

	XS_EACH(row, phase->estimates, phase->estimate_count) {
		if (!abstains(result, row) ||
		    !xs_result_same_text(row->why, why))
			continue;
		list = xs_arena_join_once(&result->arena, list, row->strategy);
	}
	return list;
}

static bool is_explained(const struct xs_result *result, size_t index)
{
	return index < XS_TEXT_REASONS &&
	       xs_render_text_has_phase(result, index);
}

/* Prints a reason once, for all phases where the same strategies have it. */
static void put_reason(const struct xs_terminal *terminal,
		       struct xs_result *result, size_t first, const char *why)
{
	struct xs_arena *arena = &result->arena;
	const char *list, *where = NULL;

	list = abstainers(result, &result->phases[first], why);
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		if (!is_explained(result, i) ||
		    !xs_result_same_text(list, abstainers(result, phase, why)))
			continue;
		if (i < first)
			return; /* already printed */
		where = where
			    ? xs_print(arena, "%s, %" PRId64, where, phase->id)
			    : xs_print(arena, "%" PRId64, phase->id);
	}
	xs_terminal_wrapf(terminal, XS_DIM, "  ", "phase%s %s, no %s: %s",
			  strchr(where ? where : "", ',') ? "s" : "", where,
			  list, why ? why : "no reason given");
}

/* The abstentions, each reason once. */
static void put_abstained(const struct xs_terminal *terminal,
			  struct xs_result *result)
{
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_estimate *rows =
		    result->phases[i].estimates;
		const size_t count = is_explained(result, i)
					 ? result->phases[i].estimate_count
					 : 0;

		for (size_t k = 0; k < count; k++) {
			bool said = !abstains(result, &rows[k]);

			for (size_t j = 0; j < k && !said; j++)
				said = abstains(result, &rows[j]) &&
				       xs_result_same_text(rows[j].why,
							   rows[k].why);
			if (!said)
				put_reason(terminal, result, i, rows[k].why);
		}
	}
}

void xs_render_text_reasons(const struct xs_terminal *terminal,
			    struct xs_result *result)
{
	for (size_t i = 0; result->all_asked && i < result->phase_count; i++)
		put_sweep(terminal, result, &result->phases[i]);
	put_abstained(terminal, result);
	if (result->all_asked && result->machine.notes[0])
		xs_terminal_wrapf(terminal, XS_DIM, "  ", "profile: %s",
				  result->machine.notes);
}
