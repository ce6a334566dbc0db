/* SPDX-License-Identifier: MIT */
/* The figures of the verdict: divides the steady part of the run into what it
 * was spent on. */
#include "report/build/verdict.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/host_gaps.h"
#include "analyzer/timeline/run_parts.h"
#include "model/replay/staging.h"
#include "report/build/build.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *what, *words;
} names[XS_PARTS] = {
    [XS_PART_STARTUP] = {"start-up", "CUDA's start"},
    [XS_PART_KERNELS] = {"kernels", "kernels"},
    [XS_PART_COPIES] = {"copies", "copies"},
    [XS_PART_COPY_CALLS] = {"copy-calls", "the overhead of copy calls"},
    [XS_PART_ALLOCATION] = {"allocation", "allocating and freeing memory"},
    [XS_PART_WAITS] = {"waits", "waits while the GPU is idle"},
    [XS_PART_CALLS] = {"launches", "launches and other calls of CUDA"},
    [XS_PART_HOST] = {"host", "the host's own code"},
};

/* Which phases are of the steady part, and which one is nearly all of it. */
static void mark_phases(struct xs_result *result,
			const struct xs_phases *phases,
			const struct xs_steady *steady)
{
	for (size_t i = 0; i < result->phase_count; i++) {
		struct xs_result_phase *phase = &result->phases[i];

		phase->apart = !xs_steady_has(steady, &phases->items[i]);
		phase->before = phase->apart && phases->items[i].last_end_ns <=
						    steady->span.from_ns;
		if (!phase->apart)
			phase->outside =
			    xs_steady_outside(steady, &phases->items[i]);
		if (steady->phase == &phases->items[i])
			result->steady.phase = phase;
	}
}

static int longest_first(const void *left, const void *right)
{
	const struct xs_result_part *a = left, *b = right;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

static void fill(struct xs_result *result, const struct xs_run_parts *in)
{
	struct xs_result_verdict *out = &result->verdict;

	out->recorded_ns = xs_number_bounded(in->span_ns);
	XS_ARENA_NEW(&result->arena, out->parts, XS_PARTS);
	for (int i = 0; i < XS_PARTS; i++)
		/* without calls, what the host did is unknown */
		if (in->ns[i] &&
		    (i != XS_PART_HOST || result->coverage.api_calls_seen))
			out->parts[out->part_count++] = (struct xs_result_part){
			    i, names[i].what, names[i].words,
			    xs_number_bounded(in->ns[i])};
	out->gpu_ns = xs_number_bounded(in->gpu_ns);
	out->kernels_ns = xs_number_bounded(in->kernels_ns);
	out->at_most_saves_ns = out->at_most_steady_ns = XS_UNKNOWN;
	out->order_saves_ns = XS_UNKNOWN;
}

/* Returns how much faster than its migrations one copy of the managed memory
 * that migrated in in the steady part is: kernels wait for it. 0: that is 1 %
 * of the steady part or less, or not known. */
static int64_t prefetch_saves_ns(const struct xs_result *result)
{
	const struct xs_result_totals *totals = xs_result_steady_totals(result);
	const int64_t ns = totals->migrated_h2d_ns;
	const int64_t copy_ns = xs_number_round(
	    (double)totals->migrated_h2d_bytes * result->machine.G_h2d.value);

	return !result->machine_choice.other_gpu && ns != XS_UNKNOWN &&
		       copy_ns != XS_UNKNOWN &&
		       ns - copy_ns > result->verdict.steady_ns / 100
		   ? ns - copy_ns
		   : 0;
}

/* What tracing takes of the steady part, and of what is recorded of it. */
static int64_t tracing_ns(const struct xs_result *result)
{
	int64_t sum_ns = 0;

	XS_EACH(phase, result->phases, result->phase_count) {
		if (!phase->apart)
			xs_number_add(&sum_ns, xs_result_in_steady(
						   phase, phase->tracing_ns));
	}
	return sum_ns;
}

/* Takes the cost of tracing off the steady part and the parts that have it:
 * calls of CUDA that do not copy, then those that do, then waits. */
static void untrace(struct xs_result *result)
{
	static const int traced[] = {XS_PART_CALLS, XS_PART_COPY_CALLS,
				     XS_PART_WAITS};
	struct xs_result_verdict *out = &result->verdict;
	int64_t rest_ns = out->tracer_ns = tracing_ns(result);

	out->steady_ns -= rest_ns;
	for (size_t k = 0; k < sizeof(traced) / sizeof(*traced); k++)
		XS_EACH_MUTABLE(part, out->parts, out->part_count) {
			const int64_t ns =
			    part->ns < rest_ns ? part->ns : rest_ns;

			if (part->part != traced[k])
				continue;
			part->ns -= ns;
			out->recorded_ns -= ns;
			rest_ns -= ns;
		}
	/* what is told to be longer than that is no more than all of it */
	if (out->kernels_ns > out->recorded_ns)
		out->kernels_ns = out->recorded_ns;
	if (out->kernels_ns > out->prefetch_saves_ns)
		out->kernels_ns -= out->prefetch_saves_ns;
	if (out->gpu_ns > out->recorded_ns)
		out->gpu_ns = out->recorded_ns;
	if (out->part_count)
		qsort(out->parts, out->part_count, sizeof(*out->parts),
		      longest_first);
}

/* Why there are no calls of CUDA, and what to do. */
static const char *no_calls(struct xs_result *result,
			    const struct xs_trace *trace)
{
	const char *not_begun = xs_build_range_not_begun(result, trace);

	if (not_begun)
		return not_begun;
	if (trace->defect_count)
		return "what is left of the file has no calls of CUDA; trace "
		       "another run";
	if (trace->header.state == XS_FILE_RUNNING)
		return "the process was killed before a call of CUDA returned; "
		       "let it run longer";
	if (result->coverage.imported)
		return "the imported file has no calls of CUDA";
	return "the trace has no calls of CUDA; if the program has, "
	       "docs/capture.md says what to check";
}

/* What is missing for a verdict; NULL: nothing. */
static const char *missing(struct xs_result *result,
			   const struct xs_trace *trace)
{
	const bool is_killed = trace->header.state == XS_FILE_RUNNING;

	if (!result->coverage.api_calls_seen && !result->coverage.lacking)
		return no_calls(result, trace);
	if (result->coverage.counted)
		return "this run counted the first launches of each kernel, "
		       "which slows it down; trace another run without "
		       "counters and add this one to its report with "
		       "--counters";
	if (result->coverage.lacking)
		return result->coverage.lacking;
	if (result->totals.gpu_busy_ns == XS_UNKNOWN &&
	    result->coverage.imported)
		return "the imported file has no GPU work";
	if (result->totals.gpu_busy_ns == XS_UNKNOWN)
		return is_killed ? "the process was killed before times of the "
				   "GPU's work were written; let it run longer"
				 : "the trace has no times of the GPU's work; "
				   "Coverage says why";
	if (!result->phase_count)
		return "no copies and no kernels were recorded";
	if (!result->verdict.repeats && is_killed)
		return result->totals.kernels
			   ? "the trace ends before kernels repeat; let the "
			     "program run longer"
			   : "no kernel was recorded until its end; let the "
			     "program run longer";
	if (!result->verdict.recorded_ns && result->coverage.imported)
		return "the times in the imported file do not fit each other";
	if (!result->verdict.recorded_ns)
		return "calls were only counted, not recorded, while rounds "
		       "repeated; record a part of the run with XFERSPY_RANGE";
	return NULL;
}

static bool is_python(const struct xs_trace *trace, uint32_t site)
{
	return xs_symbols_is_python(xs_symbols_user_site(trace, site));
}

/* Whether another call of the trace has the same address on its stack. */
static bool is_shared(const struct xs_trace *trace, uint32_t frame)
{
	const struct xs_site *site = &trace->sites[frame];

	for (uint32_t i = 0; i < trace->site_count; i++)
		if (i != frame && site->module != XS_NONE &&
		    trace->sites[i].module == site->module &&
		    trace->sites[i].offset == site->offset)
			return true;
	return false;
}

/* The place, with the next caller outwards that tells it apart, if several call
 * one function without lines: its address is that of each. */
static const char *place_of(struct xs_result *result,
			    const struct xs_trace *trace, uint32_t site)
{
	const char *place = xs_build_place(result, trace, site);
	const struct xs_site *user = xs_symbols_user_site(trace, site);
	uint32_t at = site;

	if (result->run.python_frames || user->symbol || user->file)
		return place;
	while (at < trace->site_count && is_shared(trace, at))
		at = trace->sites[at].caller < at ? trace->sites[at].caller
						  : XS_NONE;
	return at == site || at >= trace->site_count
		   ? place
		   : xs_print(&result->arena, "%s, reached by %s", place,
			      xs_build_place(result, trace, at));
}

/* Sets the call before which the host spends the most time in its own code; if
 * that has no line of Python, which others have, the line before which it does
 * most, too. */
static void find_host_place(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_run_span *steady)
{
	const uint32_t site =
	    xs_host_gap_longest(trace, steady->from_ns, steady->to_ns, NULL);
	uint32_t near;

	if (site == XS_NONE)
		return;
	result->verdict.host_place = place_of(result, trace, site);
	if (!result->run.python_frames || is_python(trace, site))
		return;
	near = xs_host_gap_longest(trace, steady->from_ns, steady->to_ns,
				   is_python);
	if (near != XS_NONE)
		result->verdict.host_line = xs_build_place(result, trace, near);
}

/* How much of the time was traced: XFERSPY_RANGE leaves out the rest. */
static uint64_t traced_ns(const struct xs_trace *trace, uint64_t from_ns,
			  uint64_t to_ns)
{
	uint64_t ns = 0;

	if (to_ns <= from_ns)
		return 0;
	if (!trace->ignored_ns || !trace->window_count)
		return to_ns - from_ns;
	XS_EACH(in, trace->windows, trace->window_count) {
		const uint64_t first_ns =
		    in->begin_ns > from_ns ? in->begin_ns : from_ns;
		const uint64_t last_ns =
		    in->end_ns < to_ns ? in->end_ns : to_ns;

		if (first_ns < last_ns)
			ns += last_ns - first_ns;
	}
	return ns;
}

static bool is_staged(const struct xs_result_wait *wait)
{
	return wait->pageable &&
	       (double)wait->site.bytes >
		   (double)wait->site.calls * XS_COPIED_BY_CALL_BYTES;
}

/* Whether most of what copy calls take beside their copies is of pageable
 * memory, which they stage: of small copies it is the call itself. */
static bool is_staging(const struct xs_result *result)
{
	const bool repeats = result->verdict.repeats;
	const struct xs_result_wait *waits =
	    repeats ? result->steady.waits : result->waits;
	const size_t count =
	    repeats ? result->steady.wait_count : result->wait_count;
	double ns = 0; /* of damaged traces, sums may exceed an integer */

	for (size_t i = 0; i < count; i++)
		if (strncmp(waits[i].kind, "copy", 4) == 0)
			ns += (is_staged(&waits[i]) ? 1 : -1) *
			      ((double)waits[i].latency_ns +
			       (double)waits[i].host_ns);
	return ns > 0;
}

const char *xs_verdict_words(const struct xs_result *result,
			     const struct xs_result_part *part)
{
	const struct xs_result_totals *totals = xs_result_steady_totals(result);
	int64_t beyond_ns;
	bool copies;

	if (part->part == XS_PART_COPY_CALLS && is_staging(result))
		return "copy calls that stage pageable memory";
	if (part->part != XS_PART_KERNELS)
		return part->words;
	beyond_ns = part->ns - totals->kernel_ns;
	if (beyond_ns <= part->ns / XS_RESULT_TOLD_PART)
		return part->words;
	copies = totals->d2d_ns > beyond_ns / 2;
	if (totals->kernel_ns < beyond_ns / XS_RESULT_TOLD_PART)
		return copies ? "copies within a GPU" : "memsets";
	return copies ? "kernels with copies within a GPU"
		      : "kernels with memsets";
}

void xs_verdict_build(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases,
		      const struct xs_steady *steady)
{
	const struct xs_run_span *span = &steady->span;
	bool *blocks = xs_calls_blocked(trace);
	struct xs_result_verdict *out = &result->verdict;
	struct xs_run_parts in;

	out->repeats = steady->repeats;
	out->startup_ns =
	    xs_number_bounded(traced_ns(trace, trace->begin_ns, span->from_ns));
	if (steady->is_cut)
		out->steady_ns = xs_number_bounded(
		    traced_ns(trace, span->from_ns, span->to_ns));
	else if (span->to_ns > span->from_ns)
		out->steady_ns = xs_number_bounded(span->to_ns - span->from_ns);
	xs_run_parts(trace, blocks, span->from_ns, span->to_ns, &in);
	free(blocks);
	mark_phases(result, phases, steady);
	fill(result, &in);
	out->prefetch_saves_ns = prefetch_saves_ns(result);
	untrace(result);
	out->after_ns = xs_result_untraced_wall_ns(result);
	if (out->after_ns != XS_UNKNOWN)
		out->after_ns -= out->startup_ns + out->steady_ns;
	/* a run of more than 36 years has no end that is known */
	if (out->after_ns < 0)
		out->after_ns = XS_UNKNOWN;
	find_host_place(result, trace, span);
	xs_build_pinning(result, trace, span);
	xs_build_gpu_turns(result, trace, span);
	out->missing = missing(result, trace);
}
