/* SPDX-License-Identifier: MIT */
/*
 * What was and was not seen, and the notes that a reader of the report must
 * have: what was lost first, then what the file lacks, then what could not be
 * recorded at all, then what is merely worth knowing.
 */
#include "analyzer/sampling/sampling.h"
#include "report/build.h"
#include "report/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Defects that are spelled out; the others are counted. */
#define DEFECTS_MAX 3
#define NOTES_MAX   64

void xs_build_note(struct xs_result *result, const char *format, ...)
{
	struct xs_result_coverage *out = &result->coverage;
	char text[1024];
	va_list args;

	if (!out->notes || out->note_count == NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out->notes[out->note_count++] = xs_arena_copy(&result->arena, text);
}

/* "cudaMemcpy at app.cu:8" */
static const char *place(struct xs_result *result, const struct xs_trace *trace,
			 uint32_t index)
{
	struct xs_result_site site;
	const char *label;

	xs_build_site(result, trace, index, &site);
	label = xs_result_site_label(&result->arena, &site);
	return site.file && site.call
		   ? xs_arena_print(&result->arena, "%s at %s", site.call,
				    label)
		   : label;
}

static void note_losses(struct xs_result *result)
{
	const struct xs_result_coverage *out = &result->coverage;

	if (out->lost_ops)
		xs_build_note(result,
			      "%" PRId64
			      " GPU records found no room or had no times, "
			      "and are in no figure here",
			      out->lost_ops);
	if (out->lost_cupti)
		xs_build_note(result,
			      "CUPTI itself dropped %" PRId64
			      " GPU records: they are "
			      "missing from every figure here",
			      out->lost_cupti);
	if (out->lost_calls)
		xs_build_note(result,
			      "%" PRId64
			      " host calls found no room: host times and "
			      "call sites are incomplete",
			      out->lost_calls);
}

static void note_file(struct xs_result *result, const struct xs_trace *trace)
{
	if (trace->header.state == XS_FILE_RUNNING)
		xs_build_note(result,
			      "the process was killed or still runs: GPU work "
			      "of its last moments may be missing");
	if (trace->header.state == XS_FILE_STOPPED)
		xs_build_note(result,
			      "tracing gave up before the program ended");
	for (size_t i = 0; i < trace->defect_count && i < DEFECTS_MAX; i++)
		xs_build_note(result,
			      "the file is damaged at byte %" PRIu64 ": %s",
			      trace->defects[i].offset, trace->defects[i].text);
	if (trace->defect_count > DEFECTS_MAX)
		xs_build_note(result, "and %zu more defects of the file",
			      trace->defect_count - DEFECTS_MAX);
	if (trace->unknown_records)
		xs_build_note(
		    result,
		    "%zu records are of kinds that this version does not "
		    "know; a newer xferspy reads them",
		    trace->unknown_records);
	for (size_t i = 0; i < trace->info_count; i++)
		if (strcmp(trace->infos[i].key, "note") == 0)
			xs_build_note(result, "%s", trace->infos[i].value);
}

static bool is_by_events(const struct xs_result *result)
{
	const char *rung = result->coverage.rung;

	return rung && strcmp(rung, "events") == 0;
}

/*
 * The ladder: callbacks and activity records of CUPTI, its activity records
 * alone, calls timed by events, calls. What standing lower means; why it is so
 * is a note of the trace.
 */
static void note_rung(struct xs_result *result, const struct xs_trace *trace)
{
	const struct xs_result_coverage *out = &result->coverage;
	const char *error = xs_trace_info(trace, "events");
	uint64_t error_ns = 0;

	if (!is_by_events(result))
		return;
	if (error)
		sscanf(error, "error_ns=%" SCNu64, &error_ns);
	xs_build_note(
	    result,
	    "without CUPTI: only calls through a shared CUDA runtime are seen, "
	    "and their GPU times are those between two events, the launch's "
	    "latency of some microseconds included%s%s; host memory that was "
	    "not seen to be pinned counts as pageable",
	    error_ns ? ", on the host's clock to within " : "",
	    error_ns ? xs_units_ns((int64_t)error_ns).s : "");
	if (out->untimed)
		xs_build_note(
		    result,
		    "the GPU work of %" PRId64
		    " calls was not timed (too many at once, CUDA "
		    "graphs, or never waited for) and is missing from "
		    "every figure here",
		    out->untimed);
}

/* Why nothing is known of the GPU, where calls were seen and ops were not. */
static void note_no_ops(struct xs_result *result, const struct xs_trace *trace)
{
	const char *mode = result->coverage.mode;

	if (is_by_events(result))
		return; /* said already */
	if (mode && strcmp(mode, "calls") == 0)
		xs_build_note(result,
			      "calls alone were recorded (XFERSPY_MODE=calls): "
			      "no GPU times, and no predictions from them");
	else if (result->run.cupti_version)
		xs_build_note(result,
			      "CUPTI recorded no GPU work: no GPU times, and "
			      "no predictions from them");
	else if (xs_trace_info(trace, "note"))
		xs_build_note(result,
			      "without CUPTI there are no GPU times, and no "
			      "predictions from them");
	else
		xs_build_note(result,
			      "CUPTI was not available: no GPU times, and no "
			      "predictions from them; set XFERSPY_CUPTI to the "
			      "libcupti.so of a CUDA toolkit and run again");
}

static void note_coverage(struct xs_result *result,
			  const struct xs_trace *trace)
{
	if (!trace->op_count && !trace->call_count)
		xs_build_note(
		    result, "nothing was seen, neither a CUDA call nor work of "
			    "the GPU");
	else if (!trace->op_count)
		note_no_ops(result, trace);
	else if (!trace->call_count)
		xs_build_note(result,
			      "no call was seen: GPU times are complete, host "
			      "times and call sites are not known");
	else if (trace->ops_matched < trace->op_count)
		xs_build_note(
		    result,
		    "%zu of %zu GPU operations have no recorded call: their "
		    "call site and host time are not known",
		    trace->op_count - trace->ops_matched, trace->op_count);
	if (trace->calls_captured)
		xs_build_note(result,
			      "%zu calls were captured for CUDA graphs: their "
			      "work is that of the graphs' launches",
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
			      "recorded as one each: start and end are "
			      "measured, and their nodes are placed as in "
			      "%" PRId64 " launches that were recorded node by "
			      "node (XFERSPY_GRAPHS=nodes records all so)",
			      placed, out->graphs_by_node);
	if (out->graphs_unknown)
		xs_build_note(
		    result,
		    "the nodes of %" PRId64 " launches of CUDA graphs "
		    "are not known: each counts as one kernel, "
		    "without its copies (XFERSPY_GRAPHS=nodes records "
		    "them)",
		    out->graphs_unknown);
}

/* Calls that returned an error: nothing of the GPU's is missing there. */
static void note_failed(struct xs_result *result, const struct xs_trace *trace)
{
	uint64_t failed = 0, counted = 0, most = 0;
	uint32_t site = XS_NONE;
	unsigned error = 0;

	for (size_t i = 0; i < trace->call_count; i++) {
		if (!trace->calls[i].error)
			continue;
		if (failed++ == 0) {
			site = trace->calls[i].site;
			error = trace->calls[i].error;
		}
	}
	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];

		if (tally->direction != XS_TALLY_FAILED)
			continue;
		if (!failed && tally->calls > most)
			site = tally->site;
		most = tally->calls > most ? tally->calls : most;
		if (__builtin_add_overflow(counted, tally->calls, &counted))
			counted = UINT64_MAX;
	}
	if (__builtin_add_overflow(failed, counted, &counted))
		counted = UINT64_MAX;
	result->coverage.failed = xs_build_number(counted);
	if (!counted)
		return;
	xs_build_note(
	    result, "%" PRId64 " call%s returned an error, such as %s%s",
	    result->coverage.failed, counted == 1 ? "" : "s",
	    place(result, trace, site),
	    error ? xs_arena_print(&result->arena, " (error %u)", error) : "");
}

/* What is exact in sum alone. */
static void note_strange(struct xs_result *result, const struct xs_trace *trace,
			 const struct xs_weights *weights)
{
	const uint64_t calls = xs_weighted(1, weights->unrecorded_site_calls);

	if (!calls)
		return;
	xs_build_note(result,
		      "no window saw %" PRIu64 " of the calls, %s%s: what "
		      "such calls at other places took is taken for %s, and "
		      "stands there",
		      calls, weights->unrecorded_several ? "most of them " : "",
		      place(result, trace, weights->unrecorded_site),
		      calls == 1 ? "it" : "them");
}

/* What of it all is exact. */
static void note_counted(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_weights weights;
	char bytes[160] = "and their bytes are";

	if (xs_weights_build(trace, NULL, &weights))
		return;
	if (weights.unsure_bytes >= 1)
		snprintf(bytes, sizeof(bytes),
			 "are exact, their bytes but for which way %s of "
			 "copies went that did not say it "
			 "(cudaMemcpyDefault) are",
			 xs_units_bytes(
			     (int64_t)xs_weighted(1, weights.unsure_bytes))
			     .s);
	xs_build_note(
	    result,
	    "%zu of %" PRId64 " calls were recorded, in %zu "
	    "window%s, and the others counted: numbers of "
	    "calls %s exact%s, times those of "
	    "the windows times what they stand for; a call "
	    "takes the host longer while it is recorded, so "
	    "the host's times%s may add up to more than the run",
	    trace->call_count, result->coverage.api_calls_seen,
	    trace->window_count, trace->window_count == 1 ? "" : "s", bytes,
	    result->coverage.lost_calls ? " but for those lost" : "",
	    is_by_events(result) ? ", and the GPU's between two events," : "");
	note_strange(result, trace, &weights);
	xs_weights_free(&weights);
}

/* How much of the run the figures rest on, where it was not all recorded. */
static void note_sampling(struct xs_result *result,
			  const struct xs_trace *trace)
{
	if (trace->ignored_ns)
		xs_build_note(result,
			      "only %s of the run's %s were looked at "
			      "(XFERSPY_RANGE); the figures are of that part",
			      xs_units_ns(result->run.wall_ns).s,
			      xs_units_ns(xs_build_number(trace->end_ns -
							  trace->begin_ns))
				  .s);
	if (trace->tally_count)
		note_counted(result, trace);
}

/* Whether the trace itself has lines of the module's places. */
static bool has_lines(const struct xs_trace *trace, uint32_t module)
{
	for (size_t i = 0; i < trace->site_count; i++)
		if (trace->sites[i].module == module &&
		    trace->sites[i].has_source)
			return true;
	return false;
}

/* The file at a module's path is not the one that ran. */
static void note_changed(struct xs_result *result, const struct xs_trace *trace)
{
	const char *path = NULL;
	size_t changed = 0;

	for (size_t i = 0; i < trace->module_count; i++)
		if (trace->modules[i].changed &&
		    !has_lines(trace, (uint32_t)i) && changed++ == 0)
			path = trace->strings[trace->modules[i].path];
	if (changed)
		xs_build_note(
		    result,
		    "%s%s no longer what ran: no lines are known there; "
		    "`xferspy dump --resolve TRACE` keeps them in the trace, "
		    "before a program is built anew",
		    path, changed > 1 ? " and others are" : " is");
}

/* Hardware queues that streams share, where a number was asked for. */
static void note_lanes(struct xs_result *result, const char *variable,
		       int64_t lanes, const char *whose, unsigned usual)
{
	if (lanes != XS_UNKNOWN)
		xs_build_note(result,
			      "%s=%" PRId64
			      ": work of all streams waits in %" PRId64
			      " hardware queue%s of %s, by default %u; "
			      "predictions follow that",
			      variable, lanes, lanes, lanes == 1 ? "" : "s",
			      whose, usual);
}

static void note_connections(struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;

	note_lanes(result, "CUDA_DEVICE_MAX_CONNECTIONS", run->max_connections,
		   "kernels", XS_KERNEL_HW_QUEUES);
	if (run->max_copy_connections == XS_UNKNOWN)
		note_lanes(result, "CUDA_DEVICE_MAX_CONNECTIONS",
			   run->max_connections, "each copy engine",
			   XS_COPY_HW_QUEUES);
	note_lanes(result, "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
		   run->max_copy_connections,
		   "each copy engine from compute capability 8.0 on",
		   XS_COPY_HW_QUEUES);
}

static int64_t count_tallies(const struct xs_trace *trace)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < trace->tally_count; i++)
		if (__builtin_add_overflow(calls, trace->tallies[i].calls,
					   &calls))
			return INT64_MAX / 2;
	return calls < INT64_MAX / 2 ? (int64_t)calls : INT64_MAX / 2;
}

void xs_build_coverage(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases)
{
	struct xs_result_coverage *out = &result->coverage;
	const int64_t counted = count_tallies(trace);

	*out = (struct xs_result_coverage){
	    .api_calls_seen = xs_build_number(trace->call_count) + counted,
	    .gpu_ops_seen = xs_build_number(trace->op_count),
	    .calls_counted = counted,
	    .matched = xs_build_number(trace->ops_matched),
	    .lost_calls = xs_build_number(trace->lost_calls),
	    .lost_ops = xs_build_number(trace->lost_ops),
	    .lost_cupti = xs_build_number(trace->lost_cupti),
	    .graphs_as_one = xs_build_number(trace->graphs_as_one),
	    .graphs_by_node = xs_build_number(trace->graphs_by_node),
	    .graphs_unknown = xs_build_number(trace->graphs_unknown),
	    .untimed = xs_build_number(trace->untimed),
	    .rung = xs_arena_copy(&result->arena, xs_trace_info(trace, "rung")),
	    .mode = xs_arena_copy(&result->arena, xs_trace_info(trace, "mode")),
	    .notes =
		xs_arena_alloc(&result->arena, NOTES_MAX, sizeof(*out->notes)),
	};
	out->lost = out->lost_calls + out->lost_ops + out->lost_cupti;
	note_losses(result);
	note_file(result, trace);
	note_rung(result, trace);
	note_coverage(result, trace);
	note_graphs(result);
	note_failed(result, trace);
	note_sampling(result, trace);
	note_changed(result, trace);
	note_connections(result);
	xs_build_check_profile(result, trace, xs_build_device(trace, phases));
}
