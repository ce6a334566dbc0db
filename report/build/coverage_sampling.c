/* SPDX-License-Identifier: MIT */
/* Notes on sampled runs: which figures are exact, and which are extrapolated
 * from the recorded calls. */
#include "analyzer/sampling/sampling.h"
#include "report/build/build.h"
#include "report/result/units.h"

#include <inttypes.h>
#include <string.h>

/* What calls that were not only counted are. */
static const char *recorded(const struct xs_trace *trace)
{
	return trace->skipped ? "read" : "recorded";
}

/* Counted calls without any recorded call of their kind: exact only in sum. */
static void note_unrecorded(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_weights *weights)
{
	const uint64_t calls = xs_weighted(1, weights->unrecorded_site_calls);

	if (!calls)
		return;
	xs_build_note(result,
		      "only counted, never %s: %" PRIu64 " call%s, "
		      "%s%s; times of similar calls at other call sites, if "
		      "there are any, include them",
		      recorded(trace), calls, calls == 1 ? "" : "s",
		      weights->unrecorded_several ? "most of them " : "",
		      xs_build_place(result, trace, weights->unrecorded_site));
}

/* Not said of a few, as a program has at its start and end. */
static void note_other_kinds(struct xs_result *result,
			     const struct xs_trace *trace,
			     const struct xs_weights *weights)
{
	const double calls = weights->unrecorded_kind_calls;

	if (calls >= 1 &&
	    calls >= 0.01 * (double)result->coverage.calls_counted)
		xs_build_note(result,
			      "%" PRIu64 " calls were of another size or "
			      "direction than the %s calls of their call "
			      "site, which their times follow from",
			      xs_weighted(1, calls), recorded(trace));
}

/* The bytes of a sampled run, as a part of a sentence. */
static const char *exact_bytes(struct xs_result *result,
			       const struct xs_weights *weights)
{
	const uint64_t guessed =
	    xs_weighted(1, weights->guessed_direction_bytes);

	return guessed ? xs_print(
			     &result->arena,
			     "are exact; their bytes, except for the direction "
			     "of %s copied with cudaMemcpyDefault, are",
			     xs_units_bytes((int64_t)guessed).s)
		       : "and their bytes are";
}

/* Of a long trace, not all calls are read. Launches of graphs without their
 * nodes have no ops that could be counted. */
static void note_read(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_weights *weights)
{
	const char *exact =
	    trace->graphs_as_one
		? xs_print(&result->arena, "of calls %s",
			   exact_bytes(result, weights))
		: "of calls and GPU work, their bytes and summed times are";

	xs_build_note(result,
		      "%zu of %" PRId64 " calls were read, in %zu windows "
		      "spread over the run, since the trace is long; the "
		      "others were only counted. Numbers %s exact%s; the rest "
		      "is extrapolated from what was read, and a timeline has "
		      "nothing else",
		      trace->call_count, result->coverage.api_calls_seen,
		      trace->window_count, exact,
		      result->coverage.lost_calls ? ", except for lost calls"
						  : "");
}

/* What of the figures of a sampled run is exact. */
static void note_sampled(struct xs_result *result, const struct xs_trace *trace,
			 const struct xs_weights *weights)
{
	const char *windows = "";

	if (trace->window_count > 1)
		windows = xs_print(&result->arena, ", in %zu sample windows",
				   trace->window_count);
	xs_build_note(
	    result,
	    "%zu of %" PRId64 " calls were recorded%s; the others were only "
	    "counted. Numbers of calls%s %s exact%s%s; times are extrapolated "
	    "from the recorded calls. A recorded call takes the host longer, "
	    "so host times%s may add up to more than the run",
	    trace->call_count, result->coverage.api_calls_seen, windows,
	    trace->hooked_from_ns ? " through the shared CUDA runtime" : "",
	    exact_bytes(result, weights),
	    result->coverage.lost_calls ? ", except for lost calls" : "",
	    result->coverage.calls_estimated ? ", except for estimated ones"
					     : "",
	    xs_build_is_by_events(result) ? " and GPU times from events" : "");
}

static void note_counted(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_weights weights;

	xs_weights_build(trace, NULL, &weights);
	if (trace->skipped)
		note_read(result, trace, &weights);
	else
		note_sampled(result, trace, &weights);
	note_unrecorded(result, trace, &weights);
	note_other_kinds(result, trace, &weights);
	xs_weights_free(&weights);
}

/* Calls that light mode could not count after it gave CUPTI up. */
static void note_unhooked(struct xs_result *result,
			  const struct xs_trace *trace)
{
	const struct xs_units_text from = xs_units_ns(
	    xs_number_bounded(trace->hooked_from_ns - trace->begin_ns));
	size_t unhooked = 0;

	for (size_t i = 0; i < trace->site_count; i++)
		unhooked += trace->sites[i].unhooked;
	if (unhooked)
		xs_build_note(
		    result,
		    "%" PRId64 " calls are estimated. After %s, calls of the "
		    "driver API, and of a CUDA runtime that is linked into the "
		    "program or a library, could not be counted. Their number "
		    "follows from that of the counted calls, or if these are "
		    "few, from the time; it is then too low if recording "
		    "slowed the program",
		    result->coverage.calls_estimated, from.s);
	else
		xs_build_note(
		    result,
		    "after %s, only calls of the shared CUDA runtime "
		    "could be counted. No other calls are known to be "
		    "missing: before that, the program made none",
		    from.s);
}

const char *xs_build_range_not_begun(struct xs_result *result,
				     const struct xs_trace *trace)
{
	const char *range = xs_trace_find_info(trace, "range");
	const char *why = "the run ended before; begin earlier";

	if (!trace->ignored_ns || trace->window_count || trace->tally_count)
		return NULL;
	if (!range)
		return "recording never began: the part of the run that "
		       "XFERSPY_RANGE selects was not reached";
	if (strcmp(range, "profiler") == 0)
		why = "cudaProfilerStart() was not called; call it, or name "
		      "seconds as in 60+10";
	else if (strcmp(range, "signal") == 0)
		why = "no SIGUSR2 came in time; send it while the program "
		      "works (kill -USR2 PID)";
	return xs_print(&result->arena,
			"recording never began: XFERSPY_RANGE=%s, and %s",
			range, why);
}

/* How much of the run the figures cover. */
void xs_build_note_sampling(struct xs_result *result,
			    const struct xs_trace *trace)
{
	if (trace->ignored_ns && !xs_build_range_not_begun(result, trace))
		xs_build_note(result,
			      "only %s of the run's %s were traced "
			      "(XFERSPY_RANGE); all figures are of that part",
			      xs_units_ns(result->run.wall_ns).s,
			      xs_units_ns(xs_number_bounded(trace->end_ns -
							    trace->begin_ns))
				  .s);
	if (trace->tally_count)
		note_counted(result, trace);
	if (trace->hooked_from_ns)
		note_unhooked(result, trace);
}
