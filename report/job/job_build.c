/* SPDX-License-Identifier: MIT */
#include "report/job/job.h"

#include "report/job/digest.h"
#include "report/job/job_parts.h"
#include "report/job/sketch.h"

#include <stdlib.h>
#include <string.h>

#define BARS_MAX 24

void *xs_job_items(struct xs_job *job, const json_t *program,
		   const struct xs_job_table *table, size_t *count)
{
	const json_t *rows = xs_digest_get(program, "table", table->name);
	char *items = xs_arena_alloc(&job->arena, json_object_size(rows) + 1,
				     table->size);
	const char *key;
	json_t *row;

	json_object_foreach((json_t *)rows, key, row) {
		table->fill(job, program, key, row,
			    items + *count * table->size);
		++*count;
	}
	qsort(items, *count, table->size, table->order);
	return items;
}

const char *xs_job_text(struct xs_arena *arena, const json_t *object,
			const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? xs_print(arena, "%s", text) : "";
}

int64_t xs_job_traces(const json_t *group)
{
	const int64_t traces = xs_digest_get_number(group, "add", "traces");

	return traces > 0 ? traces : 0;
}

const char *xs_job_line(struct xs_arena *arena, const json_t *object,
			const char *key)
{
	const char *text = xs_job_text(arena, object, key);
	char *line = xs_arena_alloc(arena, strlen(text) + 1, 1);

	for (size_t i = 0; text[i]; i++)
		line[i] = text[i] == '\n' ? ' ' : text[i];
	return line;
}

int64_t xs_job_mean(int64_t sum, int64_t traces)
{
	return traces > 0 && sum != XS_UNKNOWN ? sum / traces : XS_UNKNOWN;
}

struct xs_job_spread xs_job_spread(const json_t *group, const char *name)
{
	struct xs_job_spread out = {
	    .least = xs_digest_get_number(group, "least", name),
	    .most = xs_digest_get_number(group, "most", name)};

	out.median = xs_sketch_median(group, name);
	/* by its error it may be outside */
	if (out.median != XS_UNKNOWN && out.median < out.least)
		out.median = out.least;
	if (out.most != XS_UNKNOWN && out.median > out.most)
		out.median = out.most;
	return out;
}

const char *xs_job_of(const json_t *program, const char *what)
{
	const char *text =
	    json_string_value(xs_digest_get(program, "text", what));

	return text ? text : "";
}

/* When the last process began; 0: unknown. */
static int64_t start_us(const json_t *program)
{
	const int64_t us = xs_digest_get_number(program, "most", "start_us");

	return us > 0 ? us : 0;
}

/* Below 0: program a comes before b. Those of the most traces come first, of
 * equal ones the first by name, then whole runs, then the job that began last.
 */
static int64_t order_of(const json_t *a, const char *a_key, const json_t *b,
			const char *b_key)
{
	int64_t order = xs_job_traces(b) - xs_job_traces(a);

	if (!order)
		order = strcmp(xs_job_of(a, "name"), xs_job_of(b, "name"));
	if (!order)
		order =
		    !*xs_job_of(b, "incomplete") - !*xs_job_of(a, "incomplete");
	if (!order)
		order = start_us(b) - start_us(a);
	return order ? order : strcmp(a_key, b_key);
}

static const json_t *main_program(const json_t *digest)
{
	const json_t *programs = xs_digest_get(digest, "table", "programs");
	const json_t *first = NULL;
	const char *key, *first_key = NULL;
	json_t *program;

	json_object_foreach((json_t *)programs, key, program) {
		if (first && order_of(first, first_key, program, key) < 0)
			continue;
		first = program;
		first_key = key;
	}
	return first;
}

static int longest_part(const void *left, const void *right)
{
	const struct xs_job_part *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(a->what, b->what);
}

static void fill_part(struct xs_job *job, const json_t *program,
		      const char *what, const json_t *row, void *item)
{
	(void)program;
	*(struct xs_job_part *)item = (struct xs_job_part){
	    .what = xs_arena_copy(&job->arena, what),
	    .words =
		xs_job_line(&job->arena, json_object_get(row, "text"), "words"),
	    .ns = xs_digest_get_number(row, "add", "ns"),
	    .traces = xs_job_traces(row),
	    .median_ns = xs_job_spread(row, "ns").median};
}

static int longest_phase(const void *left, const void *right)
{
	const struct xs_job_phase *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return strcmp(a->places, b->places);
}

static void fill_phase(struct xs_job *job, const json_t *program,
		       const char *key, const json_t *row, void *item)
{
	const json_t *text = json_object_get(row, "text");

	(void)program, (void)key;
	*(struct xs_job_phase *)item = (struct xs_job_phase){
	    .kernel = xs_job_line(&job->arena, text, "kernel"),
	    .places = xs_job_line(&job->arena, text, "places"),
	    .traces = xs_job_traces(row),
	    .rounds = xs_digest_get_number(row, "add", "rounds"),
	    .total_ns = xs_digest_get_number(row, "add", "total_ns"),
	    .round = xs_job_spread(row, "round_ns")};
}

static const struct xs_job_table parts = {"parts", sizeof(struct xs_job_part),
					  fill_part, longest_part};
static const struct xs_job_table phases = {
    "phases", sizeof(struct xs_job_phase), fill_phase, longest_phase};

static void fill_bars(struct xs_job *job, const json_t *program)
{
	XS_ARENA_NEW(&job->arena, job->bars, BARS_MAX);
	job->bar_count =
	    xs_sketch_bars(program, "wall_ns", job->bars, BARS_MAX);
}

static void fill_times(struct xs_job *job, const json_t *program)
{
	job->traces = xs_job_traces(program);
	job->wall = xs_job_spread(program, "wall_ns");
	job->recorded_ns = xs_digest_get_number(program, "add", "recorded_ns");
	job->outside_ns = xs_digest_get_number(program, "add", "outside_ns");
	job->after_ns = xs_digest_get_number(program, "most", "after_ns");
	job->low_ns = xs_digest_get_number(program, "most", "after_low_ns");
	job->high_ns = xs_digest_get_number(program, "most", "after_high_ns");
	job->saves_most_ns = xs_digest_get_number(program, "most", "saves_ns");
	job->at_most_saves_ns =
	    xs_digest_get_number(program, "most", "at_most_saves_ns");
	job->saves_ns = job->wall.most == XS_UNKNOWN ||
				job->after_ns == XS_UNKNOWN ||
				job->after_ns > job->wall.most
			    ? 0
			    : job->wall.most - job->after_ns;
}

struct xs_job *xs_job_build(const json_t *digest)
{
	struct xs_job *job = xs_calloc(1, sizeof(*job));
	const json_t *program = main_program(digest);

	job->ranks = job->seen = XS_UNKNOWN;
	job->wall = xs_job_spread(NULL, "");
	if (program) {
		job->program = xs_job_line(
		    &job->arena, json_object_get(program, "text"), "name");
		job->trace_ids = json_incref(
		    (json_t *)xs_digest_get(program, "count", "traces"));
		fill_times(job, program);
		fill_bars(job, program);
		job->parts =
		    xs_job_items(job, program, &parts, &job->part_count);
		job->phases =
		    xs_job_items(job, program, &phases, &job->phase_count);
		xs_job_fill_steps(job, program);
		xs_job_fill_groups(job, program);
		xs_job_fill_processes(job, program);
	}
	xs_job_fill_problems(job, digest, program);
	job->verdict = xs_job_verdict(job);
	return job;
}

void xs_job_free(struct xs_job *job)
{
	if (!job)
		return;
	json_decref(job->trace_ids);
	xs_arena_free(&job->arena);
	free(job);
}
