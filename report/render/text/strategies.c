/* SPDX-License-Identifier: MIT */
/*
 * The table of strategies: for each phase the replay of each strategy, beside
 * the figure of a published equation. Of rows that differ only in n and order,
 * one is printed and the others follow in one line below.
 */
#include "report/render/text/parts.h"

#include "report/result/best.h"
#include "report/result/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_replay(const struct xs_result_estimate *row)
{
	return strcmp(row->model, "replay") == 0;
}

static bool is_shown(const struct xs_result *result,
		     const struct xs_result_phase *phase,
		     const struct xs_result_estimate *row)
{
	if (!is_replay(row) || !row->applies)
		return false;
	return row == xs_result_best(phase, row->strategy, false) ||
	       (row->n_streams == result->streams_asked &&
		row->n_streams != XS_UNKNOWN);
}

/* Returns the row of a published equation for the same strategy and n, or
 * NULL. */
static const struct xs_result_estimate *
published_row(const struct xs_result_phase *phase,
	      const struct xs_result_estimate *row)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *other = &phase->estimates[i];

		if (!is_replay(other) && other->applies &&
		    same(other->strategy, row->strategy) &&
		    other->n_streams == row->n_streams &&
		    (!other->order || same(other->order, row->order)))
			return other;
	}
	return NULL;
}

/* "eq5" of "vanwerkhoven2014-eq5", "expl." of "vanwerkhoven2014-explicit" */
static struct xs_units_text short_model(const char *model)
{
	const char *dash = strrchr(model, '-');
	struct xs_units_text out;

	if (dash)
		model = dash + 1;
	if (strlen(model) > 5)
		snprintf(out.s, sizeof(out.s), "%.4s.", model);
	else
		snprintf(out.s, sizeof(out.s), "%s", model);
	return out;
}

/* "11.8 ms eq5" */
static struct xs_units_text published(const struct xs_result_phase *phase,
				      const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *other = published_row(phase, row);
	struct xs_units_text out = {""};

	if (other)
		snprintf(out.s, sizeof(out.s), "%.16s %.8s",
			 xs_units_ns(other->round_ns).s,
			 short_model(other->model).s);
	return out;
}

/* Appends the model of row to names, once. */
static const char *add_model(struct xs_result *result, const char *names,
			     const struct xs_result_estimate *row)
{
	const char *name;

	if (!row)
		return names;
	name = xs_arena_print(&result->arena, "%s = %s",
			      short_model(row->model).s, row->model);
	if (!names || !name)
		return name;
	if (strstr(names, name))
		return names;
	return xs_arena_print(&result->arena, "%s, %s", names, name);
}

/* "streams n=8 depth"; the legend explains the star. */
static struct xs_units_text name(const struct xs_result_estimate *row)
{
	const char *star = row->bound ? "*" : "";
	struct xs_units_text out;

	if (row->n_streams == XS_UNKNOWN)
		snprintf(out.s, sizeof(out.s), "%.24s%s", row->strategy, star);
	else
		snprintf(out.s, sizeof(out.s), "%.10s%s n=%.5s %.7s",
			 row->strategy, star, xs_units_count(row->n_streams).s,
			 row->order ? row->order : "");
	return out;
}

static struct xs_units_text value(const struct xs_column *column,
				  const struct xs_result_estimate *row)
{
	struct xs_units_text out = {"-"};
	const char *text;

	switch (column->kind) {
	case XS_COLUMN_TEXT:
	case XS_COLUMN_BOOL:
		text = xs_column_text(column, row);
		if (text == row->strategy)
			out = name(row);
		else
			snprintf(out.s, sizeof(out.s), "%s", text ? text : "");
		break;
	case XS_COLUMN_COUNT:
		out = xs_units_count(xs_column_number(column, row));
		break;
	case XS_COLUMN_NS:
		out = xs_units_ns(xs_column_number(column, row));
		break;
	case XS_COLUMN_LOW:
		out = xs_units_range_ns(xs_column_number(column, row),
					xs_column_number(column + 1, row));
		break;
	case XS_COLUMN_RATIO:
		out = xs_units_ratio(xs_column_ratio(column, row));
		break;
	}
	return out;
}

static void put_row(struct xs_text_table *table,
		    const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row, bool first)
{
	/* green: a change that makes the run faster */
	enum xs_style style = row->saves_ns != XS_UNKNOWN &&
				      row->saves_ns > 0 && row->effort_level > 0
				  ? XS_GOOD
				  : XS_PLAIN;
	size_t cell = 0;

	xs_text_table_row(table);
	xs_text_table_cell(table, cell++, XS_BOLD,
			   first ? xs_units_count(phase->id).s : "");
	for (size_t i = 0; i < xs_estimate_column_count; i++) {
		const struct xs_column *column = &xs_estimate_columns[i];

		if (!column->title)
			continue;
		xs_text_table_cell(table, cell++,
				   column->kind == XS_COLUMN_RATIO ? style
								   : XS_PLAIN,
				   value(column, row).s);
	}
	xs_text_table_cell(table, cell, XS_DIM, published(phase, row).s);
}

/* Headings: phase, columns with a title, published figure. */
static size_t fill_headings(struct xs_text_heading *headings)
{
	size_t count = 0;

	headings[count++] = (struct xs_text_heading){"#", true};
	for (size_t i = 0; i < xs_estimate_column_count; i++)
		if (xs_estimate_columns[i].title)
			headings[count++] = (struct xs_text_heading){
			    xs_estimate_columns[i].title,
			    xs_estimate_columns[i].kind != XS_COLUMN_TEXT};
	headings[count++] = (struct xs_text_heading){"published", false};
	return count;
}

static int put_table(const struct xs_terminal *terminal,
		     struct xs_result *result, size_t phases)
{
	struct xs_text_heading headings[24];
	struct xs_text_table table;

	xs_text_table_begin(&table, terminal, 2, headings,
			    fill_headings(headings));
	for (size_t i = 0; i < phases; i++) {
		const struct xs_result_phase *phase = &result->phases[i];
		bool first = true;

		for (size_t k = 0; k < phase->estimate_count; k++) {
			if (!is_shown(result, phase, &phase->estimates[k]))
				continue;
			put_row(&table, phase, &phase->estimates[k], first);
			first = false;
		}
	}
	return xs_text_table_end(&table, NULL, 0);
}

/* Returns the streams row with the smallest n above `above`, in its faster
 * order, or NULL. */
static const struct xs_result_estimate *
next_streams(const struct xs_result_phase *phase, int64_t above)
{
	const struct xs_result_estimate *next = NULL;

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i];

		if (!is_replay(row) || !row->applies ||
		    !same(row->strategy, "streams") || row->n_streams <= above)
			continue;
		if (!next || row->n_streams < next->n_streams ||
		    (row->n_streams == next->n_streams &&
		     row->round_ns < next->round_ns))
			next = row;
	}
	return next;
}

/* "phase 1 streams by n: 2 3.10, 4 2.84, 8 2.71 ms" */
static void put_sweep(const struct xs_terminal *terminal,
		      struct xs_result *result,
		      const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const struct xs_result_estimate *row = next_streams(phase, 0);
	int64_t like_ns = row ? row->round_ns : 0;
	const char *list = NULL, *unit = "";

	for (; row; row = next_streams(phase, row->n_streams))
		list = xs_arena_print(
		    arena, "%s%s%" PRId64 " %s", list ? list : "",
		    list ? ", " : "", row->n_streams,
		    xs_units_ns_bare(row->round_ns, like_ns, &unit).s);
	if (list)
		xs_terminal_wrap(terminal, XS_DIM, "  ",
				 xs_arena_print(arena,
						"phase %" PRId64
						" streams by n: %s %s",
						phase->id, list, unit));
}

/* Abstentions that are worth a line. */
static bool abstains(const struct xs_result_estimate *row)
{
	return is_replay(row) && !row->applies && !row->quiet;
}

/* "mapped, hybrid": strategies of a phase that abstain for one reason. */
static const char *abstainers(struct xs_result *result,
			      const struct xs_result_phase *phase,
			      const char *why)
{
	const char *list = NULL;

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i];

		if (!abstains(row) || !same(row->why, why))
			continue;
		if (!list)
			list = row->strategy;
		else if (!strstr(list, row->strategy))
			list = xs_arena_print(&result->arena, "%s, %s", list,
					      row->strategy);
	}
	return list;
}

/* Prints a reason once, for all phases where the same strategies have it. */
static void put_reason(const struct xs_terminal *terminal,
		       struct xs_result *result, size_t phases, size_t first,
		       const char *why)
{
	struct xs_arena *arena = &result->arena;
	const char *list, *where = NULL;

	list = abstainers(result, &result->phases[first], why);
	for (size_t i = 0; i < phases; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		if (!same(list, abstainers(result, phase, why)))
			continue;
		if (i < first)
			return; /* already printed */
		where = where ? xs_arena_print(arena, "%s, %" PRId64, where,
					       phase->id)
			      : xs_arena_print(arena, "%" PRId64, phase->id);
	}
	xs_terminal_wrap(
	    terminal, XS_DIM, "  ",
	    xs_arena_print(arena, "phase%s %s, no %s: %s",
			   strchr(where ? where : "", ',') ? "s" : "", where,
			   list, why ? why : "no reason given"));
}

/* The abstentions, each reason once. */
static void put_abstained(const struct xs_terminal *terminal,
			  struct xs_result *result, size_t phases)
{
	for (size_t i = 0; i < phases; i++) {
		const struct xs_result_estimate *rows =
		    result->phases[i].estimates;

		for (size_t k = 0; k < result->phases[i].estimate_count; k++) {
			bool said = !abstains(&rows[k]);

			for (size_t j = 0; j < k && !said; j++)
				said = abstains(&rows[j]) &&
				       same(rows[j].why, rows[k].why);
			if (!said)
				put_reason(terminal, result, phases, i,
					   rows[k].why);
		}
	}
}

/* Appends bound to bounds, once. */
static const char *add_bound(struct xs_result *result, const char *bounds,
			     const char *bound)
{
	if (!bounds || !bound)
		return bounds ? bounds : bound;
	if (strstr(bounds, bound))
		return bounds;
	return xs_arena_print(&result->arena, "%s; %s", bounds, bound);
}

/* Explains the star and the short names of equations. */
static void put_legend(const struct xs_terminal *terminal,
		       struct xs_result *result, size_t phases)
{
	const char *names = NULL;
	const char *bounds = NULL;

	for (size_t i = 0; i < phases; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++) {
			const struct xs_result_estimate *row =
			    &result->phases[i].estimates[k];

			if (is_shown(result, &result->phases[i], row)) {
				bounds = add_bound(result, bounds, row->bound);
				names = add_model(
				    result, names,
				    published_row(&result->phases[i], row));
			}
		}
	if (bounds)
		xs_terminal_wrap(
		    terminal, XS_DIM, "  * ",
		    xs_arena_print(&result->arena,
				   "upper bound, assuming: %s (not measured)",
				   bounds));
	if (names)
		xs_terminal_wrap(terminal, XS_DIM, "  published: ", names);
}

int xs_render_text_strategies(const struct xs_terminal *terminal,
			      struct xs_result *result)
{
	const size_t phases = xs_render_text_phases(result);
	int err;

	xs_terminal_heading(
	    terminal, "Strategies",
	    "time of one round, and of the run with only this change");
	err = put_table(terminal, result, phases);
	put_legend(terminal, result, phases);
	if (!result->all_asked)
		return err;
	for (size_t i = 0; i < phases; i++)
		put_sweep(terminal, result, &result->phases[i]);
	put_abstained(terminal, result,
		      phases < XS_TEXT_REASONS ? phases : XS_TEXT_REASONS);
	if (result->machine.notes[0])
		xs_terminal_wrap(terminal, XS_DIM, "  ",
				 xs_arena_print(&result->arena, "profile: %s",
						result->machine.notes));
	return err;
}
