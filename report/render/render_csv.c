/* SPDX-License-Identifier: MIT */
/* --format csv: one row an estimate, of a job one row a step of its plan (RFC
 * 4180, but lines end with LF). */
#include "analyzer/util/escape.h"
#include "report/render/json/parts.h"
#include "report/render/renderer.h"

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

static void put_value(const char *row, const struct xs_json_field *column,
		      FILE *out)
{
	const void *at = row + column->offset;

	if (column->kind == XS_JSON_TEXT)
		put_text(*(const char *const *)at, out);
	else if (column->kind == XS_JSON_FLAG)
		fputs(*(const bool *)at ? "true" : "false", out);
	else if (column->kind == XS_JSON_NUMBER &&
		 *(const int64_t *)at != XS_UNKNOWN)
		fprintf(out, "%" PRId64, *(const int64_t *)at);
	else if (column->kind == XS_JSON_RATIO && isfinite(*(const double *)at))
		fprintf(out, "%.4f", *(const double *)at);
}

/* Of a table of JSON, up to what is more than one value. */
#define EACH_COLUMN(column, table)                                             \
	for (const struct xs_json_field *column = (table);                     \
	     column->kind != XS_JSON_END && column->kind != XS_JSON_TEXTS;     \
	     column++)

static void put_names(const struct xs_json_field *table, FILE *out)
{
	EACH_COLUMN(column, table)
	fprintf(out, ",%s", column->key);
}

static void put_values(const void *row, const struct xs_json_field *table,
		       FILE *out)
{
	EACH_COLUMN(column, table)
	{
		fputc(',', out);
		put_value(row, column, out);
	}
}

static void put_rows(const struct xs_result *result,
		     const struct xs_result_phase *phase, FILE *out)
{
	XS_EACH(row, phase->estimates, phase->estimate_count) {
		put_text(result->run.path, out);
		fprintf(out, ",%" PRId64 ",%" PRId64, phase->id, phase->rounds);
		put_values(row, xs_json_estimate, out);
		fputc('\n', out);
	}
}

static int render_report(struct xs_result *const *results, size_t count,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	fputs("trace,phase,rounds", out);
	put_names(xs_json_estimate, out);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; results[i] && k < results[i]->phase_count;
		     k++)
			put_rows(results[i], &results[i]->phases[k], out);
	return 0;
}

#define IN struct xs_job_step
static const struct xs_json_field step_columns[] = {
    FIELDS(strategy, places, traces),
    NAMED("least_ns", saves.least),
    NAMED("median_ns", saves.median),
    NAMED("most_ns", saves.most),
    FIELDS(sum_ns, low_ns, high_ns, job_ns, at_least, effort, condition),
    FIELDS(at_most, assumes),
    {0}};

#undef IN
#define IN struct xs_job
static const struct xs_json_field job_columns[] = {
    FIELD(ranks), NAMED("ranks_seen", seen), FIELD(missing), {0}};

static int render_job(struct xs_job *job, bool all,
		      const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	fputs("program", out);
	put_names(step_columns, out);
	put_names(job_columns, out);
	fputc('\n', out);
	XS_EACH(step, job->steps, job->step_count) {
		put_text(job->program, out);
		put_values(step, step_columns, out);
		put_values(job, job_columns, out);
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
