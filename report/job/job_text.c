/* SPDX-License-Identifier: MIT */
/* What is wrong with the traces of a job, and which are missing, in words. */
#include "report/job/digest.h"
#include "report/job/job_parts.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ranges of missing ranks that are told. */
#define RANGES_MAX 8

/* Names of other programs that are told. */
#define NAMES_MAX 8

/* Kinds of problems, without the warnings of traces; traces of a warning that
 * are named. */
#define PROBLEMS_MAX 16
#define FEW	     3

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

/* "3, 64-71": the numbers below `most` that are not among these, in order */
static const char *list_missing(struct xs_arena *arena, const int64_t *ranks,
				size_t count, int64_t most)
{
	const char *list = NULL;
	int64_t next = 0;
	int ranges = 0;

	for (size_t i = 0; i <= count; i++) {
		const int64_t rank = i < count ? ranks[i] : most;

		if (rank > next && ++ranges > RANGES_MAX)
			return xs_arena_join(arena, list, "...");
		if (rank > next)
			list = xs_arena_join(
			    arena, list,
			    rank - 1 > next
				? xs_arena_print(arena, "%" PRId64 "-%" PRId64,
						 next, rank - 1)
				: xs_arena_print(arena, "%" PRId64, next));
		next = rank + 1;
	}
	return list;
}

static int by_number(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* The ranks of the traces, each once, in order; NULL without memory. Adds the
 * traces of a rank that has another one. */
static int64_t *list_ranks(struct xs_job *job, const json_t *program,
			   size_t *count, int64_t *again)
{
	const json_t *ids = xs_digest_get(program, "count", "traces");
	int64_t *ranks = xs_arena_alloc(&job->arena, json_object_size(ids) + 1,
					sizeof(*ranks));
	const char *id;
	json_t *traces;
	size_t all = 0;

	json_object_foreach((json_t *)ids, id, traces)
	{
		if (ranks && *id >= '0' && *id <= '9')
			ranks[all++] = xs_job_bounded(strtoll(id, NULL, 10));
	}
	if (all)
		qsort(ranks, all, sizeof(*ranks), by_number);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!*count || ranks[i] != ranks[*count - 1])
			ranks[(*count)++] = ranks[i];
	*again = (int64_t)(all - *count);
	return ranks;
}

/* How many ranks most traces say that the job has; of equally many traces, the
 * larger number. Counts the traces that say something else. */
static int64_t usual_ranks(const json_t *program, int64_t *others)
{
	const json_t *counts = xs_digest_get(program, "count", "ranks");
	int64_t ranks = XS_UNKNOWN, most = 0;
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)counts, key, count)
	{
		const int64_t number = xs_job_bounded(strtoll(key, NULL, 10));
		const int64_t traces =
		    xs_job_bounded(json_integer_value(count));

		if (number < 1 || traces < most ||
		    (traces == most && number < ranks))
			continue;
		ranks = number;
		most = traces;
	}
	*others = sum_of(program, "ranks") - most;
	return ranks;
}

/* Finds the ranks of the launcher that have no trace, and traces that do not
 * fit. */
static void fill_ranks(struct xs_job *job, const json_t *program)
{
	struct xs_arena *arena = &job->arena;
	size_t count, kept;
	int64_t again, others, *ranks;

	job->ranks = usual_ranks(program, &others);
	if (others)
		add(job, "other ranks", others, "",
		    xs_arena_print(arena,
				   "of a job of another size than %" PRId64
				   " ranks",
				   job->ranks));
	ranks = list_ranks(job, program, &count, &again);
	if (!ranks || job->ranks == XS_UNKNOWN ||
	    xs_digest_get(program, "beyond", "traces")) {
		job->ranks = XS_UNKNOWN;
		return;
	}
	for (kept = count; kept && ranks[kept - 1] >= job->ranks;)
		kept--;
	if (kept < count)
		add(job, "rank too high", (int64_t)(count - kept), "",
		    xs_arena_print(arena,
				   "of rank %" PRId64 "%s, which a job of "
				   "%" PRId64 " ranks does not have",
				   ranks[kept], kept + 1 < count ? ", ..." : "",
				   job->ranks));
	if (again)
		add(job, "same rank", again, "",
		    "of a rank that has another one: of several runs?");
	job->seen = (int64_t)kept;
	job->missing = list_missing(arena, ranks, kept, job->ranks);
	if (job->missing)
		job->missing_text = xs_arena_print(
		    arena, "no figures of rank%s %s",
		    strpbrk(job->missing, ",-") ? "s" : "", job->missing);
}

static void add_unranked(struct xs_job *job, const json_t *program)
{
	const int64_t traces = sum_of(program, "unranked");

	if (traces && xs_digest_get(program, "count", "ranks"))
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
	const json_t *machines = xs_digest_get(program, "count", "machines");
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
	job->machines = list_keys(&job->arena, machines, NULL, false);
	if (json_object_size(machines) > 1)
		add(job, "several machines", job->traces, job->machines,
		    "whose predictions are of several machine profiles");
}

/* What the traces of the program make of the job. */
static void add_of_program(struct xs_job *job, const json_t *digest,
			   const json_t *program)
{
	fill_ranks(job, program);
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
			    xs_arena_print(arena, "with %s warning \"%s\"",
					   traces > 1 ? "such a" : "the",
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
	add_counted(job, digest, "damaged", "of a damaged file, in no figure");
	add_counted(job, digest, "no verdict",
		    "without what a verdict needs, in no figure");
	add_counted(job, digest, "counted",
		    "of runs with --counters, which slows them, in no figure");
	if (program)
		add_of_program(job, digest, program);
	add_warnings(job, digest);
}
