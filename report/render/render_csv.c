/* SPDX-License-Identifier: MIT */
/* --format csv: one row an estimate, of a job one row a step of its plan (RFC
 * 4180, but lines end with LF). */
#include "analyzer/util/escape.h"
#include "report/render/renderer.h"
#include "report/result/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a spreadsheet would run the text as a formula. */
static bool is_formula(const char *text)
{
	char *end;

	if (!*text || !strchr("=+-@", *text))
		return false;
	strtod(text, &end);
	return *end != '\0'; /* -1.5 is a number */
}

static void put_text(const char *text, FILE *out)
{
	size_t length;

	if (!text)
		return;
	/* an apostrophe marks text */
	if (!strpbrk(text, ",\"\n")) {
		fputs(is_formula(text) ? "'" : "", out);
		xs_escape_write(text, strlen(text), "", out);
		return;
	}
	fputs(is_formula(text) ? "\"'" : "\"", out);
	for (; *text; text += length) {
		length = strcspn(text, "\"");
		xs_escape_write(text, length, "\n", out);
		if (text[length]) {
			fputs("\"\"", out);
			length++;
		}
	}
	fputc('"', out);
}

static void put_value(const struct xs_column *column,
		      const struct xs_result_estimate *estimate, FILE *out)
{
	int64_t number;
	double ratio;

	switch (column->kind) {
	case XS_COLUMN_TEXT:
		put_text(xs_column_text(column, estimate), out);
		break;
	case XS_COLUMN_COUNT:
	case XS_COLUMN_NS:
	case XS_COLUMN_LOW:
		number = xs_column_number(column, estimate);
		if (number != XS_UNKNOWN)
			fprintf(out, "%" PRId64, number);
		break;
	case XS_COLUMN_RATIO:
		ratio = xs_column_ratio(column, estimate);
		if (isfinite(ratio))
			fprintf(out, "%.4f", ratio);
		break;
	case XS_COLUMN_BOOL:
		fputs(xs_column_bool(column, estimate) ? "true" : "false", out);
		break;
	}
}

static void put_rows(const struct xs_result *result,
		     const struct xs_result_phase *phase, FILE *out)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		put_text(result->run.path, out);
		fprintf(out, ",%" PRId64 ",%" PRId64, phase->id, phase->rounds);
		for (size_t k = 0; k < xs_estimate_column_count; k++) {
			fputc(',', out);
			put_value(&xs_estimate_columns[k], &phase->estimates[i],
				  out);
		}
		fputc('\n', out);
	}
}

static int render_report(struct xs_result *const *results, size_t count,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	fputs("trace,phase,rounds", out);
	for (size_t k = 0; k < xs_estimate_column_count; k++)
		fprintf(out, ",%s", xs_estimate_columns[k].key);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; results[i] && k < results[i]->phase_count;
		     k++)
			put_rows(results[i], &results[i]->phases[k], out);
	return 0;
}

/* A number that is not the first of its row. */
static void put_number(int64_t number, FILE *out)
{
	fputc(',', out);
	if (number != XS_UNKNOWN)
		fprintf(out, "%" PRId64, number);
}

static int render_job(struct xs_job *job, bool all,
		      const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	fputs("program,strategy,places,traces,least_ns,median_ns,most_ns,"
	      "sum_ns,low_ns,high_ns,job_ns,at_least,effort,condition,at_most,"
	      "assumes,ranks,ranks_seen,missing\n",
	      out);
	XS_EACH(step, job->steps, job->step_count) {
		put_text(job->program, out);
		fputc(',', out);
		put_text(step->strategy, out);
		fputc(',', out);
		put_text(step->places, out);
		put_number(step->traces, out);
		put_number(step->saves.least, out);
		put_number(step->saves.median, out);
		put_number(step->saves.most, out);
		put_number(step->sum_ns, out);
		put_number(step->low_ns, out);
		put_number(step->high_ns, out);
		put_number(step->job_ns, out);
		fputs(step->at_least ? ",true," : ",false,", out);
		put_text(step->effort, out);
		fputc(',', out);
		put_text(step->condition, out);
		fputs(step->at_most ? ",true," : ",false,", out);
		put_text(step->assumes, out);
		put_number(job->ranks, out);
		put_number(job->seen, out);
		fputc(',', out);
		put_text(job->missing, out);
		fputc('\n', out);
	}
	return 0;
}

extern const struct xs_renderer xs_renderer_csv;
const struct xs_renderer xs_renderer_csv = {
    .lacks_dataflow = true,
    .name = "csv",
    .report = render_report,
    .job = render_job,
};
