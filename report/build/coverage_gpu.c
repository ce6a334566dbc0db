/* SPDX-License-Identifier: MIT */
/* Notes on GPU work: where its times come from, what of it is missing, what is
 * an estimate. */
#include "report/build/build.h"
#include "report/result/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Explains GPU times from events. With CUPTI times there is nothing to
 * explain; why CUPTI was not used is a note of the trace.
 */
static void note_timing_source(struct xs_result *result,
			       const struct xs_trace *trace)
{
	const struct xs_result_coverage *out = &result->coverage;
	const char *error = xs_trace_find_info(trace, "events");
	uint64_t error_ns = 0;

	if (!xs_build_is_by_events(result))
		return;
	if (error)
		sscanf(error, "error_ns=%" SCNu64, &error_ns);
	if (!trace->op_count)
		xs_build_note(result, "no CUPTI: only calls through a shared "
				      "CUDA runtime are recorded");
	else
		xs_build_note(
		    result,
		    "no CUPTI: only calls through a shared CUDA runtime are "
		    "recorded; CUDA events measure their GPU times, which "
		    "include the launch latency of some microseconds%s%s; "
		    "host memory counts as pageable unless its pinning was "
		    "recorded",
		    error_ns ? ", accurate to " : "",
		    error_ns ? xs_units_ns((int64_t)error_ns).s : "");
	if (out->untimed)
		xs_build_note(
		    result,
		    "the GPU work of %" PRId64
		    " calls was not timed (too many at once, CUDA graphs, or "
		    "never synchronised) and is missing from all figures",
		    out->untimed);
}

/* Whether records of GPU work may be missing from the file. */
static bool may_lack_ops(const struct xs_result *result,
			 const struct xs_trace *trace)
{
	return result->coverage.missing_bytes || trace->defect_count ||
	       trace->header.state != XS_FILE_CLOSED ||
	       result->coverage.lost_ops || result->coverage.lost_cupti;
}

/* Explains why calls but no GPU ops were recorded. */
static void note_no_ops(struct xs_result *result, const struct xs_trace *trace)
{
	const char *mode = result->coverage.mode;

	/* note_timing_source or note_file has explained it, or a remark does */
	if (xs_build_is_by_events(result) || result->coverage.missing_bytes ||
	    result->coverage.imported)
		return;
	if (mode && strcmp(mode, "calls") == 0)
		xs_build_note(result,
			      "only calls were recorded (XFERSPY_MODE=calls): "
			      "no GPU times and no predictions");
	else if (result->run.cupti_version)
		xs_build_note(result, "CUPTI recorded no GPU work: no GPU "
				      "times and no predictions");
	else if (xs_trace_find_info(trace, "note"))
		xs_build_note(result,
			      "no CUPTI: no GPU times and no predictions");
	else
		xs_build_note(result,
			      "CUPTI was not available: no GPU times and no "
			      "predictions; set XFERSPY_CUPTI to the "
			      "libcupti.so of a CUDA toolkit and run again");
}

static void note_coverage(struct xs_result *result,
			  const struct xs_trace *trace)
{
	const char *not_begun = xs_build_range_not_begun(result, trace);

	if (not_begun)
		xs_build_note(result, "%s", not_begun);
	else if (!trace->op_count && !trace->call_count)
		xs_build_note(result,
			      "no CUDA call and no GPU work was recorded");
	else if (!trace->op_count)
		note_no_ops(result, trace);
	else if (!trace->call_count)
		xs_build_note(result,
			      "no call was recorded: GPU times are %s; "
			      "host times and call sites are unknown",
			      may_lack_ops(result, trace) ? "incomplete"
							  : "complete");
	else if (trace->ops_matched < trace->op_count)
		xs_build_note(
		    result,
		    "%zu of %zu GPU operations have no recorded call: their "
		    "call sites and host times are unknown",
		    trace->op_count - trace->ops_matched, trace->op_count);
	if (trace->calls_captured)
		xs_build_note(result,
			      "%zu calls were captured into CUDA graphs: their "
			      "work counts where the graphs are launched",
			      trace->calls_captured);
}

/* How much of the work of graphs is an estimate. */
static void note_graphs(struct xs_result *result)
{
	const struct xs_result_coverage *out = &result->coverage;
	const int64_t placed = out->graphs_as_one - out->graphs_unknown;

	if (placed)
		xs_build_note(result,
			      "%" PRId64 " launches of CUDA graphs were "
			      "recorded as one op each: start and end are "
			      "measured, and their nodes are placed as in "
			      "%" PRId64 " launches that were recorded node by "
			      "node (XFERSPY_GRAPHS=nodes records all nodes)",
			      placed, out->graphs_by_node);
	if (out->graphs_unknown)
		xs_build_note(
		    result,
		    "the nodes of %" PRId64 " launches of CUDA graphs are "
		    "unknown: each launch counts as one kernel, without its "
		    "copies (XFERSPY_GRAPHS=nodes records them)",
		    out->graphs_unknown);
}

/* GPU times are read against CLOCK_REALTIME now and then: what was read before
 * it was set is off. */
static void check_clock(struct xs_result *result, const struct xs_trace *trace)
{
	const double run_ns = (double)trace->end_ns - (double)trace->begin_ns;

	if (trace->clock_set_ns > 1000000 &&
	    (double)trace->clock_set_ns > run_ns / 1000)
		result->coverage.incomplete = result->coverage.lacking =
		    xs_print(
			&result->arena,
			"the system's clock was set by %s during the run, "
			"so that its times are wrong; trace another run",
			xs_units_ns(xs_number_bounded(trace->clock_set_ns)).s);
}

void xs_build_note_gpu(struct xs_result *result, const struct xs_trace *trace)
{
	check_clock(result, trace);
	note_timing_source(result, trace);
	note_coverage(result, trace);
	note_graphs(result);
}
