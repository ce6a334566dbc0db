/* SPDX-License-Identifier: MIT */
/* What is wrong with the traces of a job, and which are missing, in words. */
#include "report/job/digest.h"
#include "report/job/job_parts.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ranges of missing ranks, and ranks that are looked at. */
#define RANGES_MAX 8
#define RANKS_MAX  (1 << 20)

/* Names of other programs that are told. */
#define NAMES_MAX 8

/* Kinds of problems, without the warnings of traces; traces of a warning that
 * are named. */
#define PROBLEMS_MAX 12
#define FEW	     3

/* "3, 64-71": the numbers below `count` that are not set */
static const char *list_missing(struct xs_arena *arena, const bool *set,
				int64_t count)
{
	const char *list = NULL;
	int ranges = 0;

	for (int64_t i = 0; i < count; i++) {
		int64_t last = i;

		if (set[i])
			continue;
		if (++ranges > RANGES_MAX)
			return xs_arena_join(arena, list, "...");
		while (last + 1 < count && !set[last + 1])
			last++;
		list = xs_arena_join(
		    arena, list,
		    last > i
			? xs_arena_print(arena, "%" PRId64 "-%" PRId64, i, last)
			: xs_arena_print(arena, "%" PRId64, i));
		i = last;
	}
	return list;
}

/* Finds the ranks of the launcher that have no trace. Returns how many have
 * several. */
static int64_t fill_ranks(struct xs_job *job, const json_t *program)
{
	const json_t *ids = xs_digest_get(program, "count", "traces");
	const int64_t ranks = xs_job_number(program, "most", "ranks");
	const char *id;
	json_t *count;
	int64_t again = 0;
	bool *seen;

	job->ranks = ranks < 1 || ranks > RANKS_MAX ||
			     xs_digest_get(program, "beyond", "traces")
			 ? XS_UNKNOWN
			 : ranks;
	seen = job->ranks == XS_UNKNOWN ? NULL
					: calloc((size_t)ranks, sizeof(*seen));
	if (!seen)
		return 0;
	job->seen = 0;
	json_object_foreach((json_t *)ids, id, count)
	{
		const unsigned long rank = strtoul(id, NULL, 10);

		if (*id < '0' || *id > '9' || rank >= (size_t)ranks)
			continue;
		job->seen += !seen[rank];
		again += seen[rank];
		seen[rank] = true;
	}
	job->missing = list_missing(&job->arena, seen, ranks);
	if (job->missing)
		job->missing_text = xs_arena_print(
		    &job->arena, "no figures of rank%s %s",
		    strpbrk(job->missing, ",-") ? "s" : "", job->missing);
	free(seen);
	return again;
}

static void add(struct xs_job *job, const char *what, int64_t traces,
		const char *names, const char *text)
{
	job->problems[job->problem_count++] = (struct xs_job_problem){
	    .what = what,
	    .traces = traces,
	    .names = names,
	    .text = xs_arena_print(&job->arena, "%" PRId64 " trace%s %s%s%s",
				   traces, traces == 1 ? "" : "s", text,
				   *names ? ": " : "", names)};
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "cat, ls, ...": the first keys in order, but one; "" without */
static const char *list_keys(struct xs_arena *arena, const json_t *object,
			     const char *without, bool more)
{
	const char **keys =
	    xs_arena_alloc(arena, json_object_size(object) + 1, sizeof(*keys));
	const char *key, *list = "";
	json_t *value;
	size_t count = 0;

	json_object_foreach((json_t *)object, key,
			    value) if (keys &&
				       (!without || strcmp(key, without) != 0))
	    keys[count++] = key;
	if (count)
		qsort(keys, count, sizeof(*keys), by_name);
	for (size_t i = 0; i < count && i < NAMES_MAX; i++)
		list = xs_arena_print(arena, "%s%s%s", list, i ? ", " : "",
				      keys[i]);
	return more || count > NAMES_MAX ? xs_arena_join(arena, list, "...")
					 : list;
}

/* What the digest counts as such, with some names. */
static void add_counted(struct xs_job *job, const json_t *digest,
			const char *what, const char *text)
{
	const json_t *row =
	    json_object_get(xs_digest_get(digest, "table", "problems"), what);

	if (xs_job_traces(row))
		add(job, what, xs_job_traces(row),
		    list_keys(&job->arena, xs_digest_get(row, "count", "names"),
			      NULL, xs_digest_get(row, "beyond", "names")),
		    text);
}

/* Returns the sum of a count, also of what it has no room for. */
static int64_t sum_of(const json_t *group, const char *name)
{
	const int64_t beyond = xs_job_number(group, "beyond", name);
	int64_t sum = beyond > 0 ? beyond : 0;
	const json_t *counts = xs_digest_get(group, "count", name);
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count)
	{
		xs_number_add(&sum, xs_job_bounded(json_integer_value(count)));
	}
	return sum;
}

static void add_unranked(struct xs_job *job, const json_t *program)
{
	const int64_t traces = sum_of(program, "unranked");

	if (traces && xs_job_number(program, "most", "ranks") != XS_UNKNOWN)
		add(job, "no rank", traces,
		    list_keys(&job->arena,
			      xs_digest_get(program, "count", "unranked"), NULL,
			      xs_digest_get(program, "beyond", "unranked")),
		    "without a rank, in all figures: of another run?");
}

static void add_others(struct xs_job *job, const json_t *digest)
{
	const json_t *programs = xs_digest_get(digest, "table", "programs");
	const int64_t beyond = xs_job_number(digest, "beyond", "programs");
	int64_t traces = beyond > 0 ? beyond : 0;
	bool as_many = false;
	const char *name;
	json_t *program;

	json_object_foreach((json_t *)programs, name, program)
	{
		if (strcmp(name, job->program) == 0)
			continue;
		xs_number_add(&traces, xs_job_traces(program));
		as_many |= xs_job_traces(program) == job->traces;
	}
	if (traces > 0)
		add(job, "other program", traces,
		    list_keys(&job->arena, programs, job->program, beyond > 0),
		    as_many ? "of another program, in no figure (of those "
			      "with as many traces this is the first by name; "
			      "--each reports on each trace)"
			    : "of another program, in no figure (--each "
			      "reports on each trace)");
}

/* Tables that lack rows, for which a digest has no room. */
static void add_beyond(struct xs_job *job, const json_t *program)
{
	static const struct {
		const char *name, *words;
	} tables[] = {{"steps", "changes"},
		      {"phases", "phases"},
		      {"kinds", "kinds of machines"},
		      {"hosts", "hosts"},
		      {"traces", "ranks"},
		      {"gpus", "GPUs"},
		      {"versions", "versions"},
		      {"wall_ns", "times"}};
	const char *list = NULL;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (xs_digest_get(program, "beyond", tables[i].name))
			list =
			    xs_arena_join(&job->arena, list, tables[i].words);
	if (list)
		add(job, "no room", job->traces, list,
		    "have more than a digest has room for; some are missing");
}

/* Traces whose process was not alone on its GPU. */
static void add_sharing(struct xs_job *job, const json_t *program)
{
	const json_t *gpus = xs_digest_get(program, "count", "gpus");
	const char *key;
	json_t *count;
	int64_t sharing = 0;

	json_object_foreach((json_t *)gpus, key,
			    count) if (json_integer_value(count) > 1)
	    xs_number_add(&sharing, xs_job_bounded(json_integer_value(count)));
	if (sharing)
		add(job, "shared GPU", sharing, "",
		    "of processes that shared a GPU with another, which slows "
		    "both if they run at the same time");
}

/* Traces that were merged more than once, and recorders that differ. */
static void add_mixed(struct xs_job *job, const json_t *program)
{
	const json_t *ids = xs_digest_get(program, "count", "traces");
	const json_t *versions = xs_digest_get(program, "count", "versions");
	const char *key;
	json_t *count;
	int64_t twice = 0;

	json_object_foreach((json_t *)ids, key,
			    count) if (json_integer_value(count) > 1) twice++;
	if (twice)
		add(job, "merged twice", twice, "",
		    "in several of the merged digests, in all sums as often");
	else
		add_sharing(job, program);
	if (json_object_size(versions) > 1)
		add(job, "several versions", job->traces,
		    list_keys(&job->arena, versions, NULL, false),
		    "of several versions of xferspy");
}

/* What the traces of the program make of the job. */
static void add_of_program(struct xs_job *job, const json_t *digest,
			   const json_t *program)
{
	const int64_t again = fill_ranks(job, program);

	if (again)
		add(job, "same rank", again, "",
		    "of a rank that has another one: of several runs?");
	add_unranked(job, program);
	if (xs_job_number(program, "most", "start_us") >
	    xs_job_number(program, "least", "end_us"))
		add(job, "one after another", job->traces, "",
		    "of which some began when others had ended: several runs, "
		    "no job?");
	add_others(job, digest);
	add_mixed(job, program);
	add_beyond(job, program);
}

static int most_traces(const void *left, const void *right)
{
	const struct xs_job_problem *a = left, *b = right;

	if (a->traces != b->traces)
		return a->traces < b->traces ? 1 : -1;
	return strcmp(a->text, b->text);
}

/* The warnings of traces, those of most first; with names of a few. */
static void add_warnings(struct xs_job *job, const json_t *digest)
{
	const size_t first = job->problem_count;
	struct xs_arena *arena = &job->arena;
	const char *what;
	json_t *row;

	json_object_foreach(
	    (json_t *)xs_digest_get(digest, "table", "problems"), what, row)
	{
		const json_t *best = json_object_get(row, "best");
		const int64_t traces = xs_job_traces(row);

		if (best && traces)
			add(job, "warning", traces,
			    traces > FEW ? ""
					 : list_keys(arena,
						     xs_digest_get(row, "count",
								   "names"),
						     NULL, false),
			    xs_arena_print(arena, "with the warning \"%s\"",
					   xs_job_line(arena, best, "text")));
	}
	if (job->problem_count > first)
		qsort(job->problems + first, job->problem_count - first,
		      sizeof(*job->problems), most_traces);
}

void xs_job_fill_problems(struct xs_job *job, const json_t *digest,
			  const json_t *program)
{
	const json_t *rows = xs_digest_get(digest, "table", "problems");

	job->problems =
	    xs_arena_alloc(&job->arena, PROBLEMS_MAX + json_object_size(rows),
			   sizeof(*job->problems));
	if (!job->problems)
		return;
	add_counted(job, digest, "unreadable", "not read");
	add_counted(job, digest, "duplicate", "given twice, counted once");
	add_counted(job, digest, "no verdict",
		    "without what a verdict needs, in no figure");
	add_counted(job, digest, "counted",
		    "of runs with --counters, which slows them, in no figure");
	if (program)
		add_of_program(job, digest, program);
	add_warnings(job, digest);
}
