/* SPDX-License-Identifier: MIT */
/* What is wrong with the traces of a job, in words. */
#include "report/job/digest.h"
#include "report/job/job_parts.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names of other programs that are told. */
#define NAMES_MAX 8

/* Kinds of problems, without the warnings of traces; traces of a warning that
 * are named. */
#define PROBLEMS_MAX 20
#define FEW	     3

void xs_job_add(struct xs_job *job, const char *what, bool partial,
		int64_t traces, const char *names, const char *text)
{
	job->problems[job->problem_count++] = (struct xs_job_problem){
	    .what = what,
	    .partial = partial,
	    .traces = traces,
	    .names = names,
	    .text = xs_print(&job->arena, "%" PRId64 " trace%s %s%s%s", traces,
			     traces == 1 ? "" : "s", text, *names ? ": " : "",
			     names)};
}

/* Returns "cat, ls, ...": the first keys in order. */
static const char *keys_of(struct xs_arena *arena, const json_t *object,
			   bool more)
{
	const char **keys =
	    xs_arena_alloc(arena, json_object_size(object) + 1, sizeof(*keys));
	const char *key, *list = "";
	json_t *value;
	size_t count = 0;

	json_object_foreach((json_t *)object, key, value)
		keys[count++] = key;
	if (count)
		qsort(keys, count, sizeof(*keys), xs_digest_by_name);
	for (size_t i = 0; i < count && i < NAMES_MAX; i++)
		list = xs_print(arena, "%s%s%s", list, i ? ", " : "", keys[i]);
	return more || count > NAMES_MAX ? xs_arena_join(arena, list, "...")
					 : list;
}

/* The traces of a row, with some names. */
static void add_row(struct xs_job *job, const json_t *row, const char *what,
		    bool partial, const char *text)
{
	if (xs_job_traces(row))
		xs_job_add(job, what, partial, xs_job_traces(row),
			   keys_of(&job->arena,
				   xs_digest_get(row, "count", "names"),
				   xs_digest_get(row, "beyond", "names")),
			   text);
}

/* What the digest counts as such. */
static void add_counted(struct xs_job *job, const json_t *digest,
			const char *what, bool partial, const char *text)
{
	add_row(
	    job,
	    json_object_get(xs_digest_get(digest, "table", "problems"), what),
	    what, partial, text);
}

/* Why a program's traces are incomplete; NULL: they are not. */
static const char *cut_of(struct xs_job *job, const json_t *program)
{
	const char *why = xs_job_line(
	    &job->arena, json_object_get(program, "text"), "incomplete");

	return *why ? why : NULL;
}

/* The traces of the program that are in no figure: the incomplete ones, unless
 * there are more of these. */
static void add_rest(struct xs_job *job, const json_t *own, const json_t *rest)
{
	const char *own_cut = cut_of(job, own), *cut = cut_of(job, rest);

	add_row(job, rest, cut ? "incomplete" : "complete", true,
		xs_print(&job->arena, "%s %s",
			 cut ? "in no figure, since"
			     : "of whole runs, in no figure, since in "
			       "more traces",
			 cut	   ? cut
			 : own_cut ? own_cut
				   : ""));
	job->cut = own_cut ? own_cut : cut;
	job->incomplete = own_cut ? job->traces : cut ? xs_job_traces(rest) : 0;
}

/* The traces of other programs, whose names are those of the object. */
static void add_programs(struct xs_job *job, const json_t *names,
			 int64_t traces, bool as_many)
{
	if (traces > 0)
		xs_job_add(
		    job, "other program", true, traces,
		    keys_of(&job->arena, names, false),
		    as_many ? "of another program, in no figure (of those "
			      "with as many traces this is the first by name; "
			      "--each reports on each trace)"
			    : "of another program, in no figure (--each "
			      "reports on each trace)");
}

/* Traces of no figure, since most are of another program or job. */
static void add_others(struct xs_job *job, const json_t *digest,
		       const json_t *own)
{
	const int64_t beyond =
	    xs_digest_get_number(digest, "beyond", "programs");
	int64_t traces = 0;
	json_t *names = json_object(), *jobs = json_object(), *program;
	const json_t *rest = NULL;
	bool as_many = false;
	const char *key;

	json_object_foreach(
	    (json_t *)xs_digest_get(digest, "table", "programs"), key,
	    program) {
		if (strcmp(xs_job_of(program, "name"), job->program) != 0) {
			xs_number_add(&traces, xs_job_traces(program));
			as_many |= xs_job_traces(program) == job->traces;
			json_object_set(names, xs_job_of(program, "name"),
					program);
		} else if (strcmp(xs_job_of(program, "job"),
				  xs_job_of(own, "job")) != 0) {
			xs_digest_merge(jobs, program);
		} else if (program != own) {
			rest = program;
		}
	}
	add_rest(job, own, rest);
	add_row(job, jobs, "other job", true, "of another job, in no figure");
	add_programs(job, names, traces, as_many);
	if (beyond > 0)
		xs_job_add(job, "other job", true, beyond, "",
			   "of programs and jobs beyond the 256 for which a "
			   "digest has room, in no figure");
	json_decref(names);
	json_decref(jobs);
}

/* Tables that lack rows, for which a digest has no room. */
static void add_beyond(struct xs_job *job, const json_t *program)
{
	static const struct {
		const char *name, *words;
	} tables[] = {{"steps", "changes"},	      {"phases", "phases"},
		      {"kinds", "kinds of machines"}, {"hosts", "hosts"},
		      {"traces", "names of traces"},  {"gpus", "GPUs"},
		      {"versions", "versions"},	      {"wall_ns", "times"}};
	const char *list = NULL;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (xs_digest_get(program, "beyond", tables[i].name))
			list =
			    xs_arena_join(&job->arena, list, tables[i].words);
	if (list)
		xs_job_add(
		    job, "no room", false, job->traces, list,
		    "have more than a digest has room for; some are missing");
}

/* Traces whose process was not alone on its GPU. */
static void add_sharing(struct xs_job *job, const json_t *program)
{
	const json_t *gpus = xs_digest_get(program, "count", "gpus");
	const char *key;
	json_t *count;
	int64_t sharing = 0;

	json_object_foreach((json_t *)gpus, key, count)
		if (json_integer_value(count) > 1)
			xs_number_add(&sharing, json_integer_value(count));
	if (sharing)
		xs_job_add(
		    job, "shared GPU", false, sharing, "",
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

	json_object_foreach((json_t *)ids, key, count)
		if (json_integer_value(count) > 1)
			twice++;
	if (twice)
		xs_job_add(job, "merged twice", true, twice, "",
			   "in several of the merged digests, counted more "
			   "than once");
	else
		add_sharing(job, program);
	if (json_object_size(versions) > 1)
		xs_job_add(job, "several versions", false, job->traces,
			   keys_of(&job->arena, versions, false),
			   "of several versions of xferspy");
	job->machines = keys_of(&job->arena, machines, false);
	job->models = keys_of(&job->arena,
			      xs_digest_get(program, "count", "models"), false);
	if (json_object_size(machines) > 1)
		xs_job_add(job, "several machines", false, job->traces,
			   job->machines,
			   "whose predictions are of several machine profiles");
}

/* What the traces of the program make of the job. */
static void add_of_program(struct xs_job *job, const json_t *digest,
			   const json_t *program)
{
	const bool is_once = xs_job_fill_ranks(job, program);

	if (!is_once && xs_digest_get_number(program, "most", "start_us") >
			    xs_digest_get_number(program, "least", "end_us"))
		xs_job_add(
		    job, "one after another", false, job->traces, "",
		    "of which some began when others had ended: if they are of "
		    "several runs and no job, add --runs");
	add_others(job, digest, program);
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
static void add_warnings(struct xs_job *job, const json_t *program)
{
	const size_t first = job->problem_count;
	struct xs_arena *arena = &job->arena;
	const char *what;
	json_t *row;

	json_object_foreach(
	    (json_t *)xs_digest_get(program, "table", "warnings"), what, row) {
		const int64_t traces = xs_job_traces(row);

		if (traces)
			xs_job_add(
			    job, "warning", false, traces,
			    traces > FEW
				? ""
				: keys_of(arena,
					  xs_digest_get(row, "count", "names"),
					  false),
			    xs_print(arena, "with %s warning \"%s\"",
				     traces > 1 ? "such a" : "the",
				     xs_job_line(arena,
						 json_object_get(row, "best"),
						 "text")));
	}
	if (job->problem_count > first)
		qsort(job->problems + first, job->problem_count - first,
		      sizeof(*job->problems), most_traces);
}

void xs_job_fill_problems(struct xs_job *job, const json_t *digest,
			  const json_t *program)
{
	const json_t *warnings = xs_digest_get(program, "table", "warnings");

	XS_ARENA_NEW(&job->arena, job->problems,
		     PROBLEMS_MAX + json_object_size(warnings));
	add_counted(job, digest, "unreadable", true, "not read");
	add_counted(job, digest, "duplicate", false,
		    "given twice, counted once");
	add_counted(job, digest, "damaged", true,
		    "of a damaged file, in no figure");
	add_counted(job, digest, "no verdict", true,
		    "without what a verdict needs, in no figure");
	add_counted(job, digest, "counted", true,
		    "of runs with --counters, which slows them, in no figure");
	if (program)
		add_of_program(job, digest, program);
	add_warnings(job, program);
}
