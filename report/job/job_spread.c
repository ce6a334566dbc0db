/* SPDX-License-Identifier: MIT */
/* How the processes of a job differ, and why. */
#include "report/job/digest.h"
#include "report/job/digest_process.h"
#include "report/job/job_parts.h"

#include <stdlib.h>
#include <string.h>

/* A process is slow, and its copies differ, by more than 1 / APART. */
#define APART 20

static int slowest_mean(const void *left, const void *right)
{
	const struct xs_job_group *a = left, *b = right;

	if (a->mean_ns != b->mean_ns)
		return a->mean_ns < b->mean_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void fill_group(struct xs_job *job, const json_t *program,
		       const char *name, const json_t *row, void *item)
{
	const int64_t traces = xs_job_traces(row);

	(void)program;
	*(struct xs_job_group *)item = (struct xs_job_group){
	    .name = xs_arena_copy(&job->arena, name),
	    .traces = traces,
	    .mean_ns = xs_job_mean(xs_digest_get_number(row, "add", "wall_ns"),
				   traces),
	    .slowest_ns = xs_digest_get_number(row, "most", "wall_ns"),
	    .h2d_bytes = xs_digest_get_number(row, "add", "h2d_bytes"),
	    .h2d_ns = xs_digest_get_number(row, "add", "h2d_ns"),
	    .d2h_bytes = xs_digest_get_number(row, "add", "d2h_bytes"),
	    .d2h_ns = xs_digest_get_number(row, "add", "d2h_ns"),
	    .kernel_ns = xs_digest_get_number(row, "add", "kernel_ns")};
}

static const struct xs_job_table kinds = {"kinds", sizeof(struct xs_job_group),
					  fill_group, slowest_mean};
static const struct xs_job_table hosts = {"hosts", sizeof(struct xs_job_group),
					  fill_group, slowest_mean};

void xs_job_fill_groups(struct xs_job *job, const json_t *program)
{
	job->kinds = xs_job_items(job, program, &kinds, &job->kind_count);
	job->hosts = xs_job_items(job, program, &hosts, &job->host_count);
	job->more_hosts = xs_digest_get(program, "beyond", "hosts") != NULL;
}

/* A figure of a process beside the mean one: how many times as much it is. */
static double times_mean(const struct xs_job *job, const json_t *program,
			 const json_t *moved, const char *name)
{
	const double own = json_number_value(json_object_get(moved, name));
	const int64_t sum = xs_digest_get_number(program, "add", name);

	return sum > 0 ? own * (double)job->traces / (double)sum : 1;
}

/* ", 1.9 times the bytes", ", 12 GB/s in (24 on average)": why copies take
 * longer than in as many rounds; "" if they do not differ. */
static const char *why_copies(struct xs_job *job, const json_t *program,
			      const json_t *moved, bool in)
{
	const char *bytes_name = in ? "h2d_bytes" : "d2h_bytes";
	const char *ns_name = in ? "h2d_ns" : "d2h_ns";
	const double bytes = times_mean(job, program, moved, bytes_name);
	const double ns = times_mean(job, program, moved, ns_name);
	const double rounds = times_mean(job, program, moved, "rounds");
	const char *text = "";

	if (bytes > rounds * (1 + 1.0 / APART))
		text = xs_print(&job->arena, ", %.3g times the bytes %s", bytes,
				in ? "in" : "out");
	if (ns > bytes * (1 + 1.0 / APART))
		text = xs_print(
		    &job->arena, "%s, %s %s (mean: %s)", text,
		    xs_units_rate(
			json_integer_value(json_object_get(moved, bytes_name)),
			json_integer_value(json_object_get(moved, ns_name)))
			.s,
		    in ? "in" : "out",
		    xs_units_rate(
			xs_digest_get_number(program, "add", bytes_name),
			xs_digest_get_number(program, "add", ns_name))
			.s);
	return text;
}

/* The kind of most processes; NULL: none is of more than half of them. */
static const char *usual_kind(const struct xs_job *job)
{
	for (size_t i = 0; i < job->kind_count; i++)
		if (job->kinds[i].traces > job->traces / 2)
			return job->kinds[i].name;
	return NULL;
}

/* How much a part of a process exceeds the mean one; XS_UNKNOWN: there is no
 * sum. */
static int64_t excess(const struct xs_job *job, const json_t *parts,
		      const char *part, int64_t sum_ns)
{
	const int64_t mean_ns = xs_job_mean(sum_ns, job->traces);

	return mean_ns == XS_UNKNOWN
		   ? XS_UNKNOWN
		   : json_integer_value(json_object_get(parts, part)) - mean_ns;
}

/* The part of a process that exceeds the mean most, and by how much: of its
 * run, or while it is busy. */
static const char *longest_excess(const struct xs_job *job, const json_t *parts,
				  bool busy, int64_t *excess_ns)
{
	const char *words = "outside of the steady part";

	*excess_ns =
	    busy ? XS_UNKNOWN : excess(job, parts, "outside", job->outside_ns);
	XS_EACH(part, job->parts, job->part_count) {
		const int64_t ns = excess(job, parts, part->what, part->ns);

		if (ns > *excess_ns &&
		    (!busy || xs_digest_is_busy(part->what))) {
			*excess_ns = ns;
			words = part->words;
		}
	}
	return words;
}

/* "450 rounds (mean: 325); ": why all parts of the steady part take longer; ""
 * if it has no more rounds */
static const char *more_rounds(struct xs_job *job, const json_t *program,
			       const json_t *moved)
{
	if (times_mean(job, program, moved, "rounds") <= 1 + 1.0 / APART)
		return "";
	return xs_print(
	    &job->arena, "%s rounds (mean: %s); ",
	    xs_units_count(json_integer_value(json_object_get(moved, "rounds")))
		.s,
	    xs_units_count(
		xs_job_mean(xs_digest_get_number(program, "add", "rounds"),
			    job->traces))
		.s);
}

/* "copies: 410 ms more than the mean, 12 GB/s in (mean: 24 GB/s), on another
 * kind" */
static const char *why(struct xs_job *job, const json_t *program,
		       const json_t *row, const struct xs_job_process *process,
		       bool busy)
{
	const json_t *moved = json_object_get(row, "moved");
	struct xs_arena *arena = &job->arena;
	const char *usual = usual_kind(job), *words, *text;
	int64_t excess_ns;

	words = longest_excess(job, json_object_get(row, "parts"), busy,
			       &excess_ns);
	text = xs_print(arena, "%s%s: %s more than the mean",
			more_rounds(job, program, moved), words,
			xs_units_ns(excess_ns).s);
	if (strcmp(words, "copies") == 0)
		text = xs_print(arena, "%s%s%s", text,
				why_copies(job, program, moved, true),
				why_copies(job, program, moved, false));
	return !usual || strcmp(process->kind, usual) == 0
		   ? text
		   : xs_print(arena, "%s; on %s, most on %s", text,
			      process->kind, usual);
}

/* Fills the slowest or the busiest processes; one that takes more than usual_ns
 * has a reason. Returns how many. */
static size_t fill_processes(struct xs_job *job, const json_t *program,
			     const char *name, bool busy, int64_t usual_ns,
			     struct xs_job_process **processes)
{
	const json_t *rows = xs_digest_get(program, "rows", name), *row;
	struct xs_arena *arena = &job->arena;
	size_t i;

	*processes =
	    xs_arena_alloc(arena, json_array_size(rows), sizeof(**processes));
	json_array_foreach((json_t *)rows, i, row) {
		struct xs_job_process *out = &(*processes)[i];
		const int64_t by_ns =
		    json_integer_value(json_object_get(row, "by"));

		*out = (struct xs_job_process){
		    .name = xs_job_line(arena, row, "name"),
		    .host = xs_job_line(arena, row, "host"),
		    .kind = xs_job_line(arena, row, "kind"),
		    .by_ns = by_ns};
		if (job->traces > 1 && usual_ns != XS_UNKNOWN &&
		    by_ns - usual_ns >= usual_ns / APART)
			out->why = why(job, program, row, out, busy);
	}
	return json_array_size(rows);
}

void xs_job_fill_processes(struct xs_job *job, const json_t *program)
{
	size_t busiest;

	if (job->traces < 1)
		return;
	job->slowest_count = fill_processes(job, program, "slowest", false,
					    job->wall.median, &job->slowest);
	job->busy_mean_ns = xs_job_mean(
	    xs_digest_get_number(program, "add", "busy_ns"), job->traces);
	busiest = fill_processes(job, program, "busiest", true,
				 job->busy_mean_ns, &job->busiest);
	while (job->slowest_count && !job->slowest->why &&
	       job->busiest_count < busiest &&
	       job->busiest[job->busiest_count].why)
		job->busiest_count++;
}
