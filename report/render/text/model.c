/* SPDX-License-Identifier: MIT */
#include "report/render/text/text.h"

#include "report/render/text/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void put_row(struct xs_text_table *table,
		    const struct xs_result_estimate *row)
{
	xs_text_table_row(table);
	xs_text_table_cell(table, 0, XS_PLAIN, row->strategy);
	xs_text_table_cell(table, 1, XS_PLAIN,
			   xs_units_count(row->n_streams).s);
	xs_text_table_cell(table, 2, XS_BOLD, xs_units_ns(row->round_ns).s);
	xs_text_table_cell(table, 3, XS_PLAIN,
			   xs_units_range_ns(row->low_ns, row->high_ns).s);
	/* an upper bound is not a speedup */
	xs_text_table_cell(table, 4, row->speedup > 1 ? XS_GOOD : XS_PLAIN,
			   xs_units_ratio(row->bound ? NAN : row->speedup).s);
	xs_text_table_cell(table, 5, XS_PLAIN, row->model);
}

static int put_table(const struct xs_terminal *terminal,
		     const struct xs_formulas_result *model)
{
	static const struct xs_text_heading headings[] = {
	    {"strategy", false},  {"n", true},	     {"round", true},
	    {"90 % range", true}, {"speedup", true}, {"equation", false}};
	const char **notes = calloc(model->estimate_count + 1, sizeof(*notes));
	struct xs_text_table table;
	int err;

	if (!notes)
		return -ENOMEM;
	xs_text_table_begin(&table, terminal, 2, headings, 6);
	for (size_t i = 0; i < model->estimate_count; i++) {
		put_row(&table, &model->estimates[i]);
		notes[i] = model->estimates[i].why;
	}
	err = xs_text_table_end(&table, notes, 4);
	free(notes);
	return err;
}

int xs_render_text_model(const struct xs_formulas_result *model, bool color,
			 FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .color = color};
	int err;

	xs_terminal_print(&terminal, XS_BOLD, "%s", model->machine.name);
	if (model->machine.gpu[0])
		xs_terminal_print(&terminal, XS_PLAIN, " (%s)",
				  model->machine.gpu);
	if (model->h2d_bytes != XS_UNKNOWN)
		xs_terminal_print(&terminal, XS_PLAIN, ", %s in",
				  xs_units_bytes(model->h2d_bytes).s);
	if (model->d2h_bytes != XS_UNKNOWN)
		xs_terminal_print(&terminal, XS_PLAIN, ", %s out",
				  xs_units_bytes(model->d2h_bytes).s);
	xs_terminal_print(&terminal, XS_PLAIN, ", a kernel of %s\n\n",
			  xs_units_ns(model->kernel_ns).s);
	err = put_table(&terminal, model);
	xs_terminal_heading(&terminal, "What this means", NULL);
	for (size_t i = 0; i < model->answer_count; i++)
		xs_terminal_wrap(&terminal, XS_PLAIN, "  ", model->answers[i]);
	return err;
}
