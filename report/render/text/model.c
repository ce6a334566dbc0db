/* SPDX-License-Identifier: MIT */
#include "report/render/text/text.h"

#include "report/render/text/terminal.h"
#include "report/result/arena.h"

#include <errno.h>
#include <math.h>

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
}

/* The equation stands below its row, since names are long. */
static int put_table(const struct xs_terminal *terminal,
		     const struct xs_formulas_result *model)
{
	static const struct xs_text_heading headings[] = {{"strategy", false},
							  {"n", true},
							  {"round", true},
							  {"90 % range", true},
							  {"speedup", true}};
	struct xs_arena arena = {0};
	const char **notes =
	    xs_arena_alloc(&arena, model->estimate_count + 1, sizeof(*notes));
	struct xs_text_table table;
	int err;

	if (!notes)
		return -ENOMEM;
	xs_text_table_begin(&table, terminal, 2, headings, 5);
	for (size_t i = 0; i < model->estimate_count; i++) {
		const struct xs_result_estimate *row = &model->estimates[i];

		put_row(&table, row);
		notes[i] = row->why ? xs_arena_print(&arena, "%s: %s",
						     row->model, row->why)
				    : row->model;
	}
	err = xs_text_table_end(&table, notes, 4);
	if (arena.failed)
		err = -ENOMEM;
	xs_arena_free(&arena);
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
