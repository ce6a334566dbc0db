/* SPDX-License-Identifier: MIT */
#include "report/render/text/text.h"

#include "report/render/text/terminal.h"
#include "report/result/arena.h"
#include "report/result/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "eq5-mean-G" of "vanwerkhoven2014-eq5-mean-G" */
static const char *equation(const char *model)
{
	const char *dash = strchr(model, '-');

	return dash ? dash + 1 : model;
}

static void put_row(struct xs_text_table *table,
		    const struct xs_result_estimate *row)
{
	XS_TEXT_ROW(table, row->strategy, xs_units_count(row->n_streams).s,
		    equation(row->model), xs_units_ns(row->round_ns).s,
		    xs_units_range_ns(row->low_ns, row->high_ns).s);
	/* a least time is not a speedup */
	xs_text_cell(table, row->speedup > 1 ? XS_GOOD : XS_PLAIN,
		     xs_units_ratio(row->bound ? NAN : row->speedup).s);
}

/* The paper and the whole name stand below the row, since names are long. */
static void put_table(const struct xs_terminal *terminal,
		      const struct xs_formulas_result *model)
{
	static const struct xs_text_heading headings[] = {
	    {"strategy", XS_PLAIN},   {"n", XS_RIGHT},
	    {"equation", XS_PLAIN},   {"round", XS_RIGHT | XS_BOLD},
	    {"90 % range", XS_RIGHT}, {"speedup", XS_RIGHT}};
	struct xs_arena arena = {0};
	const char **notes =
	    xs_arena_alloc(&arena, model->estimate_count + 1, sizeof(*notes));
	struct xs_text_table table;

	xs_text_table_begin(&table, terminal, headings, 6);
	for (size_t i = 0; i < model->estimate_count; i++) {
		const struct xs_result_estimate *row = &model->estimates[i];

		put_row(&table, row);
		notes[i] =
		    row->why ? xs_print(&arena, "%s: %s", row->model, row->why)
			     : row->model;
	}
	xs_text_table_end(&table, notes, 4);
	xs_arena_free(&arena);
}

/* "sigma 2.15 us + o_h 1.10 us + ...", or what the profile lacks. Caller frees
 * the text. */
static char *terms_text(const struct xs_control_estimate *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		xs_no_memory();
	if (row->unknown)
		fprintf(out, "unknown: the profile lacks %s", row->unknown);
	if (row->unknown && xs_param_what(row->unknown))
		fprintf(out, " (%s)", xs_param_what(row->unknown));
	for (size_t i = 0; i < row->term_count; i++)
		fprintf(out, "%s%s %s (%s)", i ? " + " : "", row->terms[i].name,
			xs_units_ns(xs_number_round(row->terms[i].ns)).s,
			row->terms[i].what);
	if (fclose(out))
		xs_no_memory();
	return text;
}

/* "16", or "-" of the host, which needs none. */
static struct xs_units_text blocks_text(const struct xs_control_estimate *row,
					double blocks)
{
	return xs_units_count(row->control == XS_CONTROL_HOST || isnan(blocks)
				  ? XS_UNKNOWN
				  : (int64_t)blocks);
}

static void put_control_row(struct xs_text_table *table, bool peer,
			    const struct xs_control_estimate *row)
{
	static const char *const ways[][2] = {{"in", "out"}, {"get", "put"}};

	XS_TEXT_ROW(table, row->name, ways[peer][row->to_host],
		    row->polled ? row->polled : "-",
		    blocks_text(row, row->blocks).s,
		    xs_units_ns(xs_number_round(row->ns)).s,
		    xs_units_range_ns(xs_number_round(row->low_ns),
				      xs_number_round(row->high_ns))
			.s,
		    blocks_text(row, row->rate_blocks).s,
		    xs_units_per_s(row->rate).s, equation(row->model));
}

static void put_control(const struct xs_terminal *terminal,
			const struct xs_formulas_result *model)
{
	static const struct xs_text_heading headings[] = {
	    {"started by", XS_PLAIN},
	    {"way", XS_PLAIN},
	    {"polls", XS_PLAIN},
	    {"blocks", XS_RIGHT},
	    {"one message", XS_RIGHT | XS_BOLD},
	    {"range", XS_RIGHT},
	    {"blocks", XS_RIGHT},
	    {"many", XS_RIGHT},
	    {"equation", XS_PLAIN}};
	char *notes[2 * XS_CONTROL_ROWS] = {NULL};
	struct xs_text_table table;

	xs_terminal_heading(terminal, "Who starts the transfer",
			    "ranges are of the parameters; all blocks move one "
			    "message, or each sends its own (many)");
	xs_text_table_begin(&table, terminal, headings, 9);
	for (size_t i = 0; i < model->control_count; i++) {
		put_control_row(&table, model->peer, &model->control[i]);
		notes[i] = terms_text(&model->control[i]);
	}
	xs_text_table_end(&table, (const char *const *)notes, 4);
	for (size_t i = 0; i < model->control_count; i++)
		free(notes[i]);
}

static void put_answers(const struct xs_terminal *terminal,
			const struct xs_formulas_result *model)
{
	for (size_t i = 0; i < model->answer_count; i++)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", model->answers[i]);
}

static void put_question(const struct xs_terminal *terminal,
			 const struct xs_formulas_result *model)
{
	xs_terminal_print(terminal, XS_BOLD, "%s", model->machine.name);
	if (model->machine.gpu[0])
		xs_terminal_print(terminal, XS_PLAIN, " (%s)",
				  model->machine.gpu);
	if (model->h2d_bytes != XS_UNKNOWN)
		xs_terminal_print(terminal, XS_PLAIN, ", %s in",
				  xs_units_bytes(model->h2d_bytes).s);
	if (model->d2h_bytes != XS_UNKNOWN)
		xs_terminal_print(terminal, XS_PLAIN, ", %s out",
				  xs_units_bytes(model->d2h_bytes).s);
	if (model->kernel_ns != XS_UNKNOWN)
		xs_terminal_print(terminal, XS_PLAIN, ", a kernel of %s",
				  xs_units_ns(model->kernel_ns).s);
	xs_terminal_print(terminal, XS_PLAIN, "\n\n");
}

int xs_render_text_model(const struct xs_formulas_result *model,
			 const struct xs_display *display, FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .display = *display};

	put_question(&terminal, model);
	if (model->control_count) {
		put_answers(&terminal, model);
		put_control(&terminal, model);
		return 0;
	}
	put_table(&terminal, model);
	xs_terminal_heading(&terminal, "What this means", NULL);
	put_answers(&terminal, model);
	return 0;
}
