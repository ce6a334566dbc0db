/* SPDX-License-Identifier: MIT */
/*
 * Counts calls by class and GPU ops by kind, each with how many are matched,
 * and explains in remarks what is missing and why.
 */
#include "report/build/build.h"

#include "analyzer/read/names.h"
#include "analyzer/util/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REMARKS_MAX 8

/* Names in remarks. */
static const char *const kind_words[XS_OP_KINDS] = {
    [XS_OP_H2D] = "copies in",
    [XS_OP_D2H] = "copies out",
    [XS_OP_D2D] = "device-to-device copies",
    [XS_OP_H2H] = "host-to-host copies",
    [XS_OP_SET] = "memsets",
    [XS_OP_KERNEL] = "kernels",
    [XS_OP_P2P] = "peer copies",
};

struct counts {
	int64_t calls[XS_CALL_CLASSES], calls_matched[XS_CALL_CLASSES];
	int64_t ops[XS_OP_KINDS], ops_matched[XS_OP_KINDS];
};

/* Classes of newer versions count as "other". */
static uint8_t class_of(uint8_t call_class)
{
	return call_class < XS_CALL_CLASSES ? call_class : XS_CALL_OTHER;
}

/* Counts of a damaged file may be of any size. */
static void add(int64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

/* has_op: of each call, which are false. */
static void count_ops(const struct xs_trace *trace, bool *has_op,
		      struct counts *counts)
{
	XS_EACH(op, trace->ops, trace->op_count) {
		counts->ops[op->kind]++;
		if (op->call == XS_NONE)
			continue;
		counts->ops_matched[op->kind]++;
		has_op[op->call] = true;
	}
	for (size_t i = 0; i < trace->call_count; i++) {
		const uint8_t class = class_of(trace->calls[i].call_class);

		counts->calls[class]++;
		counts->calls_matched[class] += has_op[i];
	}
	XS_EACH(tally, trace->tallies, trace->tally_count) {
		add(&counts->calls[class_of(
			trace->sites[tally->site].call_class)],
		    tally->calls);
	}
}

/* Returns a name with underscores. */
static const char *underscored(struct xs_arena *arena, const char *name)
{
	const size_t size = strlen(name) + 1;
	char *copy = xs_arena_alloc(arena, size, 1);

	memcpy(copy, name, size);
	for (char *at = copy; *at; at++)
		if (*at == '-')
			*at = '_';
	return copy;
}

/* Returns the rows with a count above 0. */
static struct xs_result_match_count *list(struct xs_arena *arena,
					  const char *(*name)(unsigned),
					  const int64_t *count,
					  const int64_t *matched, unsigned room,
					  size_t *listed)
{
	struct xs_result_match_count *out =
	    xs_arena_alloc(arena, room, sizeof(*out));

	for (unsigned i = 0; i < room; i++)
		if (count[i] > 0)
			out[(*listed)++] = (struct xs_result_match_count){
			    underscored(arena, name(i)), count[i], matched[i]};
	return out;
}

/* Whether the function belongs to the driver API: cuMemcpy, not cudaMemcpy. */
static bool is_of_driver(const struct xs_trace *trace, uint32_t site)
{
	const char *name = trace->strings[trace->sites[site].function];

	return strncmp(name, "cu", 2) == 0 && strncmp(name, "cuda", 4) != 0;
}

static int64_t count_driver_calls(const struct xs_trace *trace)
{
	int64_t calls = 0;

	for (size_t i = 0; i < trace->call_count; i++)
		calls += is_of_driver(trace, trace->calls[i].site);
	for (size_t i = 0; i < trace->tally_count; i++)
		if (is_of_driver(trace, trace->tallies[i].site))
			add(&calls, trace->tallies[i].calls);
	return calls;
}

static void list_cudarts(struct xs_result *result, const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;

	XS_ARENA_NEW(&result->arena, out->cudarts, trace->info_count);
	for (size_t i = 0; out->cudarts && i < trace->info_count; i++) {
		const char *value = trace->infos[i].value;
		const char *colon = strchr(value, ':');

		if (strcmp(trace->infos[i].key, "cudart") == 0 && colon)
			out->cudarts[out->cudart_count++] =
			    (struct xs_result_cudart){
				xs_arena_copy(&result->arena, colon + 1),
				strncmp(value, "dynamic:", 8) == 0};
	}
}

static void remark(struct xs_result *result, const char *text)
{
	struct xs_result_coverage *out = &result->coverage;

	if (text && out->remarks && out->remark_count < REMARKS_MAX)
		out->remarks[out->remark_count++] = text;
}

/* "30 of 40 kernels, 3 of 10 copies in" */
static const char *unmatched_kinds(struct xs_arena *arena,
				   const struct counts *counts)
{
	const char *out = NULL;

	for (size_t i = XS_OP_KINDS; i-- > 0;)
		if (counts->ops_matched[i] < counts->ops[i])
			out =
			    xs_print(arena, "%s%s%" PRId64 " of %" PRId64 " %s",
				     out ? out : "", out ? ", " : "",
				     counts->ops[i] - counts->ops_matched[i],
				     counts->ops[i], kind_words[i]);
	return out;
}

/* Returns the likely reason why ops have no call. */
static const char *why_unmatched(struct xs_result *result)
{
	const struct xs_result_coverage *in = &result->coverage;
	const int64_t unmatched = in->gpu_ops_seen - in->matched;
	const bool callbacks =
	    in->timing_source && strcmp(in->timing_source, "callbacks") == 0;

	if (in->early_ops == unmatched)
		return "they started before the first recorded call: the "
		       "library was loaded into a running process";
	if (in->lost_calls)
		return "some of their calls were lost (no room)";
	if (in->calls_counted)
		return "their calls were only counted, not recorded";
	if (in->imported)
		return "the imported file has no call for them";
	if (callbacks && in->unreturned_ops == unmatched)
		return "their calls had not returned when the process ended, "
		       "or began while it ended";
	if (callbacks && in->unreturned_ops + in->own_ops == unmatched)
		return "the driver reported no correlation id, as for work "
		       "that it starts itself";
	return "calls to a statically linked CUDA runtime, or directly to the "
	       "driver, were not recorded";
}

static void remark_unmatched(struct xs_result *result,
			     const struct counts *counts)
{
	const struct xs_result_coverage *in = &result->coverage;

	if (!in->api_calls_seen || in->matched == in->gpu_ops_seen)
		return;
	remark(result, xs_print(&result->arena,
				"GPU work without a recorded call: %s; %s",
				unmatched_kinds(&result->arena, counts),
				why_unmatched(result)));
}

/* Returns the first library with a statically linked CUDA runtime, or NULL.
 * *count: of all. */
static const struct xs_result_cudart *
own_runtimes(const struct xs_result_coverage *in, int64_t *count)
{
	const struct xs_result_cudart *first = NULL;

	*count = 0;
	for (size_t i = 0; i < in->cudart_count; i++)
		if (!in->cudarts[i].shared && !(*count)++)
			first = &in->cudarts[i];
	return first;
}

static void remark_cudarts(struct xs_result *result)
{
	const struct xs_result_coverage *in = &result->coverage;
	const char *seen = "", *name, *more = "";
	int64_t count;
	const struct xs_result_cudart *first = own_runtimes(in, &count);

	if (!first)
		return;
	if (in->timing_source && strcmp(in->timing_source, "callbacks") == 0)
		seen = " (calls recorded by CUPTI)";
	else if (in->timing_source &&
		 strcmp(in->timing_source, "activity") == 0)
		seen = " (GPU work recorded, calls not)";
	else if (in->timing_source)
		seen = " (not recorded without CUPTI)";
	name = first->path ? strrchr(first->path, '/') : NULL;
	if (count > 1)
		more = xs_print(&result->arena, " and %" PRId64 " more",
				count - 1);
	remark(result, xs_print(&result->arena,
				"CUDA runtime linked statically%s: %s%s", seen,
				name ? name + 1 : first->path, more));
}

static void remark_driver(struct xs_result *result)
{
	const struct xs_result_coverage *in = &result->coverage;

	if (in->driver_calls > 0)
		remark(result,
		       xs_print(&result->arena,
				"driver API calls: %" PRId64 " of %" PRId64,
				in->driver_calls, in->api_calls_seen));
}

static bool asks_for_work(const struct counts *counts)
{
	bool asks = false;

	for (unsigned i = 0; i < XS_CALL_CLASSES; i++)
		asks |= counts->calls[i] && xs_call_issues(i);
	return asks;
}

/* Returns the likely reason why no GPU work was recorded. */
static const char *why_nothing(struct xs_result *result,
			       const struct xs_trace *trace,
			       const struct counts *counts)
{
	const struct xs_result_coverage *in = &result->coverage;
	const char *not_begun = xs_build_range_not_begun(result, trace);
	const bool with_cupti = result->run.cupti_version != NULL;
	int64_t own;

	if (in->imported)
		return "the imported file has none";
	if (in->mode && strcmp(in->mode, "calls") == 0)
		return "GPU recording was switched off (XFERSPY_MODE=calls)";
	if (in->missing_bytes)
		return "its records may be in the missing part of the file";
	if (not_begun)
		return not_begun;
	if (in->api_calls_seen && !asks_for_work(counts))
		return "none of the calls issues GPU work";
	if (trace->header.state == XS_FILE_RUNNING)
		return "the process was killed or is still running; its last "
		       "work is not in the file";
	if (in->api_calls_seen)
		return with_cupti
			   ? "CUPTI delivered no records: the program ended "
			     "before its GPU work completed, or another "
			     "profiler in the process received them"
			   : "CUPTI was not available";
	if (!in->cudart_count)
		return "no library of the process contains a CUDA runtime: the "
		       "program does not use CUDA, uses only the driver API, "
		       "or runs its GPU work in another process";
	return with_cupti || !own_runtimes(in, &own)
		   ? "the CUDA runtime was loaded but not called"
		   : "calls to a statically linked CUDA runtime are recorded "
		     "only through CUPTI, which was not available";
}

/* Records in the missing part are counted nowhere. */
static void remark_damage(struct xs_result *result,
			  const struct xs_trace *trace)
{
	const int64_t missing = result->coverage.missing_bytes;

	if (missing)
		remark(result, xs_print(&result->arena,
					"the file was cut: %s are missing, and "
					"with them calls and GPU times",
					xs_units_bytes(missing).s));
	else if (trace->defect_count)
		remark(result, "the file is damaged: calls and GPU times may "
			       "be missing");
}

static void remark_nothing(struct xs_result *result,
			   const struct xs_trace *trace,
			   const struct counts *counts)
{
	const struct xs_result_coverage *in = &result->coverage;

	if (in->imported)
		remark(result, xs_print(&result->arena,
					"recorded by %s, not by xferspy",
					in->imported));
	if (!in->gpu_ops_seen) {
		remark(result, xs_print(&result->arena, "no GPU work: %s",
					why_nothing(result, trace, counts)));
		remark(result,
		       "unknown: GPU times, overlap, and predicted savings");
	}
	if (!in->api_calls_seen)
		remark(result, "unknown: what the host waited for, and which "
			       "source lines to change");
}

void xs_build_coverage_calls(struct xs_result *result,
			     const struct xs_trace *trace)
{
	struct xs_result_coverage *out = &result->coverage;
	struct xs_arena *arena = &result->arena;
	struct counts counts = {{0}, {0}, {0}, {0}};
	bool *has_op = xs_calloc(trace->call_count + 1, sizeof(*has_op));

	count_ops(trace, has_op, &counts);
	free(has_op);
	out->classes =
	    list(arena, xs_name_call, counts.calls, counts.calls_matched,
		 XS_CALL_CLASSES, &out->class_count);
	out->kinds = list(arena, xs_name_op, counts.ops, counts.ops_matched,
			  XS_OP_KINDS, &out->kind_count);
	out->driver_calls = count_driver_calls(trace);
	list_cudarts(result, trace);
	XS_ARENA_NEW(arena, out->remarks, REMARKS_MAX);
	remark_damage(result, trace);
	remark_nothing(result, trace, &counts);
	remark_unmatched(result, &counts);
	remark_driver(result);
	remark_cudarts(result);
}
