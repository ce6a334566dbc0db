/* SPDX-License-Identifier: MIT */
/* The figures of the verdict: finds the steady part of the run and divides it
 * into what it was spent on. */
#include "report/build/verdict.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/host_gaps.h"
#include "analyzer/timeline/run_parts.h"
#include "report/build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rounds from which a phase counts as repeated, or calls of one site in its
 * only round: a loop without a synchronisation is one round. */
#define REPEATED_ROUNDS 2
#define REPEATED_CALLS	3

/* A repeated phase shorter than this percentage of all repeated phases does not
 * move the ends of the steady part. */
#define LEAST_PERCENT 5

/* A first round that takes this many times as long as the median one warms up.
 */
#define WARM_UP 2

/* Rounds go on if counting begins within 1 / GOES_ON_PART of the recorded part
 * after the last one: that one is still at work when counting begins. */
#define GOES_ON_PART 10

static const struct {
	const char *what, *words;
} names[XS_PARTS] = {
    [XS_PART_STARTUP] = {"start-up", "CUDA's start"},
    [XS_PART_KERNELS] = {"kernels", "kernels"},
    [XS_PART_COPIES] = {"copies", "copies"},
    [XS_PART_ALLOCATION] = {"allocation", "allocating and freeing memory"},
    [XS_PART_WAITS] = {"waits", "waits while the GPU is idle"},
    [XS_PART_CALLS] = {"launches", "launches and other calls of CUDA"},
    [XS_PART_HOST] = {"host", "the host's own code"},
};

struct span {
	uint64_t from_ns, to_ns;
	bool repeats;
};

/* Whether kernels, or else copies, of one site repeat in a single round. */
static bool repeats_inside(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_phase_site *site = &phase->sites[i];

		if (site->calls >= REPEATED_CALLS &&
		    (site->step_kind == XS_STEP_KERNEL ||
		     (!phase->kernel_ops && (site->step_kind == XS_STEP_H2D ||
					     site->step_kind == XS_STEP_D2H))))
			return true;
	}
	return false;
}

static bool is_repeated(const struct xs_phase *phase, bool kernels)
{
	return (phase->rounds >= REPEATED_ROUNDS || repeats_inside(phase)) &&
	       (!kernels || phase->kernel_ops > 0);
}

/* Where the phase's rounds become steady: behind the first one, if it warms up.
 */
static uint64_t begin_of(const struct xs_phase *phase)
{
	const uint64_t first_ns = phase->first_end_ns - phase->first_start_ns;

	return phase->rounds >= REPEATED_ROUNDS &&
		       first_ns / WARM_UP > phase->round_ns.median_ns
		   ? phase->first_end_ns
		   : phase->first_start_ns;
}

/* Widens *span to the repeated phases: those with kernels, if wanted. */
static void cover_repeated(const struct xs_phases *phases, bool kernels,
			   struct span *span)
{
	double all_ns = 0;

	for (size_t i = 0; i < phases->count; i++)
		if (is_repeated(&phases->items[i], kernels))
			all_ns += (double)phases->items[i].total_ns;
	for (size_t i = 0; i < phases->count; i++) {
		const struct xs_phase *phase = &phases->items[i];

		if (!is_repeated(phase, kernels) ||
		    (double)phase->total_ns < all_ns * LEAST_PERCENT / 100)
			continue;
		if (!span->repeats || begin_of(phase) < span->from_ns)
			span->from_ns = begin_of(phase);
		if (!span->repeats || phase->last_end_ns > span->to_ns)
			span->to_ns = phase->last_end_ns;
		span->repeats = true;
	}
}

/*
 * If calls were only counted after the last recorded ones, and rounds repeated
 * until then, they are taken to go on until counting ended.
 */
static void follow_counting(const struct xs_trace *trace, struct span *span)
{
	uint64_t end_ns;

	if (!span->repeats || !trace->counted_ns || !trace->window_count)
		return;
	end_ns = trace->windows[trace->window_count - 1].end_ns;
	if (end_ns <=
	    span->to_ns + (span->to_ns - span->from_ns) / GOES_ON_PART)
		span->to_ns = end_ns + trace->counted_ns;
}

/*
 * The steady part: all repeated rounds. Loading data is often repeated, too,
 * but has no kernels. Without repeated rounds: all after CUDA's own start.
 */
static struct span find_steady(const struct xs_trace *trace,
			       const struct xs_phases *phases,
			       const struct xs_cuda_startup *startup)
{
	struct span span = {0, 0, false};

	cover_repeated(phases, true, &span);
	if (!span.repeats && trace->header.state != XS_FILE_RUNNING)
		cover_repeated(phases, false, &span);
	follow_counting(trace, &span);
	if (!span.repeats) {
		span.from_ns = startup->ns ? startup->end_ns : trace->begin_ns;
		span.to_ns = trace->end_ns;
	}
	return span;
}

static void mark_apart(struct xs_result *result, const struct xs_phases *phases,
		       const struct span *steady)
{
	for (size_t i = 0; i < result->phase_count; i++)
		result->phases[i].apart =
		    steady->repeats &&
		    (phases->items[i].last_end_ns <= steady->from_ns ||
		     phases->items[i].first_start_ns >= steady->to_ns);
}

static int longest_first(const void *left, const void *right)
{
	const struct xs_result_part *a = left, *b = right;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

/* Scales a time of the recorded part to the whole steady part. */
static int64_t scaled(const struct xs_result_verdict *verdict, double ns)
{
	return verdict->recorded_ns > 0
		   ? xs_number_round(ns * (double)verdict->steady_ns /
				     (double)verdict->recorded_ns)
		   : XS_UNKNOWN;
}

/*
 * The host's own code and the issuing of work stay, and so do the kernels: a
 * change of data movement saves at most what exceeds the longer of the two.
 */
static int64_t at_most_saves(const struct xs_result_verdict *verdict,
			     const struct xs_run_parts *in)
{
	const uint64_t unheld_ns = in->span_ns - in->held_ns;
	const uint64_t kernels_ns = in->ns[XS_PART_KERNELS];
	const uint64_t stays_ns =
	    unheld_ns > kernels_ns ? unheld_ns : kernels_ns;

	return scaled(verdict, (double)(in->span_ns - stays_ns));
}

static void fill(struct xs_result *result, const struct xs_run_parts *in)
{
	struct xs_result_verdict *out = &result->verdict;

	out->recorded_ns = xs_number_bounded(in->span_ns);
	out->parts =
	    xs_arena_alloc(&result->arena, XS_PARTS, sizeof(*out->parts));
	for (int i = 0; out->parts && i < XS_PARTS; i++)
		if (in->ns[i])
			out->parts[out->part_count++] = (struct xs_result_part){
			    i, names[i].what, names[i].words,
			    xs_number_bounded(in->ns[i])};
	if (out->part_count)
		qsort(out->parts, out->part_count, sizeof(*out->parts),
		      longest_first);
	out->gpu_ns = xs_number_bounded(in->gpu_ns);
	out->at_most_saves_ns = at_most_saves(out, in);
}

/* What is missing for a verdict; NULL: nothing. */
static const char *missing(const struct xs_result *result,
			   const struct xs_trace *trace)
{
	if (!result->coverage.api_calls_seen)
		return "the trace has no calls of CUDA";
	if (result->totals.gpu_busy_ns == XS_UNKNOWN)
		return "the trace has no times of the GPU's work; record with "
		       "CUPTI (XFERSPY_MODE=trace)";
	if (!result->phase_count)
		return "no copies and no kernels were recorded";
	if (!result->verdict.repeats && trace->header.state == XS_FILE_RUNNING)
		return "the process was killed before kernels repeated; let it "
		       "run longer";
	if (!result->verdict.recorded_ns)
		return "calls were only counted, not recorded, while rounds "
		       "repeated; record a part of the run with XFERSPY_RANGE";
	return NULL;
}

/* The call before which the host spends the most time in its own code. */
static const char *host_place(struct xs_result *result,
			      const struct xs_trace *trace,
			      const struct span *steady)
{
	const uint32_t site =
	    xs_host_gap_longest(trace, steady->from_ns, steady->to_ns);

	return site == XS_NONE ? NULL : xs_build_place(result, trace, site);
}

int xs_verdict_build(struct xs_result *result, const struct xs_trace *trace,
		     const struct xs_phases *phases,
		     const struct xs_cuda_startup *startup)
{
	const struct span steady = find_steady(trace, phases, startup);
	bool *blocks = xs_calls_blocked(trace);
	struct xs_result_verdict *out = &result->verdict;
	struct xs_run_parts in;

	if (!blocks)
		return -ENOMEM;
	out->repeats = steady.repeats;
	if (steady.from_ns > trace->begin_ns)
		out->startup_ns =
		    xs_number_bounded(steady.from_ns - trace->begin_ns);
	if (steady.to_ns > steady.from_ns)
		out->steady_ns =
		    xs_number_bounded(steady.to_ns - steady.from_ns);
	xs_run_parts(trace, blocks, startup, steady.from_ns, steady.to_ns, &in);
	free(blocks);
	mark_apart(result, phases, &steady);
	fill(result, &in);
	out->host_place = host_place(result, trace, &steady);
	out->missing = missing(result, trace);
	return result->arena.failed ? -ENOMEM : 0;
}
