/* SPDX-License-Identifier: MIT */
#include "report/diff/runs.h"

#include "report/diff/comparable.h"
#include "report/diff/match.h"
#include "report/diff/spread.h"
#include "report/diff/totals.h"
#include "report/result/best.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct xs_result *const *a = left, *const *b = right;
	const int64_t x = (*a)->run.wall_ns, y = (*b)->run.wall_ns;

	if (x == XS_UNKNOWN || y == XS_UNKNOWN)
		return (x == XS_UNKNOWN) - (y == XS_UNKNOWN);
	return x < y ? -1 : x > y;
}

size_t xs_runs_sort(struct xs_result **runs, size_t count)
{
	size_t known = 0;

	qsort(runs, count, sizeof(*runs), compare);
	while (known < count && runs[known]->run.wall_ns != XS_UNKNOWN)
		known++;
	return known ? (known - 1) / 2 : 0;
}

const char *xs_runs_compare(struct xs_result *run, struct xs_result *other,
			    struct xs_arena *arena, bool *different)
{
	struct xs_diff diff = {.before = run, .after = other};
	const char *what = NULL;

	xs_diff_check(&diff);
	if (diff.different || diff.uncompared)
		what = diff.uncompared ? "recorded by another tool than"
		       : diff.unnamed == diff.different
			   ? "without a common kernel, and one names no "
			     "program: it may be of another one than"
		       : diff.other_arguments
			   ? "of other arguments, or another GPU, than"
			   : "of another program or GPU than";
	else if (diff.unnamed && run != other)
		what = "known by its kernels alone to be of the program of";
	else if (diff.other_arguments)
		what = "of other arguments than";
	else if (run->run.rank != XS_UNKNOWN && other->run.rank != XS_UNKNOWN &&
		 run->run.rank != other->run.rank)
		what = "of another rank (to compare jobs, name their folders) "
		       "than";
	if (what)
		what = xs_print(arena, "%s is %s %s", other->run.path, what,
				run->run.path);
	*different |= diff.different || diff.uncompared;
	xs_arena_free(&diff.arena);
	return what;
}

size_t xs_runs_once(struct xs_result **runs, size_t count,
		    struct xs_arena *arena, const char **warning)
{
	uint64_t *hashes = xs_arena_alloc(arena, count, sizeof(*hashes));
	size_t once = 0;

	*warning = NULL;
	for (size_t i = 0; i < count; i++) {
		struct xs_result *run = runs[i];
		size_t same = 0;

		hashes[once] = xs_trace_hash(run);
		while (hashes[same] != hashes[once])
			same++;
		if (same < once)
			continue;
		runs[i] = runs[once];
		runs[once++] = run;
	}
	if (once < count)
		*warning = xs_print(
		    arena,
		    "%zu trace%s of a run given before, counted once: %s",
		    count - once, count - once == 1 ? "" : "s",
		    runs[once]->run.path);
	return once;
}

/* Adds a round of the phase to the values, if its run has it. */
static void add_round(struct xs_result_runs_phase *to, int64_t *values,
		      const struct xs_result_phase *phase)
{
	if (phase)
		values[to->runs++] = xs_result_untraced_ns(phase) +
				     xs_result_used_between_ns(phase);
}

/* A round of each phase of the median run, in the runs that have it. */
static void fill_phases(struct xs_result *result, struct xs_result **runs,
			struct xs_result_runs *out, int64_t *values)
{
	struct xs_diff *diffs =
	    xs_arena_alloc(&result->arena, out->count, sizeof(*diffs));

	XS_ARENA_NEW(&result->arena, out->phases, result->phase_count);
	for (size_t k = 0; k < out->count; k++) {
		diffs[k] = (struct xs_diff){.before = result, .after = runs[k]};
		xs_diff_match(&diffs[k]);
	}
	for (size_t i = 0; i < result->phase_count; i++) {
		struct xs_result_runs_phase *to =
		    &out->phases[out->phase_count++];

		to->id = result->phases[i].id;
		for (size_t k = 0; k < out->count; k++)
			add_round(to, values,
				  xs_match_of(&diffs[k], &result->phases[i]));
		to->round_ns = xs_spread_of(values, to->runs);
	}
	for (size_t k = 0; k < out->count; k++)
		xs_arena_free(&diffs[k].arena);
}

static void fill_totals(struct xs_result *result, struct xs_result **runs,
			struct xs_result_runs *out, int64_t *values)
{
	XS_ARENA_NEW(&result->arena, out->totals, xs_total_row_count);
	for (size_t i = 0; i < xs_total_row_count; i++)
		out->totals[out->total_count++] = (struct xs_result_runs_total){
		    .name = xs_total_rows[i].name,
		    .unit = xs_total_unit(xs_total_rows[i].unit),
		    .spread = xs_total_spread(&xs_total_rows[i], runs,
					      out->count, values)};
}

/* Moves the runs to the front whose times are comparable with those of the
 * first one, and returns their number: without any, that one is told. */
static size_t choose(struct xs_result **runs, size_t count)
{
	struct xs_result *first = runs[0];
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct xs_result *run = runs[i];
		struct xs_arena arena = {0};
		bool different = false;

		xs_runs_compare(first, run, &arena, &different);
		xs_arena_free(&arena);
		if (different || run->coverage.incomplete)
			continue;
		runs[i] = runs[kept];
		runs[kept++] = run;
	}
	return kept ? kept : 1;
}

/* Says what is special about a run. */
static void warn(struct xs_result *result, struct xs_result *run, bool counts,
		 struct xs_result_runs *out)
{
	bool different = false;
	const char *text =
	    xs_runs_compare(result, run, &result->arena, &different);

	if (run->coverage.incomplete && !different)
		text = xs_print(&result->arena, "%s: %s", run->run.path,
				run->coverage.incomplete);
	if (text)
		out->warnings[out->warning_count++] =
		    xs_print(&result->arena, "%s%s", text,
			     counts ? "" : ", and in no figure");
}

struct xs_result *xs_runs_build(struct xs_result **runs, size_t count)
{
	const char *twice;
	const size_t once = xs_runs_once(runs, count, &runs[0]->arena, &twice);
	const size_t kept = choose(runs, once),
		     median = xs_runs_sort(runs, kept);
	struct xs_result *result = runs[median];
	struct xs_result_runs *out;
	int64_t *values;

	XS_ARENA_NEW(&result->arena, out, 1);
	XS_ARENA_NEW(&result->arena, values, count);
	out->count = kept;
	out->middle = median;
	XS_ARENA_NEW(&result->arena, out->paths, kept);
	XS_ARENA_NEW(&result->arena, out->warnings, count);
	for (size_t i = 0; i < kept; i++)
		out->paths[i] =
		    xs_arena_copy(&result->arena, runs[i]->run.path);
	for (size_t i = 0; i < once; i++)
		warn(result, runs[i], i < kept, out);
	if (twice)
		out->warnings[out->warning_count++] =
		    xs_arena_copy(&result->arena, twice);
	fill_totals(result, runs, out, values);
	fill_phases(result, runs, out, values);
	result->runs = out;
	return result;
}
