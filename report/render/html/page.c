/* SPDX-License-Identifier: MIT */
#include "report/render/html/html.h"
#include "report/render/html/meta.h"
#include "report/render/html/pack.h"
#include "report/render/json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* page/, joined by embed.cmake */
extern const unsigned char xs_html_page[];
extern const size_t xs_html_page_size;

static const struct xs_result_timeline empty;

static void put_base64(const unsigned char *bytes, size_t count, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i += 3) {
		const size_t left = count - i;
		const unsigned group =
		    (unsigned)bytes[i] << 16 |
		    (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
		    (left > 2 ? bytes[i + 2] : 0);

		putc(digits[group >> 18], out);
		putc(digits[group >> 12 & 63], out);
		putc(left > 1 ? digits[group >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[group & 63] : '=', out);
	}
}

/* Writes a block of data in the format of zlib (RFC 1950), and base64. */
static int put_block(const char *class, const char *data, size_t size,
		     FILE *out)
{
	uLongf count = compressBound(size);
	unsigned char *packed = malloc(count);
	int err = -ENOMEM;

	if (packed &&
	    compress(packed, &count, (const Bytef *)data, size) == Z_OK) {
		fprintf(out, "<script type=\"text/plain\" class=\"%s\">",
			class);
		put_base64(packed, count, out);
		fputs("</script>\n", out);
		err = 0;
	}
	free(packed);
	return err;
}

/* What the JSON renderers get. */
struct json_data {
	struct xs_result *const *results;
	size_t count;
	struct xs_diff *diff; /* NULL: the report of the results */
	double gate_percent;
	struct xs_job *job;	      /* or NULL */
	struct xs_job_diff *job_diff; /* or NULL */
};

static int write_json(const struct json_data *data, FILE *out)
{
	if (data->job)
		return xs_render_json_job(data->job, true, NULL, out);
	if (data->job_diff)
		return xs_render_json_job_diff(data->job_diff, NULL, out);
	return data->diff ? xs_render_json_diff(data->diff, data->gate_percent,
						NULL, out)
			  : xs_render_json_report(data->results, data->count,
						  NULL, out);
}

static int put_json(const char *class, const struct json_data *data, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	int err;

	if (!memory)
		return -ENOMEM;
	err = write_json(data, memory);
	if (fclose(memory) != 0 && !err)
		err = -ENOMEM;
	if (!err)
		err = put_block(class, text, size, out);
	free(text);
	return err;
}

static int put_slices(const struct xs_result_timeline *timeline, FILE *out)
{
	char *data = NULL;
	size_t size;
	FILE *memory = open_memstream(&data, &size);
	int err = -ENOMEM;

	if (memory)
		xs_html_pack(timeline, memory);
	if (memory && fclose(memory) == 0)
		err = put_block("slices", data, size, out);
	free(data);
	return err;
}

static int put_timeline(struct xs_result *result, FILE *out)
{
	const struct xs_result_timeline *timeline =
	    result->timeline ? result->timeline : &empty;
	json_t *meta = xs_html_meta(result, timeline);
	char *text = json_dumps(meta, JSON_COMPACT);
	const int err = put_block("texts", text, strlen(text), out);

	json_decref(meta);
	free(text);
	return err ? err : put_slices(timeline, out);
}

static int put_traces(struct xs_result *const *results, size_t count, FILE *out)
{
	const struct json_data reports = {.results = results, .count = count};
	int err = put_json("report", &reports, out);

	for (size_t i = 0; i < count && !err; i++)
		if (results[i])
			err = put_timeline(results[i], out);
	return !err && ferror(out) ? -EIO : err;
}

int xs_render_html_report(struct xs_result *const *results, size_t count,
			  const struct xs_display *display, FILE *out)
{
	(void)display;
	fwrite(xs_html_page, 1, xs_html_page_size, out);
	return put_traces(results, count, out);
}

int xs_render_html_diff(struct xs_diff *diff, double gate_percent,
			const struct xs_display *display, FILE *out)
{
	const struct json_data data = {.diff = diff,
				       .gate_percent = gate_percent};
	struct xs_result *const both[] = {diff->before, diff->after};
	int err;

	(void)display;
	fwrite(xs_html_page, 1, xs_html_page_size, out);
	err = put_json("diff", &data, out);
	return err ? err : put_traces(both, 2, out);
}

static int put_jobs(const struct json_data *data, FILE *out)
{
	int err;

	fwrite(xs_html_page, 1, xs_html_page_size, out);
	err = put_json("job", data, out);
	return !err && ferror(out) ? -EIO : err;
}

int xs_render_html_job(struct xs_job *job, bool all,
		       const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	return put_jobs(&(struct json_data){.job = job}, out);
}

int xs_render_html_job_diff(struct xs_job_diff *diff,
			    const struct xs_display *display, FILE *out)
{
	(void)display;
	return put_jobs(&(struct json_data){.job_diff = diff}, out);
}
