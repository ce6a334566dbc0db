/* SPDX-License-Identifier: MIT */
#include "report/render/html/encode.h"
#include "report/render/html/html.h"
#include "report/render/html/meta.h"
#include "report/render/html/pack.h"
#include "report/render/json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* page/, joined by embed.cmake */
extern const unsigned char xs_html_page[];
extern const size_t xs_html_page_size;

static const struct xs_result_timeline empty;

/* What a block of data holds. */
struct block {
	const char *class;
	const struct xs_result_timeline *timeline; /* or: */
	const char *text;
	size_t size;
};

static int put_block(const struct block *block, FILE *out)
{
	struct xs_html_encoder *encoder = malloc(sizeof(*encoder));
	int err = encoder ? xs_html_encode_begin(encoder, out) : -ENOMEM;

	if (err) {
		free(encoder);
		return err;
	}
	fprintf(out, "<script type=\"text/plain\" class=\"%s\">", block->class);
	if (block->timeline)
		err = xs_html_pack(block->timeline, xs_html_encode, encoder);
	else
		err = xs_html_encode(encoder, block->text, block->size);
	err = xs_html_encode_end(encoder, err);
	free(encoder);
	fputs("</script>\n", out);
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
	struct block block = {.class = class};
	char *text = NULL;
	FILE *memory = open_memstream(&text, &block.size);
	int err;

	if (!memory)
		return -ENOMEM;
	err = write_json(data, memory);
	if (fclose(memory) != 0 && !err)
		err = -ENOMEM;
	block.text = text;
	if (!err)
		err = put_block(&block, out);
	free(text);
	return err;
}

static int put_timeline(struct xs_result *result, FILE *out)
{
	const struct xs_result_timeline *timeline =
	    result->timeline ? result->timeline : &empty;
	json_t *meta = xs_html_meta(result, timeline);
	char *text = meta ? json_dumps(meta, JSON_COMPACT) : NULL;
	int err = -ENOMEM;

	json_decref(meta);
	if (text)
		err = put_block(&(struct block){.class = "texts",
						.text = text,
						.size = strlen(text)},
				out);
	free(text);
	if (!err)
		err = put_block(
		    &(struct block){.class = "slices", .timeline = timeline},
		    out);
	return err;
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
