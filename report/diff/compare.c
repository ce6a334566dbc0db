/* SPDX-License-Identifier: MIT */
#include "report/diff/compare.h"

#include "report/diff/comparable.h"
#include "report/diff/match.h"
#include "report/diff/runs.h"
#include "report/diff/saving.h"
#include "report/diff/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Byte counts within 5 % are the same work in other chunks. */
#define SAME_BYTES 0.05

#define FEW_BYTES (64 << 10)

static bool is(const char *text, const char *value)
{
	return text && strcmp(text, value) == 0;
}

static bool close_to(double before, int64_t after)
{
	return fabs((double)after - before) <= SAME_BYTES * before;
}

static bool uses_pinned(const struct xs_result_phase *phase)
{
	return is(phase->src_memory, "pinned") ||
	       is(phase->dst_memory, "pinned");
}

/* The memory that the program copies from. */
static const char *source_of(const struct xs_result_phase *phase)
{
	return phase->staged ? "pageable" : phase->src_memory;
}

/* Few bytes out, such as a result that is read, do not matter. */
static bool is_pageable(const struct xs_result_phase *phase)
{
	return is(source_of(phase), "pageable") ||
	       (is(phase->dst_memory, "pageable") &&
		phase->d2h_bytes > FEW_BYTES);
}

/* Streams of prefetch: of copies in, kernels, copies out. */
#define PREFETCH_STREAMS 3

/* Whether only the streams differ, and stages follow each other in a round. */
static bool is_prefetched(const struct xs_result_phase *before,
			  const struct xs_result_phase *after)
{
	return after->streams <= PREFETCH_STREAMS && before->kernels > 1 &&
	       after->kernels == before->kernels && before->h2d_ops > 1 &&
	       after->h2d_ops == before->h2d_ops;
}

/* Whether only the memory that is copied to differs: in turns. */
static bool has_second_set(const struct xs_result_phase *before,
			   const struct xs_result_phase *after)
{
	return before->in_sets == 1 && after->in_sets == 2 &&
	       after->kernels == before->kernels &&
	       after->h2d_ops == before->h2d_ops;
}

static bool launches_graph(const struct xs_result_phase *phase)
{
	for (size_t i = 0; i < phase->site_count; i++)
		if (phase->sites[i].call &&
		    strstr(phase->sites[i].call, "GraphLaunch"))
			return true;
	return false;
}

/* Returns how many rounds of before are one of after, as those that the host
 * does not wait for in between. */
static int64_t rounds_in_one(const struct xs_result_phase *before,
			     const struct xs_result_phase *after)
{
	const int64_t count =
	    before->kernels > 0 ? after->kernels / before->kernels : 1;

	return count > 1 && after->kernels == count * before->kernels &&
		       close_to((double)count * (double)before->h2d_bytes,
				after->h2d_bytes)
		   ? count
		   : 1;
}

/*
 * Returns the strategy that turns so many rounds of before into one of after,
 * or NULL if there is none or the work differs. The number of streams is that
 * of after.
 */
static const char *strategy_of(const struct xs_result_phase *before,
			       const struct xs_result_phase *after,
			       int64_t rounds)
{
	bool same_in = close_to((double)rounds * (double)before->h2d_bytes,
				after->h2d_bytes);
	bool same_out = close_to((double)rounds * (double)before->d2h_bytes,
				 after->d2h_bytes);

	if (same_in && same_out && launches_graph(after) &&
	    !launches_graph(before))
		return "graph";
	if (is_pageable(after))
		return NULL;
	if (before->h2d_bytes + before->d2h_bytes > 0 &&
	    after->h2d_bytes + after->d2h_bytes == 0 && after->kernels)
		return "mapped";
	if (same_in && before->d2h_bytes > 0 && after->d2h_bytes == 0)
		return "hybrid";
	if (!same_in || !same_out)
		return NULL;
	if (after->streams > 1 && before->streams <= 1)
		return rounds > 1		       ? "double-buffer"
		       : is_prefetched(before, after)  ? "prefetch"
		       : has_second_set(before, after) ? "double-buffer"
						       : "streams";
	if (is_pageable(before) && uses_pinned(after))
		return "pinned";
	return has_second_set(before, after) ? "double-buffer" : NULL;
}

static void check_prediction(struct xs_diff *diff, struct xs_diff_phase *out)
{
	const int64_t rounds = out->rounds_in_one;
	const char *strategy = strategy_of(out->before, out->after, rounds);
	bool streams =
	    strategy && (is(strategy, "streams") || is(strategy, "hybrid"));
	const char *why = NULL;

	for (size_t i = 0; strategy && i < out->before->estimate_count; i++) {
		const struct xs_result_estimate *row =
		    &out->before->estimates[i];

		if (!is(row->model, "replay") || !is(row->strategy, strategy))
			continue;
		if (!row->applies) {
			why = row->why;
			continue;
		}
		if (streams && row->n_streams != out->after->streams)
			continue;
		if (row->order && out->after->order &&
		    !is(row->order, out->after->order))
			continue;
		out->predicted = row;
		break;
	}
	if (!out->predicted && why)
		out->unpredicted = xs_print(
		    &diff->arena, "no prediction for %s: %s", strategy, why);
	if (!out->predicted || !out->after->round_ns)
		return;
	/* predictions are of untraced rounds */
	out->measured_ns = xs_result_untraced_ns(out->after);
	if (is(strategy, "double-buffer"))
		out->measured_ns =
		    (out->measured_ns + out->after->between_ns) / rounds -
		    out->before->between_ns;
	out->error_percent =
	    100.0 *
	    ((double)out->predicted->round_ns / (double)out->measured_ns - 1);
	out->within = out->predicted->low_ns <= out->measured_ns &&
		      out->measured_ns <= out->predicted->high_ns;
}

static void add_change(struct xs_diff *diff, struct xs_diff_phase *out,
		       const char *name, const char *before, const char *after)
{
	if (!before)
		before = "unknown";
	if (!after)
		after = "unknown";
	if (strcmp(before, after) != 0)
		out->changed[out->changed_count++] =
		    xs_print(&diff->arena, "%s %s -> %s", name, before, after);
}

static void describe(struct xs_diff *diff, struct xs_diff_phase *out)
{
	const struct xs_result_phase *a = out->before, *b = out->after;

	XS_ARENA_NEW(&diff->arena, out->changed, 10);
	add_change(diff, out, "source memory", source_of(a), source_of(b));
	add_change(diff, out, "destination memory", a->dst_memory,
		   b->dst_memory);
	add_change(diff, out, "streams", xs_units_count(a->streams).s,
		   xs_units_count(b->streams).s);
	add_change(diff, out, "bytes in", xs_units_bytes(a->h2d_bytes).s,
		   xs_units_bytes(b->h2d_bytes).s);
	add_change(diff, out, "bytes out", xs_units_bytes(a->d2h_bytes).s,
		   xs_units_bytes(b->d2h_bytes).s);
	add_change(diff, out, "copies in", xs_units_count(a->h2d_ops).s,
		   xs_units_count(b->h2d_ops).s);
	add_change(diff, out, "copies out", xs_units_count(a->d2h_ops).s,
		   xs_units_count(b->d2h_ops).s);
	add_change(diff, out, "kernels", xs_units_count(a->kernels).s,
		   xs_units_count(b->kernels).s);
	add_change(diff, out, "rounds", xs_units_count(a->rounds).s,
		   xs_units_count(b->rounds).s);
}

static int compare_phases(const void *left, const void *right)
{
	const struct xs_diff_phase *a = left, *b = right;
	int64_t x = llabs(a->change_ns), y = llabs(b->change_ns);

	return x > y ? -1 : x < y;
}

static void build_phases(struct xs_diff *diff)
{
	xs_diff_match(diff);
	XS_EACH_MUTABLE(out, diff->phases, diff->phase_count) {
		out->change_ns = (out->after ? out->after->total_ns : 0) -
				 (out->before ? out->before->total_ns : 0);
		out->error_percent = NAN;
		if (!out->before || !out->after)
			continue;
		describe(diff, out);
		out->rounds_in_one = rounds_in_one(out->before, out->after);
		check_prediction(diff, out);
	}
	qsort(diff->phases, diff->phase_count, sizeof(*diff->phases),
	      compare_phases);
}

/* Warns of runs of one side that are not of one program, first of one with
 * another program. */
static void check_runs(struct xs_diff *diff, const char *name,
		       const struct xs_diff_side *side,
		       struct xs_result *median)
{
	const char *warning = NULL;
	bool different = false;

	for (size_t i = 0; i < side->count && !different; i++) {
		const char *found = xs_runs_compare(median, side->runs[i],
						    &diff->arena, &different);

		if (different || !warning)
			warning = found;
	}
	if (!warning)
		return;
	warning = xs_print(&diff->arena, "%s: %s", name, warning);
	diff->warnings[diff->warning_count++] = warning;
	if (different && !diff->different)
		diff->different = warning;
}

/* Why a trace is not of a whole run, or NULL. */
static const char *why_part(struct xs_diff *diff,
			    const struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;

	if (!run->ignored_ns || run->wall_ns == XS_UNKNOWN ||
	    result->coverage.incomplete)
		return result->coverage.incomplete;
	return xs_print(&diff->arena, "only %s of %s were traced",
			xs_units_ns(run->wall_ns).s,
			xs_units_ns(run->wall_ns + run->ignored_ns).s);
}

/* Compares no times with that of a run that is not all in its trace, unless
 * both programs call cudaProfilerStart() where the part begins. */
static void check_parts(struct xs_diff *diff, const char *name,
			const struct xs_diff_side *side)
{
	const char *warning = NULL;
	size_t i = 0;

	for (; i < side->count && !warning; i++)
		warning = why_part(diff, side->runs[i]);
	if (!warning)
		return;
	diff->warnings[diff->warning_count++] =
	    xs_print(&diff->arena, "%s: %s: %s", name,
		     side->runs[i - 1]->run.path, warning);
	if (!side->runs[i - 1]->coverage.incomplete &&
	    is(diff->before->run.range, "profiler") &&
	    is(diff->after->run.range, "profiler"))
		return;
	if (diff->wall.change != XS_UNKNOWN)
		diff->uncompared = diff->warnings[diff->warning_count - 1];
	diff->wall.change = XS_UNKNOWN;
	diff->change_percent = NAN;
}

/* Warns of a run that is before and after, as by a wrong name: a gate of it
 * could never fail. */
static void check_sides(struct xs_diff *diff)
{
	for (size_t i = 0; i < diff->before_side.count; i++)
		for (size_t k = 0; k < diff->after_side.count; k++) {
			const struct xs_result *run = diff->after_side.runs[k];

			if (xs_trace_hash(run) !=
			    xs_trace_hash(diff->before_side.runs[i]))
				continue;
			diff->warnings[diff->warning_count++] = xs_print(
			    &diff->arena,
			    "%s is a run of before and of after: name others",
			    run->run.path);
			diff->shared = diff->warnings[diff->warning_count - 1];
			return;
		}
}

void xs_diff_build_runs(struct xs_result **before, size_t before_count,
			struct xs_result **after, size_t after_count,
			struct xs_diff *diff)
{
	const char *twice[2];
	struct xs_arena arena = {0};

	before_count = xs_runs_once(before, before_count, &arena, &twice[0]);
	after_count = xs_runs_once(after, after_count, &arena, &twice[1]);
	*diff = (struct xs_diff){
	    .arena = arena,
	    .before_side = {before, before_count},
	    .after_side = {after, after_count},
	    .before = before[xs_runs_sort(before, before_count)],
	    .after = after[xs_runs_sort(after, after_count)],
	    .change_percent = NAN,
	};
	xs_diff_build_totals(diff);
	if (diff->wall.change != XS_UNKNOWN && diff->wall.before.median > 0)
		diff->change_percent = 100.0 * (double)diff->wall.change /
				       (double)diff->wall.before.median;
	xs_diff_check(diff);
	check_runs(diff, "before", &diff->before_side, diff->before);
	check_runs(diff, "after", &diff->after_side, diff->after);
	check_parts(diff, "before", &diff->before_side);
	check_parts(diff, "after", &diff->after_side);
	check_sides(diff);
	for (size_t i = 0; i < 2; i++)
		if (twice[i])
			diff->warnings[diff->warning_count++] =
			    xs_print(&diff->arena, "%s: %s",
				     i ? "after" : "before", twice[i]);
	build_phases(diff);
	xs_diff_explain(diff);
}

void xs_diff_free(struct xs_diff *diff)
{
	xs_arena_free(&diff->arena);
}
