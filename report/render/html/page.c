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
static void put_block(const char *class, const char *data, size_t size,
		      FILE *out)
{
	uLongf count = compressBound(size);
	unsigned char *packed = malloc(count);

	if (!packed ||
	    compress(packed, &count, (const Bytef *)data, size) != Z_OK)
		xs_no_memory();
	fprintf(out, "<script type=\"text/plain\" class=\"%s\">", class);
	put_base64(packed, count, out);
	fputs("</script>\n", out);
	free(packed);
}

/* A block while its data is written. */
struct block {
	char *data;
	size_t size;
	FILE *in;
};

static void begin_block(struct block *block)
{
	block->in = open_memstream(&block->data, &block->size);
	if (!block->in)
		xs_no_memory();
}

static void end_block(struct block *block, const char *class, FILE *out)
{
	if (fclose(block->in) != 0)
		xs_no_memory();
	put_block(class, block->data, block->size, out);
	free(block->data);
}

static void put_timeline(struct xs_result *result, FILE *out)
{
	const struct xs_result_timeline *timeline =
	    result->timeline ? result->timeline : &empty;
	json_t *meta = xs_html_meta(result, timeline);
	char *text = json_dumps(meta, JSON_COMPACT);
	struct block slices;

	put_block("texts", text, strlen(text), out);
	json_decref(meta);
	free(text);
	begin_block(&slices);
	xs_html_pack(timeline, slices.in);
	end_block(&slices, "slices", out);
}

static int put_traces(struct xs_result *const *results, size_t count, FILE *out)
{
	struct block report;

	begin_block(&report);
	xs_render_json_report(results, count, NULL, report.in);
	end_block(&report, "report", out);
	for (size_t i = 0; i < count; i++)
		if (results[i])
			put_timeline(results[i], out);
	return ferror(out) ? -EIO : 0;
}

static void put_page(FILE *out)
{
	fwrite(xs_html_page, 1, xs_html_page_size, out);
}

int xs_render_html_report(struct xs_result *const *results, size_t count,
			  const struct xs_display *display, FILE *out)
{
	(void)display;
	put_page(out);
	return put_traces(results, count, out);
}

int xs_render_html_diff(struct xs_diff *diff, double gate_percent,
			const struct xs_display *display, FILE *out)
{
	struct xs_result *const both[] = {diff->before, diff->after};
	struct block block;

	put_page(out);
	begin_block(&block);
	xs_render_json_diff(diff, gate_percent, display, block.in);
	end_block(&block, "diff", out);
	return put_traces(both, 2, out);
}

int xs_render_html_job(struct xs_job *job, bool all,
		       const struct xs_display *display, FILE *out)
{
	struct block block;

	put_page(out);
	begin_block(&block);
	xs_render_json_job(job, all, display, block.in);
	end_block(&block, "job", out);
	return ferror(out) ? -EIO : 0;
}

int xs_render_html_job_diff(struct xs_job_diff *diff,
			    const struct xs_display *display, FILE *out)
{
	struct block block;

	put_page(out);
	begin_block(&block);
	xs_render_json_job_diff(diff, display, block.in);
	end_block(&block, "job", out);
	return ferror(out) ? -EIO : 0;
}
