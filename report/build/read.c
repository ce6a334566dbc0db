/* SPDX-License-Identifier: MIT */
/* Builds a result from a trace, stage by stage. */
#include "report/build/read.h"

#include "analyzer/read/trace.h"
#include "analyzer/rounds/connections.h"
#include "analyzer/rounds/phase.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/allocations.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "model/strategies/model.h"
#include "report/build/build.h"
#include "report/build/phase_estimate.h"
#include "report/build/plan.h"
#include "report/build/steady.h"
#include "report/build/verdict.h"
#include "report/result/best.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *utc(struct xs_arena *arena, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char text[32];
	struct tm tm;

	if (!realtime_ns || !gmtime_r(&seconds, &tm))
		return NULL;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xs_arena_copy(arena, text);
}

/*
 * "13.0" of "130000 /usr/lib/libcupti.so.13". Versions before 13 are plain
 * numbers and stay as they are.
 */
static const char *cupti_version(struct xs_arena *arena, const char *info)
{
	unsigned long number;
	char *end;

	if (!info)
		return NULL;
	number = strtoul(info, &end, 10);
	if (number >= 100000 && (*end == ' ' || *end == '\0'))
		return xs_arena_print(arena, "%lu.%lu", number / 10000,
				      number % 10000 / 100);
	return xs_arena_print(arena, "%.*s", (int)strcspn(info, " "), info);
}

static bool has_module_in(const struct xs_trace *trace, const char *folder)
{
	for (size_t i = 0; i < trace->module_count; i++)
		if (trace->modules[i].path < trace->string_count &&
		    strstr(trace->strings[trace->modules[i].path], folder))
			return true;
	return false;
}

static bool has_string_with(const struct xs_trace *trace, const char *part)
{
	for (size_t i = 0; i < trace->string_count; i++)
		if (trace->strings[i] && strstr(trace->strings[i], part))
			return true;
	return false;
}

/* The framework of Python whose libraries are among the callers of CUDA. That
 * of numba is in Python. */
static enum xs_language python_of(const struct xs_trace *trace)
{
	static const struct {
		const char *folder;
		enum xs_language language;
	} frameworks[] = {
	    {"/torch/", XS_LANGUAGE_PYTORCH},
	    {"/jax_plugins/", XS_LANGUAGE_JAX},
	    {"/cupy", XS_LANGUAGE_CUPY}, /* cupy, cupy_backends */
	};

	for (size_t i = 0; i < sizeof(frameworks) / sizeof(*frameworks); i++)
		if (has_module_in(trace, frameworks[i].folder))
			return frameworks[i].language;
	return has_string_with(trace, "/numba/cuda/") ? XS_LANGUAGE_NUMBA
						      : XS_LANGUAGES;
}

static void fill_run(struct xs_result *result, const struct xs_trace *trace,
		     const char *path)
{
	const struct xs_connections asked = xs_connections_asked(trace);
	struct xs_arena *arena = &result->arena;
	struct xs_result_run *run = &result->run;

	run->path = xs_arena_copy(arena, path);
	run->app = xs_arena_copy(arena, xs_trace_find_info(trace, "app"));
	run->host = xs_arena_copy(arena, xs_trace_find_info(trace, "host"));
	run->ignored_ns = xs_number_bounded(trace->ignored_ns);
	run->pid = xs_number_known(trace->header.pid);
	run->started_utc = utc(arena, trace->header.start_realtime_ns);
	run->cupti_version =
	    cupti_version(arena, xs_trace_find_info(trace, "cupti"));
	run->driver_version =
	    xs_arena_copy(arena, xs_trace_find_info(trace, "driver"));
	run->max_connections = xs_number_known(asked.all);
	run->max_copy_connections = xs_number_known(asked.copy);
	run->python = python_of(trace);
}

/*
 * Whether GPU work is known: false if calls issued work and no op was
 * recorded.
 */
static bool saw_gpu(const struct xs_trace *trace)
{
	if (trace->op_count)
		return true;
	for (size_t i = 0; i < trace->call_count; i++)
		if (xs_call_issues(trace->calls[i].call_class))
			return false;
	return xs_trace_find_info(trace, "cupti") != NULL;
}

/* Returns the time of a kind of work. Unknown if its calls were all only
 * counted: there is work, and no op tells how long it took. */
static int64_t busy_ns(const struct xs_timeline *line, enum xs_op_kind kind)
{
	if (line->count[kind] && !line->busy_ns[kind])
		return XS_UNKNOWN;
	return xs_number_bounded(line->busy_ns[kind]);
}

/*
 * Totals of GPU work are unknown without GPU records, and totals of the host
 * are unknown without calls.
 */
static void fill_totals(const struct xs_trace *trace,
			const struct xs_timeline *line,
			struct xs_result_totals *out)
{
	bool gpu = saw_gpu(trace), host = trace->call_count > 0;

#define GPU(value)  (gpu ? xs_number_bounded(value) : XS_UNKNOWN)
#define BUSY(kind)  (gpu ? busy_ns(line, kind) : XS_UNKNOWN)
#define HOST(value) (host ? xs_number_bounded(value) : XS_UNKNOWN)
	out->h2d_bytes = GPU(line->bytes[XS_OP_H2D]);
	out->d2h_bytes = GPU(line->bytes[XS_OP_D2H]);
	out->h2d_ops = GPU(line->count[XS_OP_H2D]);
	out->d2h_ops = GPU(line->count[XS_OP_D2H]);
	out->kernels = GPU(line->count[XS_OP_KERNEL]);
	out->d2d_bytes = GPU(line->bytes[XS_OP_D2D]);
	out->d2d_ops = GPU(line->count[XS_OP_D2D]);
	out->d2d_ns = BUSY(XS_OP_D2D);
	out->p2p_bytes = GPU(line->bytes[XS_OP_P2P]);
	out->p2p_ops = GPU(line->count[XS_OP_P2P]);
	out->p2p_ns = BUSY(XS_OP_P2P);
	out->h2d_ns = BUSY(XS_OP_H2D);
	out->d2h_ns = BUSY(XS_OP_D2H);
	out->kernel_ns = BUSY(XS_OP_KERNEL);
	out->gpu_busy_ns = GPU(line->gpu_busy_ns);
	out->overlap_ns = GPU(line->overlap_ns);
	out->migrated_h2d_bytes = GPU(line->migrated_bytes[XS_OP_H2D]);
	out->migrated_d2h_bytes = GPU(line->migrated_bytes[XS_OP_D2H]);
	out->migrated_h2d_ns = GPU(line->migrated_ns[XS_OP_H2D]);
	out->migrated_d2h_ns = GPU(line->migrated_ns[XS_OP_D2H]);
	out->pageable_async_ops = GPU(line->pageable_async_ops);
	out->host_blocked_ns = HOST(line->host_blocked_ns);
	out->pinned_alloc_ns = HOST(line->pinned_alloc_ns);
	out->init_ns = line->startup.call == XS_NONE && !line->startup.ns
			   ? XS_UNKNOWN
			   : HOST(line->startup.ns);
	out->init_at_most = line->startup.call == XS_NONE && line->startup.ns;
#undef GPU
#undef BUSY
#undef HOST
}

/* The totals of the steady part, if there is one. CUDA's start is no part of
 * it. */
static int fill_steady(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_steady *steady)
{
	struct xs_result_steady *out = &result->steady;
	struct xs_timeline line;
	int err;

	out->rounds = xs_number_known(steady->rounds);
	if (!steady->repeats)
		return 0;
	err = xs_timeline_of_span(trace, &steady->span, &line);
	if (err)
		return err;
	fill_totals(trace, &line, &out->totals);
	out->totals.init_ns = 0;
	out->totals.init_at_most = false;
	return 0;
}

static int fill_estimates(struct xs_result *result, struct xs_result_phase *out,
			  const struct xs_phase *phase,
			  const struct xs_model_options *model)
{
	struct xs_estimates list = {0};
	int err = xs_model_phase(phase, &result->machine, model, &list);

	if (err < 0)
		goto out;
	out->estimates =
	    xs_arena_alloc(&result->arena, list.count, sizeof(*out->estimates));
	for (size_t i = 0; out->estimates && i < list.count; i++)
		xs_phase_estimate_build(result, out, &list.items[i],
					&out->estimates[out->estimate_count++]);
	for (size_t i = 0; i < out->estimate_count; i++)
		out->estimates[i].chosen =
		    &out->estimates[i] ==
		    xs_result_best(out, out->estimates[i].strategy, true);
out:
	xs_estimates_free(&list);
	return err;
}

static void fill_rest(struct xs_result *result, const struct xs_phases *phases,
		      size_t first)
{
	struct xs_result_rest *out = &result->rest;

	for (size_t i = first; i < phases->count; i++) {
		const struct xs_phase *phase = &phases->items[i];

		out->phases++;
		xs_number_add(&out->rounds, xs_number_bounded(phase->rounds));
		xs_number_add(&out->total_ns,
			      xs_number_bounded(phase->total_ns));
	}
	if (out->phases)
		out->largest_ns =
		    xs_number_bounded(phases->items[first].total_ns);
}

/* Estimates and their texts take far more time and memory than the records of
 * a phase, so only the longest phases have them unless all are asked for. */
static int fill_phases(struct xs_result *result, const struct xs_trace *trace,
		       const struct xs_phases *phases, size_t most,
		       const struct xs_model_options *model)
{
	const size_t room = most ? most : XS_RESULT_PHASES;
	const size_t count = phases->count < room ? phases->count : room;
	struct xs_allocations allocations = {0};
	int err;

	err = xs_allocations_build(trace, &allocations);
	if (err < 0)
		return err;
	result->phases =
	    xs_arena_alloc(&result->arena, count, sizeof(*result->phases));
	for (size_t i = 0; result->phases && !err && i < count; i++) {
		struct xs_result_phase *out =
		    &result->phases[result->phase_count++];

		xs_build_phase(result, trace, &phases->items[i], out);
		err = xs_build_atgpu(result, &allocations, &phases->items[i],
				     &out->atgpu);
		if (!err)
			err = fill_estimates(result, out, &phases->items[i],
					     model);
	}
	fill_rest(result, phases, count);
	xs_allocations_free(&allocations);
	return result->phases ? err : -ENOMEM;
}

static void fill_asked(struct xs_result *result,
		       const struct xs_result_options *options)
{
	result->streams_asked = xs_number_known(options->streams);
	result->atgpu_asked = options->atgpu;
	result->dataflow_asked = options->dataflow;
	result->all_asked = options->most_phases == SIZE_MAX;
}

static int build(struct xs_result *result, const struct xs_trace *trace,
		 const char *path, const struct xs_result_options *options)
{
	struct xs_machine traced;
	const struct xs_model_options model = {
	    .streams = options->streams,
	    .traced = &traced,
	    .other_machines = options->elsewhere,
	    .other_machine_count = options->elsewhere_count,
	};
	struct xs_timeline timeline;
	struct xs_phases phases = {0};
	struct xs_steady steady;
	int err;

	err = xs_timeline_build(trace, &timeline);
	if (err < 0)
		return err;
	fill_asked(result, options);
	fill_run(result, trace, path);
	result->run.wall_ns = xs_number_known(timeline.wall_ns);
	fill_totals(trace, &timeline, &result->totals);
	err = xs_build_devices(result, trace, saw_gpu(trace));
	if (!err)
		err = xs_phases_build(trace, &phases);
	if (!err)
		err = xs_phases_count(&phases, trace,
				      options->counted ? options->counted
						       : trace);
	if (err < 0)
		goto out;
	err = xs_build_machine(result, trace, &phases, options, &traced);
	if (err < 0)
		goto out;
	xs_build_coverage(result, trace, &phases);
	xs_steady_find(trace, &phases, &timeline.startup, &steady);
	err = fill_steady(result, trace, &steady);
	if (!err)
		err = xs_build_waits(result, trace, &timeline.startup, &steady);
	if (!err)
		err = xs_build_gaps(result, trace);
	if (!err)
		err = xs_build_matching(result, trace);
	if (err < 0)
		goto out;
	xs_build_note_counters(result, trace, &phases, options);
	err = fill_phases(result, trace, &phases, options->most_phases, &model);
	if (err < 0)
		goto out;
	xs_build_note_devices(result);
	xs_build_other_machines(result, options);
	err = xs_verdict_build(result, trace, &phases, &timeline.startup,
			       &steady);
	if (!err && (options->dataflow || trace->pointers_count))
		err = xs_build_dataflow(result, trace, &phases);
	if (!err)
		err = xs_plan_build(result);
	if (!err)
		err = xs_verdict_say(result);
	if (!err && result->arena.failed)
		err = -ENOMEM;
out:
	xs_phases_free(&phases);
	return err;
}

int xs_result_build(const struct xs_trace *trace, const char *path,
		    const struct xs_result_options *options,
		    struct xs_result **result)
{
	int err = -ENOMEM;

	*result = calloc(1, sizeof(**result));
	if (*result)
		err = build(*result, trace, path, options);
	if (err < 0) {
		xs_result_free(*result);
		*result = NULL;
	}
	return err;
}

int xs_result_read(const char *path, const struct xs_result_options *options,
		   struct xs_result **result, const char **error)
{
	struct xs_trace *trace = NULL;
	int err;

	*error = NULL;
	*result = NULL;
	err = xs_trace_read(path, &trace, error);
	if (!err)
		err = xs_symbols_resolve(trace);
	if (!err)
		err = xs_result_build(trace, path, options, result);
	xs_trace_free(trace);
	return err;
}
