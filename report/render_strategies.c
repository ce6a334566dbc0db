/* SPDX-License-Identifier: MIT */
/*
 * The table of strategies: for each phase the replay of each strategy, with
 * what a published equation gives for the same beside it. Of the rows that
 * differ in n and order alone the best is shown, and all on one line below.
 */
#include "report/render_text.h"

#include "report/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_replay(const struct xs_result_estimate *row)
{
	return strcmp(row->model, "replay") == 0;
}

/* Nothing else of its strategy is faster; of equals the first. */
static bool is_best(const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *other = &phase->estimates[i];

		if (!is_replay(other) || !other->applies ||
		    !same(other->strategy, row->strategy))
			continue;
		if (other->round_ns < row->round_ns ||
		    (other->round_ns == row->round_ns && other < row))
			return false;
	}
	return true;
}

static bool is_shown(const struct xs_result *result,
		     const struct xs_result_phase *phase,
		     const struct xs_result_estimate *row)
{
	if (!is_replay(row) || !row->applies)
		return false;
	return is_best(phase, row) ||
	       (row->n_streams == result->streams_asked &&
		row->n_streams != XS_UNKNOWN);
}

/* The row of a published equation for the same strategy and n, or NULL. */
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

/* "eq5" of "vanwerkhoven2014-eq5" */
static const char *short_model(const char *model)
{
	const char *dash = strrchr(model, '-');

	return dash ? dash + 1 : model;
}

/* "11.8 ms eq5" */
static struct xs_words published(const struct xs_result_phase *phase,
				 const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *other = published_row(phase, row);
	struct xs_words out = {""};

	if (other)
		snprintf(out.s, sizeof(out.s), "%.16s %.14s",
			 xs_units_ns(other->round_ns).s,
			 short_model(other->model));
	return out;
}

/* names with the model of row, unless it is there already. */
static const char *add_model(struct xs_result *result, const char *names,
			     const struct xs_result_estimate *row)
{
	const char *name;

	if (!row)
		return names;
	name = xs_arena_print(&result->arena, "%s = %s",
			      short_model(row->model), row->model);
	if (!names || !name)
		return name;
	if (strstr(names, name))
		return names;
	return xs_arena_print(&result->arena, "%s, %s", names, name);
}

static struct xs_words value(const struct xs_column *column,
			     const struct xs_result_estimate *row)
{
	struct xs_words out = {"-"};
	const char *text;

	switch (column->kind) {
	case XS_COLUMN_TEXT:
	case XS_COLUMN_BOOL:
		text = xs_column_text(column, row);
		/* what a star is, stands under the table */
		snprintf(out.s, sizeof(out.s), "%s%s", text ? text : "",
			 row->assumes_once && text == row->strategy ? "*" : "");
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
		if (isfinite(xs_column_ratio(column, row)))
			snprintf(out.s, sizeof(out.s), "%.2fx",
				 xs_column_ratio(column, row));
		break;
	}
	return out;
}

static void put_row(struct xs_table *table, const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row, bool first)
{
	/* green is for what makes the run faster */
	enum xs_tint tint = row->saves_ns != XS_UNKNOWN && row->saves_ns > 0 &&
				    !same(row->strategy, "as-is")
				? XS_GOOD
				: XS_PLAIN;
	size_t cell = 0;

	xs_table_row(table);
	xs_table_cell(table, cell++, XS_BOLD,
		      first ? xs_units_count(phase->id).s : "");
	for (size_t i = 0; i < xs_estimate_column_count; i++) {
		const struct xs_column *column = &xs_estimate_columns[i];

		if (!column->title)
			continue;
		xs_table_cell(table, cell++,
			      column->kind == XS_COLUMN_RATIO ? tint : XS_PLAIN,
			      value(column, row).s);
	}
	xs_table_cell(table, cell, XS_DIM, published(phase, row).s);
}

/* Headings: the phase, the columns that text has, the published figure. */
static size_t fill_headings(struct xs_heading *headings)
{
	size_t count = 0;

	headings[count++] = (struct xs_heading){"#", true};
	for (size_t i = 0; i < xs_estimate_column_count; i++)
		if (xs_estimate_columns[i].title)
			headings[count++] = (struct xs_heading){
			    xs_estimate_columns[i].title,
			    xs_estimate_columns[i].kind != XS_COLUMN_TEXT};
	headings[count++] = (struct xs_heading){"published", false};
	return count;
}

static int put_table(const struct xs_pen *pen, struct xs_result *result,
		     size_t phases)
{
	struct xs_heading headings[24];
	struct xs_table table;

	xs_table_begin(&table, pen, 2, headings, fill_headings(headings));
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
	return xs_table_end(&table, NULL, 0);
}

/* The better of both orders for the n of a row; of equals the first. */
static bool is_best_of_n(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *other = &phase->estimates[i];

		if (is_replay(other) && other->applies &&
		    same(other->strategy, row->strategy) &&
		    other->n_streams == row->n_streams &&
		    (other->round_ns < row->round_ns ||
		     (other->round_ns == row->round_ns && other < row)))
			return false;
	}
	return true;
}

/* "streams by n: 2 3.10 ms, 4 2.84 ms, ..." */
static void put_sweep(const struct xs_pen *pen, struct xs_result *result,
		      const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;
	size_t count = 0;

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i];

		if (!is_replay(row) || !row->applies ||
		    !same(row->strategy, "streams") ||
		    !is_best_of_n(phase, row))
			continue;
		list = xs_arena_print(arena, "%s%s%" PRId64 ": %s",
				      list ? list : "", list ? ", " : "",
				      row->n_streams,
				      xs_units_ns(row->round_ns).s);
		count++;
	}
	if (count > 1)
		xs_pen_wrap(
		    pen, XS_DIM,
		    xs_arena_print(arena, "  phase %" PRId64 ", streams by n  ",
				   phase->id),
		    list);
}

static bool abstains(const struct xs_result_estimate *row)
{
	return is_replay(row) && !row->applies;
}

/* "no mapped (1), hybrid (1)", the phases in brackets: all rows that abstain
 * for the reason of this one; NULL where an earlier one has told them. */
static const char *alike(struct xs_result *result, size_t phases,
			 const struct xs_result_estimate *first)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL, *last = NULL;

	for (size_t i = 0; i < phases; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++) {
			const struct xs_result_estimate *row =
			    &result->phases[i].estimates[k];

			if (!abstains(row) || !same(row->why, first->why))
				continue;
			if (!list && row != first)
				return NULL;
			if (!list || !same(last, row->strategy))
				list = xs_arena_print(
				    arena, "%s%s%s (%" PRId64 ")",
				    list ? list : "", list ? ", " : "no ",
				    row->strategy, result->phases[i].id);
			last = row->strategy;
		}
	return list;
}

/* What abstained, and why; a reason is said once. */
static void put_abstained(const struct xs_pen *pen, struct xs_result *result,
			  size_t phases)
{
	for (size_t i = 0; i < phases; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++) {
			const struct xs_result_estimate *row =
			    &result->phases[i].estimates[k];
			const char *list =
			    abstains(row) ? alike(result, phases, row) : NULL;

			if (list)
				xs_pen_wrap(
				    pen, XS_DIM, "  ",
				    xs_arena_print(
					&result->arena, "%s: %s", list,
					row->why ? row->why : "not said why"));
		}
}

/* What the star and the names of equations stand for, where they do. */
static void put_legend(const struct xs_pen *pen, struct xs_result *result,
		       size_t phases)
{
	const char *names = NULL;
	bool star = false;

	for (size_t i = 0; i < phases; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++) {
			const struct xs_result_estimate *row =
			    &result->phases[i].estimates[k];

			if (is_shown(result, &result->phases[i], row)) {
				star |= row->assumes_once;
				names = add_model(
				    result, names,
				    published_row(&result->phases[i], row));
			}
		}
	if (star)
		xs_pen_wrap(pen, XS_DIM, "  * ",
			    "at best: each byte crosses the bus once, which "
			    "was not measured");
	if (names)
		xs_pen_wrap(pen, XS_DIM, "  published: ", names);
}

int xs_render_strategies(const struct xs_pen *pen, struct xs_result *result)
{
	size_t phases = result->phase_count < XS_TEXT_PHASES
			    ? result->phase_count
			    : XS_TEXT_PHASES;
	int err;

	xs_pen_heading(pen, "Strategies",
		       "one round, and the whole run if only this changes");
	err = put_table(pen, result, phases);
	put_legend(pen, result, phases);
	for (size_t i = 0; i < phases; i++)
		put_sweep(pen, result, &result->phases[i]);
	put_abstained(pen, result, phases);
	return err;
}
