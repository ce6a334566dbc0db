/* SPDX-License-Identifier: MIT */
#include "report/render_model.h"

#include "report/render.h"
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int xs_render_model_json(const struct xs_model_result *model, FILE *out)
{
	json_t *rows = json_array(), *root;

	for (size_t i = 0; i < model->estimate_count; i++)
		if (json_array_append_new(
			rows, xs_json_estimate(&model->estimates[i])) < 0) {
			json_decref(rows);
			return -ENOMEM;
		}
	root = json_pack("{s:i, s:o, s:o}", "schema", 1, "machine",
			 xs_json_machine(&model->machine), "estimates", rows);
	return xs_json_write(root, out);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * What dominates, and the most that overlap can gain: with two copy engines
 * the longest of the three remains, with one both directions share it (van
 * Werkhoven 2014, section III-A).
 */
static void put_bound(const struct xs_pen *pen,
		      const struct xs_model_result *model)
{
	int64_t in = model->h2d_ns, out = model->d2h_ns;
	int64_t kernel = model->kernel_ns, total, longest;
	bool one = model->machine.copy_engines == 1;

	if (in == XS_UNKNOWN || out == XS_UNKNOWN) {
		fputs("The profile has no bandwidth: give --h2d-ms and "
		      "--d2h-ms.\n",
		      pen->out);
		return;
	}
	total = in + kernel + out;
	longest = larger(one ? in + out : larger(in, out), kernel);
	fprintf(pen->out, "Of %s, copies in take %s, the kernel %s, ",
		xs_units_ns(total).s, xs_units_ns(in).s, xs_units_ns(kernel).s);
	fprintf(pen->out, "copies out %s.\n", xs_units_ns(out).s);
	xs_pen_print(pen, XS_BOLD, "%s",
		     longest == kernel	? "The kernel dominates"
		     : one || in == out ? "The copies dominate"
		     : in > out		? "The copies in dominate"
					: "The copies out dominate");
	fprintf(pen->out, "; overlap gains at most %s (%s), with %s.\n",
		xs_units_ns(total - longest).s,
		xs_units_percent(total - longest, total).s,
		one			      ? "one copy engine"
		: model->machine.copy_engines ? "a copy engine each way"
					      : "a copy engine each way "
						"(their number is not known)");
}

static void put_row(struct xs_table *table,
		    const struct xs_result_estimate *row)
{
	xs_table_row(table);
	xs_table_cell(table, 0, XS_PLAIN, row->strategy);
	xs_table_cell(table, 1, XS_PLAIN, xs_units_count(row->n_streams).s);
	xs_table_cell(table, 2, XS_BOLD, xs_units_ns(row->round_ns).s);
	xs_table_cell(table, 3, XS_PLAIN,
		      xs_units_range_ns(row->low_ns, row->high_ns).s);
	xs_table_cell(table, 4, row->speedup > 1 ? XS_GOOD : XS_PLAIN,
		      xs_units_ratio(row->speedup).s);
	xs_table_cell(table, 5, XS_PLAIN, row->model);
}

int xs_render_model_text(const struct xs_model_result *model, bool color,
			 FILE *out)
{
	static const struct xs_heading headings[] = {
	    {"strategy", false},   {"n", true},	      {"round", true},
	    {"90 % within", true}, {"speedup", true}, {"equation", false}};
	const struct xs_pen pen = {.out = out, .color = color};
	const char *notes[16] = {NULL};
	struct xs_table table;

	xs_pen_print(&pen, XS_BOLD, "%s", model->machine.name);
	if (model->machine.gpu[0])
		fprintf(out, " (%s)", model->machine.gpu);
	if (model->h2d_bytes != XS_UNKNOWN)
		fprintf(out, ", %s in", xs_units_bytes(model->h2d_bytes).s);
	if (model->d2h_bytes != XS_UNKNOWN)
		fprintf(out, ", %s out", xs_units_bytes(model->d2h_bytes).s);
	fprintf(out, ", a kernel of %s\n", xs_units_ns(model->kernel_ns).s);
	put_bound(&pen, model);
	fputc('\n', out);
	xs_table_begin(&table, &pen, 2, headings, 6);
	for (size_t i = 0; i < model->estimate_count; i++) {
		put_row(&table, &model->estimates[i]);
		if (i < sizeof(notes) / sizeof(notes[0]))
			notes[i] = model->estimates[i].why;
	}
	return xs_table_end(&table, notes, 4);
}
