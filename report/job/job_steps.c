/* SPDX-License-Identifier: MIT */
/* The plan of a job, and what it would gain. */
#include "report/job/digest.h"
#include "report/job/job_parts.h"

#include <stdlib.h>
#include <string.h>

/*
 * The slowest process that the step does not change: one of the slowest rows
 * without it. If all rows have it, another one is at most as slow as the last
 * row: *exact is then false. XS_UNKNOWN: all processes have it.
 */
static int64_t slowest_without(const struct xs_job *job, const json_t *program,
			       const char *key, int64_t traces, bool *exact)
{
	const json_t *rows = xs_digest_get(program, "rows", "slowest"), *row;
	int64_t last_ns = XS_UNKNOWN;
	size_t i;

	*exact = true;
	if (traces >= job->traces)
		return XS_UNKNOWN;
	json_array_foreach((json_t *)rows, i, row) {
		last_ns = json_integer_value(json_object_get(row, "by"));
		if (!json_object_get(json_object_get(row, "steps"), key))
			return last_ns;
	}
	*exact = false;
	return last_ns;
}

/* What the job gains if each process takes so much less. */
static void fill_gain(const struct xs_job *job, const json_t *program,
		      const char *key, const json_t *row,
		      struct xs_job_step *out)
{
	const int64_t with_ns = xs_digest_get_number(row, "most", "after_ns");
	bool exact;
	const int64_t without_ns =
	    slowest_without(job, program, key, out->traces, &exact);
	const int64_t after_ns = without_ns > with_ns ? without_ns : with_ns;

	out->at_least = !exact && without_ns > with_ns;
	out->job_ns = after_ns == XS_UNKNOWN || after_ns > job->wall.most
			  ? 0
			  : job->wall.most - after_ns;
}

/* Those that others add to come first. */
static int first_in_plans(const void *left, const void *right)
{
	const struct xs_job_step *a = left, *b = right;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->job_ns != b->job_ns)
		return a->job_ns < b->job_ns ? 1 : -1;
	if (a->sum_ns != b->sum_ns)
		return a->sum_ns < b->sum_ns ? 1 : -1;
	return strcmp(a->places, b->places);
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

/* The sum of the lower ends, which may be below 0. */
static int64_t low_of(const json_t *row)
{
	const int64_t low_ns = xs_digest_get_number(row, "add", "low_ns");
	const int64_t below_ns = xs_digest_get_number(row, "add", "below_ns");

	if (below_ns == XS_UNKNOWN)
		return low_ns;
	return (low_ns == XS_UNKNOWN ? 0 : low_ns) - below_ns;
}

static void fill_open(struct xs_job *job, const json_t *program)
{
	const json_t *best = json_object_get(program, "best");
	struct xs_arena *arena = &job->arena;

	if (!job->step_count)
		job->no_step = or_null(xs_job_text(arena, best, "no_step"));
	job->question = or_null(xs_job_text(arena, best, "question"));
	job->question_code = or_null(xs_job_text(arena, best, "question_code"));
}

static void fill_step(struct xs_job *job, const json_t *program,
		      const char *key, const json_t *row, void *item)
{
	const json_t *text = json_object_get(row, "text");
	const json_t *best = json_object_get(row, "best");
	struct xs_arena *arena = &job->arena;
	struct xs_job_step *out = item;

	*out = (struct xs_job_step){
	    .strategy = xs_job_line(arena, text, "strategy"),
	    .places = xs_job_line(arena, text, "places"),
	    .effort = xs_job_line(arena, text, "effort"),
	    .text = xs_job_text(arena, best, "text"),
	    .code = or_null(xs_job_text(arena, best, "code")),
	    .condition = or_null(xs_job_text(arena, best, "condition")),
	    .assumes = or_null(xs_job_text(arena, best, "assumes")),
	    .at_most = xs_digest_get_number(row, "most", "at_most") > 0,
	    .traces = xs_job_traces(row),
	    .order = xs_job_mean(xs_digest_get_number(row, "add", "order"),
				 xs_job_traces(row)),
	    .saves = xs_job_spread(row, "saves_ns"),
	    .sum_ns = xs_digest_get_number(row, "add", "saves_ns"),
	    .low_ns = low_of(row),
	    .high_ns = xs_digest_get_number(row, "add", "high_ns")};
	out->is_question =
	    out->condition || (out->low_ns < 0 && out->low_ns != XS_UNKNOWN);
	fill_gain(job, program, key, row, out);
}

void xs_job_fill_steps(struct xs_job *job, const json_t *program)
{
	static const struct xs_job_table steps = {
	    "steps", sizeof(struct xs_job_step), fill_step, first_in_plans};

	job->steps = xs_job_items(job, program, &steps, &job->step_count);
	fill_open(job, program);
}
