/* SPDX-License-Identifier: MIT */
/*
 * How complete the trace is, and notes for the reader, most important first:
 * losses, damaged file, missing GPU times, then information.
 */
#include "report/build/build.h"

#include "analyzer/symbols/symbols.h"
#include "report/result/site.h"
#include "report/result/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOTES_MAX 64

void xs_build_note(struct xs_result *result, const char *format, ...)
{
	struct xs_result_coverage *out = &result->coverage;
	char text[1024];
	va_list args;

	if (!out->notes || !out->note_kinds || out->note_count == NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out->notes[out->note_count] = xs_arena_copy(&result->arena, text);
	out->note_kinds[out->note_count] =
	    strcmp(format, "%s") ? format : out->notes[out->note_count];
	out->note_count++;
}

const char *xs_build_place(struct xs_result *result,
			   const struct xs_trace *trace, uint32_t index)
{
	struct xs_result_site site;
	const char *label;

	xs_build_site(result, trace, index, &site);
	label = xs_result_site_label(&result->arena, &site);
	return site.file && site.call
		   ? xs_print(&result->arena, "%s at %s", site.call, label)
		   : label;
}

/* How much shorter the file is than its header says, without final zeros. */
static int64_t missing_bytes(const struct xs_trace *trace)
{
	const uint64_t tail = trace->header.tail_bytes;
	const bool is_last = trace->chunks_end == tail;
	const uint64_t end =
	    is_last && trace->used_end < tail ? trace->used_end : tail;

	return trace->file_bytes && trace->file_bytes < end
		   ? xs_number_bounded(end - trace->file_bytes)
		   : 0;
}

static void note_losses(struct xs_result *result)
{
	const struct xs_result_coverage *out = &result->coverage;

	if (out->lost_ops)
		xs_build_note(result,
			      "%" PRId64
			      " GPU records were lost (no room, or no "
			      "timestamps as when the program ended before "
			      "their work); no figure includes them",
			      out->lost_ops);
	if (out->lost_cupti)
		xs_build_note(result,
			      "CUPTI dropped %" PRId64
			      " GPU records; no figure includes them",
			      out->lost_cupti);
	if (out->lost_calls)
		xs_build_note(result,
			      "%" PRId64
			      " host calls were lost (no room): host times and "
			      "call sites are incomplete",
			      out->lost_calls);
}

void xs_build_note_waits(struct xs_result *result)
{
	const int64_t waits = result->coverage.unexamined_waits;

	if (waits)
		xs_build_note(
		    result,
		    "what %" PRId64
		    " calls waited for was not examined (too many threads wait "
		    "at the same time): their time counts as the host's own",
		    waits);
}

static const char *why_incomplete(const struct xs_trace *trace)
{
	if (trace->header.state == XS_FILE_RUNNING)
		return "the process was killed or is still running";
	if (trace->header.state == XS_FILE_STOPPED)
		return "tracing stopped before the program ended";
	if (trace->counter_count)
		return "kernels were counted, which slows the run down";
	return trace->defect_count ? "the file is cut or damaged" : NULL;
}

/* A process that was killed wrote calls, but not yet the times of the last
 * ones' ops. */
static void note_killed(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_phases *phases)
{
	size_t seen = 0; /* calls until the last one with an op */
	size_t issue = 0, last = 0;

	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE && trace->ops[i].call >= seen)
			seen = (size_t)trace->ops[i].call + 1;
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->error || !xs_call_issues(call->call_class))
			continue;
		issue++;
		last += i >= seen;
	}
	xs_build_note(result, "the process was killed or is still running: %s",
		      last
			  ? xs_print(&result->arena,
				     "the last %zu of %zu calls that issue GPU "
				     "work have no GPU times; %" PRIu64
				     " round%s judged",
				     last, issue, phases->rounds,
				     phases->rounds == 1 ? " is" : "s are")
			  : "its last GPU work may be missing");
}

static void note_defects(struct xs_result *result, const struct xs_trace *trace)
{
	xs_build_note(
	    result, "the file is damaged at byte %" PRIu64 ": %s%s",
	    trace->defects[0].offset, trace->defects[0].text,
	    trace->defect_count > 1
		? xs_print(&result->arena,
			   ", and %zu more defects, which xferspy dump lists",
			   trace->defect_count - 1)
		: "");
}

/* Without more than a twentieth of the file, figures mislead, and with damage
 * before its last record, which may be cut: nobody knows what it changed. What
 * follows a whole file changes nothing. */
static void check_cut(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;
	const int64_t all = xs_number_bounded(trace->header.tail_bytes);
	const uint64_t cut =
	    trace->header.tail_bytes > trace->file_bytes ? 255 * 4 : 0;

	XS_EACH(defect, trace->defects, trace->defect_count)
		if (trace->header.state == XS_FILE_CLOSED &&
		    defect->offset + cut <= trace->file_bytes &&
		    defect->offset < trace->header.tail_bytes)
			out->incomplete = out->lacking =
			    "the file is damaged, so that any figure may be "
			    "wrong; copy the trace again, or trace another run";
	if (out->missing_bytes > all / 20)
		out->incomplete = out->lacking = xs_print(
		    &result->arena,
		    "the file was cut: %s of %s are missing; copy the trace "
		    "again, or trace another run",
		    xs_units_bytes(out->missing_bytes).s,
		    xs_units_bytes(all).s);
}

static void note_file(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases)
{
	result->coverage.incomplete = why_incomplete(trace);
	result->coverage.damaged =
	    trace->defect_count || result->coverage.missing_bytes;
	check_cut(result, trace);
	if (trace->header.state == XS_FILE_RUNNING)
		note_killed(result, trace, phases);
	if (trace->header.state == XS_FILE_STOPPED)
		xs_build_note(result, "%s", result->coverage.incomplete);
	if (trace->defect_count)
		note_defects(result, trace);
	if (trace->unknown_records)
		xs_build_note(result,
			      "%zu records have a kind that this version does "
			      "not know; use a newer xferspy",
			      trace->unknown_records);
	for (size_t i = 0; i < trace->info_count; i++)
		if (strcmp(trace->infos[i].key, "note") == 0)
			xs_build_note(result, "%s", trace->infos[i].value);
}

bool xs_build_is_by_events(const struct xs_result *result)
{
	const char *source = result->coverage.timing_source;

	return source && strcmp(source, "events") == 0;
}

/* What a beginner runs into; the others have their number. */
static const char *error_text(unsigned error)
{
	switch (error) {
	case 2:
		return ": out of memory";
	case 34:
		return ": libcuda.so.1 is a stub of the toolkit, no driver";
	case 35:
		return ": there is no NVIDIA driver, or it is too old";
	case 100:
		return ": there is no GPU";
	}
	return "";
}

/* Calls that returned an error. They issued no GPU work, so none is missing. */
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
	XS_EACH(tally, trace->tallies, trace->tally_count) {
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
	result->coverage.failed = xs_number_bounded(counted);
	if (!counted)
		return;
	xs_build_note(result,
		      "%" PRId64 " call%s returned an error, for example %s%s",
		      result->coverage.failed, counted == 1 ? "" : "s",
		      xs_build_place(result, trace, site),
		      error ? xs_print(&result->arena, " (error %u%s)", error,
				       error_text(error))
			    : "");
}

/* Whether the report names places of the module, and the trace has no lines of
 * it. */
static bool lacks_lines(const struct xs_trace *trace, uint32_t module)
{
	bool is_named = false;

	for (uint32_t i = 0; i < trace->site_count; i++) {
		const struct xs_site *site = &trace->sites[i];

		if (site->module == module && site->has_source)
			return false;
		is_named |= site->call_class &&
			    xs_symbols_user_site(trace, i)->module == module;
	}
	return is_named;
}

/* Modules whose file changed since the run. */
static void note_changed(struct xs_result *result, const struct xs_trace *trace)
{
	const char *path = NULL;
	size_t changed = 0;

	for (size_t i = 0; i < trace->module_count; i++)
		if (trace->modules[i].changed &&
		    lacks_lines(trace, (uint32_t)i) && changed++ == 0)
			path = trace->strings[trace->modules[i].path];
	if (changed)
		xs_build_note(result,
			      "%s%s changed since the run: source lines there "
			      "are unknown; run `xferspy dump --resolve TRACE` "
			      "before rebuilding, and read its copy",
			      path, changed > 1 ? " and others have" : " has");
}

/* Hardware queues shared by streams, if the environment sets their number. */
static void note_queues(struct xs_result *result, const char *variable,
			int64_t lanes, const char *whose, unsigned usual)
{
	if (lanes != XS_UNKNOWN)
		xs_build_note(result,
			      "%s=%" PRId64 ": all streams share %" PRId64
			      " hardware queue%s for %s (default %u); "
			      "predictions use this",
			      variable, lanes, lanes, lanes == 1 ? "" : "s",
			      whose, usual);
}

static void note_connections(struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;

	note_queues(result, "CUDA_DEVICE_MAX_CONNECTIONS", run->max_connections,
		    "kernels", XS_KERNEL_HW_QUEUES);
	if (run->max_copy_connections == XS_UNKNOWN)
		note_queues(result, "CUDA_DEVICE_MAX_CONNECTIONS",
			    run->max_connections, "each copy engine",
			    XS_COPY_HW_QUEUES);
	note_queues(result, "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
		    run->max_copy_connections,
		    "each copy engine from compute capability 8.0 on",
		    XS_COPY_HW_QUEUES);
}

static int64_t count_tallies(const struct xs_trace *trace, bool estimated_only)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < trace->tally_count; i++)
		if ((!estimated_only || trace->tallies[i].estimated) &&
		    __builtin_add_overflow(calls, trace->tallies[i].calls,
					   &calls))
			return INT64_MAX / 2;
	return calls < INT64_MAX / 2 ? (int64_t)calls : INT64_MAX / 2;
}

#define ENDING_NS 10000000
/* Counts ops without a call; calls are sorted by start. The threads of a
 * process that ends stop one after another, up to ENDING_NS apart. */
static void count_outside(const struct xs_trace *trace,
			  struct xs_result_coverage *out)
{
	const size_t calls = trace->call_count;

	XS_EACH(op, trace->ops, calls ? trace->op_count : 0) {
		if (op->call != XS_NONE)
			continue;
		out->early_ops += op->start_ns < trace->calls[0].start_ns;
		out->unreturned_ops +=
		    op->correlation &&
		    op->end_ns + ENDING_NS > trace->calls[calls - 1].start_ns;
		out->own_ops += !op->correlation;
	}
}

void xs_build_coverage(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases)
{
	struct xs_result_coverage *out = &result->coverage;
	const int64_t counted = count_tallies(trace, false);

	*out = (struct xs_result_coverage){
	    .api_calls_seen = xs_number_bounded(trace->call_count) + counted,
	    .gpu_ops_seen = xs_number_bounded(trace->op_count),
	    .calls_counted = counted,
	    .read_in_windows = trace->skipped != NULL,
	    .calls_estimated = count_tallies(trace, true),
	    .matched = xs_number_bounded(trace->ops_matched),
	    .lost_calls = xs_number_bounded(trace->lost_calls),
	    .lost_ops = xs_number_bounded(trace->lost_ops),
	    .lost_cupti = xs_number_bounded(trace->lost_cupti),
	    .graphs_as_one = xs_number_bounded(trace->graphs_as_one),
	    .graphs_by_node = xs_number_bounded(trace->graphs_by_node),
	    .graphs_unknown = xs_number_bounded(trace->graphs_unknown),
	    .untimed = xs_number_bounded(trace->untimed),
	    .missing_bytes = missing_bytes(trace),
	    .timing_source = xs_arena_copy(&result->arena,
					   xs_trace_find_info(trace, "rung")),
	    .imported = xs_arena_copy(&result->arena,
				      xs_trace_find_info(trace, "imported")),
	    .mode = xs_arena_copy(&result->arena,
				  xs_trace_find_info(trace, "mode")),
	    .counted = trace->counter_count > 0,
	    .notes =
		xs_arena_alloc(&result->arena, NOTES_MAX, sizeof(*out->notes)),
	    .note_kinds = xs_arena_alloc(&result->arena, NOTES_MAX,
					 sizeof(*out->note_kinds)),
	};
	out->lost = out->lost_calls + out->lost_ops + out->lost_cupti;
	count_outside(trace, out);
	note_losses(result);
	note_file(result, trace, phases);
	xs_build_note_gpu(result, trace);
	note_failed(result, trace);
	xs_build_note_sampling(result, trace);
	note_changed(result, trace);
	note_connections(result);
	xs_build_check_profile(result, trace, xs_build_device(trace, phases));
}
