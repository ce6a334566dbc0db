/* SPDX-License-Identifier: MIT */
/*
 * The table of strategies: for each phase the replay of each strategy, beside
 * the figure of a published equation. Of rows that differ only in n and order,
 * one is printed.
 */
#include "report/render/text/sections.h"

#include "report/render/text/best_cases.h"
#include "report/result/best.h"
#include "report/result/shown_row.h"
#include "report/result/site.h"
#include "report/result/table_rows.h"

#include <inttypes.h>
#include <string.h>

/* Returns the row of a published equation for the same strategy and n, or
 * NULL. */
static const struct xs_result_estimate *
published_row(const struct xs_result_phase *phase,
	      const struct xs_result_estimate *row)
{
	XS_EACH(other, phase->estimates, phase->estimate_count) {
		if (!xs_result_is_replay(other) && other->applies &&
		    xs_result_same_text(other->strategy, row->strategy) &&
		    other->n_streams == row->n_streams &&
		    (!other->order ||
		     xs_result_same_text(other->order, row->order)))
			return other;
	}
	return NULL;
}

/* "11.8 ms" */
static struct xs_units_text published(const struct xs_result *result,
				      const struct xs_result_phase *phase,
				      const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *other = published_row(phase, row);
	struct xs_units_text out = {""};

	if (other)
		out = xs_units_ns(
		    xs_result_shown_row(result, phase, other).round_ns);
	return out;
}

/* Appends "vanwerkhoven2014-eq5 (streams)" to names, once. */
static const char *add_model(struct xs_result *result, const char *names,
			     const struct xs_result_estimate *row)
{
	if (!row)
		return names;
	return xs_arena_join_once(
	    &result->arena, names,
	    xs_print(&result->arena, "%s (%s)", row->model, row->strategy));
}

/* "streams n=8", "streams n=8 breadth"; the legend explains the star. */
static struct xs_units_text name(const struct xs_result_estimate *row)
{
	const char *star = row->only_if ? "*" : "";
	struct xs_units_text out;

	if (row->n_streams == XS_UNKNOWN)
		snprintf(out.s, sizeof(out.s), "%.24s%s", row->strategy, star);
	else
		snprintf(out.s, sizeof(out.s), "%.10s%s n=%.5s%s",
			 row->strategy, star, xs_units_count(row->n_streams).s,
			 row->order && strcmp(row->order, "breadth") == 0
			     ? " breadth"
			     : "");
	return out;
}

/* "~117 us" of a row whose time is not well known. */
static struct xs_units_text about(bool known, struct xs_units_text in)
{
	struct xs_units_text out = in;

	if (!known && strcmp(in.s, "-") != 0)
		snprintf(out.s, sizeof(out.s), "~%.*s", (int)sizeof(out.s) - 2,
			 in.s);
	return out;
}

static struct xs_units_text some_ns(int64_t ns)
{
	return ns ? xs_units_ns(ns) : (struct xs_units_text){"-"};
}

static void put_row(struct xs_text_table *table, const struct xs_result *result,
		    const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row, bool first)
{
	const struct xs_result_estimate shown =
	    xs_result_shown_row(result, phase, row);
	const bool all = result->all_asked, known = xs_result_is_known(&shown);
	/* green: a change that makes the run faster */
	enum xs_style style = known && row->saves_ns != XS_UNKNOWN &&
				      row->saves_ns > 0 && row->effort_level > 0
				  ? XS_GOOD
				  : XS_PLAIN;

	XS_TEXT_ROW(table, first ? xs_units_count(phase->id).s : "",
		    name(&shown).s, about(known, some_ns(shown.round_ns)).s,
		    xs_units_range_ns(shown.low_ns, shown.high_ns).s);
	xs_text_cell(table, style,
		     about(known, xs_units_ratio(shown.speedup)).s);
	xs_text_cell(table, XS_PLAIN, about(known, some_ns(shown.saves_ns)).s);
	if (all)
		xs_text_cell(table, XS_DIM, published(result, phase, row).s);
	else
		xs_text_cell(table, XS_PLAIN, some_ns(shown.setup_ns).s);
}

/* All rows of the phase that the first step is made for, of the longest one if
 * that is outside of the steady part, or of all phases without a step; of
 * others the rows of their steps that are printed or save more than the first,
 * and as-is. */
static bool is_shown(const struct xs_result *result, size_t index, size_t row)
{
	const struct xs_result_phase *phase = &result->phases[index];
	const struct xs_result_phase *first =
	    result->plan_count ? result->plan->phase : NULL;
	bool shown = !row || result->all_asked ||
		     ((!first || first == phase || (first->apart && !index)) &&
		      xs_render_text_is_first(result, index));

	for (size_t i = 0; i < result->plan_count; i++)
		shown |= (i < xs_render_text_shown_steps(result) ||
			  result->plan[i].adds_saves_ns >
			      result->plan->adds_saves_ns) &&
			 xs_result_step_is_of(&result->plan[i], phase) &&
			 xs_result_same_text(result->plan[i].estimate->strategy,
					     phase->estimates[row].strategy);
	return shown &&
	       xs_result_row_is_shown(result, phase, &phase->estimates[row]);
}

/* Adds the phase's rows; without --all, if there is one beside as-is. */
static size_t put_phase(struct xs_text_table *table,
			const struct xs_result *result, size_t index)
{
	const struct xs_result_phase *phase = &result->phases[index];
	size_t rows = 0, first = phase->estimate_count;

	for (size_t i = first; i-- > 0;)
		if (is_shown(result, index, i)) {
			first = i;
			rows++;
		}
	if (rows < 2 && !result->all_asked)
		return 0;
	for (size_t i = first; i < phase->estimate_count; i++)
		if (is_shown(result, index, i))
			put_row(table, result, phase, &phase->estimates[i],
				i == first);
	return rows;
}

static void put_table(const struct xs_terminal *terminal,
		      struct xs_result *result)
{
	const struct xs_text_heading headings[] = {
	    {"#", XS_RIGHT | XS_BOLD},
	    {"strategy", XS_PLAIN},
	    {"round", XS_RIGHT},
	    {"90 % range", XS_RIGHT},
	    {"speedup", XS_RIGHT},
	    {"saves", XS_RIGHT},
	    /* there is room for one */
	    {result->all_asked ? "published" : "once", XS_RIGHT}};
	struct xs_text_table table;
	size_t rows = 0;

	xs_text_table_begin(&table, terminal, headings,
			    sizeof(headings) / sizeof(headings[0]));
	for (size_t i = 0; i < result->phase_count; i++)
		if (xs_render_text_has_phase(result, i))
			rows += put_phase(&table, result, i);
	if (!rows)
		xs_terminal_print(terminal, XS_PLAIN,
				  "  none is predicted to shorten a round and "
				  "this run\n");
	xs_text_table_end(&table, NULL, 0);
}

/* What is said below the table; NULL: nothing. */
struct legend {
	struct xs_text_best_cases bounds;
	const char *names, *beyond, *hidden;
};

static void add_row(struct xs_result *result, size_t index, size_t i,
		    struct legend *out)
{
	const struct xs_result_phase *phase = &result->phases[index];
	const struct xs_result_estimate *row = &phase->estimates[i];

	if (!is_shown(result, index, i))
		return;
	xs_result_row_add_beyond(result, xs_render_text_shown_steps(result),
				 xs_render_text_full_steps(result),
				 &out->beyond, phase, row);
	xs_text_best_cases_add(result, &out->bounds, phase->id, row);
	out->names = add_model(result, out->names, published_row(phase, row));
}

/* "graph", or of several phases "phase 1: graph; phase 4: reuse" */
static void add_hidden(struct xs_result *result,
		       const struct xs_result_phase *phase, struct legend *out)
{
	const char *list = xs_result_row_hidden(result, phase);

	if (list && result->phase_count > 1)
		list = xs_print(&result->arena, "%s%sphase %" PRId64 ": %s",
				out->hidden ? out->hidden : "",
				out->hidden ? "; " : "", phase->id, list);
	if (list)
		out->hidden = list;
}

/* Explains the star, and the equations. */
static void put_legend(const struct xs_terminal *terminal,
		       struct xs_result *result)
{
	struct legend legend = {.bounds = xs_text_best_cases(result)};

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		if (!xs_render_text_has_phase(result, i))
			continue;
		for (size_t k = 0; k < phase->estimate_count; k++)
			add_row(result, i, k, &legend);
		if (result->plan_count ? result->plan->phase == phase
				       : !phase->apart)
			add_hidden(result, phase, &legend);
	}
	if (legend.beyond || legend.hidden)
		xs_terminal_wrapf(terminal, XS_DIM, "  ", "%s%s%s%s%s",
				  legend.beyond ? "no step: " : "",
				  legend.beyond ? legend.beyond : "",
				  legend.beyond && legend.hidden ? "; " : "",
				  legend.hidden ? "only with --all: " : "",
				  legend.hidden ? legend.hidden : "");
	xs_text_best_cases_put(terminal, result, &legend.bounds);
	if (legend.names && result->all_asked)
		xs_terminal_wrap(terminal, XS_DIM,
				 "  published: ", legend.names);
}

void xs_render_text_strategies(const struct xs_terminal *terminal,
			       struct xs_result *result)
{
	/* what was recorded of a start-up is no round */
	if (result->verdict.missing && !result->verdict.repeats &&
	    !result->totals.kernels && !result->all_asked)
		return;
	if (result->coverage.lacking)
		return;
	xs_terminal_heading(terminal, "Strategies",
			    "predicted; 90 % range: of the usual round, as-is "
			    "in other runs");
	put_table(terminal, result);
	put_legend(terminal, result);
	xs_render_text_reasons(terminal, result);
}
