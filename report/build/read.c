/* SPDX-License-Identifier: MIT */
/* Builds a result from a trace, stage by stage. */
#include "report/build/read.h"

#include "analyzer/dataflow/flow.h"
#include "analyzer/read/trace.h"
#include "analyzer/rounds/phase.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/allocations.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "model/strategies/model.h"
#include "report/build/build.h"
#include "report/build/steady.h"
#include "report/build/verdict.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/plan.h"
#include "report/plan/step_range.h"
#include "report/plan/tracing.h"
#include "report/plan/worth.h"
#include "report/result/best.h"

#include <malloc.h>
#include <stdlib.h>

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
	out->pinned_free_ns = HOST(line->pinned_free_ns);
	out->init_ns = trace->startup.ns ? HOST(trace->startup.ns) : XS_UNKNOWN;
	out->init_at_most = trace->startup.call == XS_NONE;
#undef GPU
#undef BUSY
#undef HOST
}

/* The totals of the steady part, if there is one. CUDA's start is no part of
 * it. */
static void fill_steady(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_steady *steady)
{
	struct xs_result_steady *out = &result->steady;
	struct xs_timeline line;

	out->rounds = xs_number_known(steady->rounds);
	if (!steady->repeats)
		return;
	xs_timeline_of_span(trace, &steady->span, &line);
	fill_totals(trace, &line, &out->totals);
	out->totals.init_ns = 0;
	out->totals.init_at_most = false;
}

static void fill_estimates(struct xs_result *result,
			   struct xs_result_phase *out,
			   const struct xs_phase *phase,
			   const struct xs_model_options *model)
{
	struct xs_estimates list = {0};

	if (!result->coverage.lacking)
		xs_model_phase(phase, &result->machine, model, &list);
	/* --all changes no figure of the run */
	xs_tracing_set(&list,
		       out < result->phases + XS_RESULT_PHASES
			   ? (double)phase->recorded_rounds
			   : 0,
		       out);
	XS_ARENA_NEW(&result->arena, out->estimates, list.count);
	for (size_t i = 0; i < list.count; i++)
		xs_phase_estimate_build(result, out, &list.items[i],
					&out->estimates[out->estimate_count++]);
	xs_phase_estimate_count_between(out);
	for (size_t i = 0; i < out->estimate_count; i++) {
		out->estimates[i].chosen =
		    &out->estimates[i] ==
		    xs_worth_best(out, out->estimates[i].strategy);
		xs_step_set_row_saving(out, &out->estimates[i]);
	}
	xs_estimates_free(&list);
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

static void fill_phases(struct xs_result *result, const struct xs_trace *trace,
			struct xs_phases *phases, size_t count,
			const struct xs_model_options *model)
{
	struct xs_allocations allocations = {0};
	uint64_t steps = XS_FLOW_MOST_STEPS; /* of all phases */

	xs_allocations_build(trace, &allocations);
	XS_ARENA_NEW(&result->arena, result->phases, count);
	for (size_t i = 0; i < count; i++) {
		struct xs_result_phase *out =
		    &result->phases[result->phase_count++];

		xs_build_phase(result, trace, &phases->items[i], out);
		out->free_bytes = xs_build_free_bytes(result, &allocations,
						      &phases->items[i]);
		xs_build_phase_flow(result, trace, &phases->items[i], &steps,
				    out);
		xs_build_atgpu(result, &allocations, &phases->items[i],
			       &out->atgpu);
	}
	xs_build_side_by_side(result);
	for (size_t i = 0; i < result->phase_count; i++)
		fill_estimates(result, &result->phases[i], &phases->items[i],
			       model);
	xs_tracing_untrace_runs(result);
	fill_rest(result, phases, count);
	xs_allocations_free(&allocations);
}

static void fill_asked(struct xs_result *result,
		       const struct xs_result_options *options)
{
	result->streams_asked = xs_number_known(options->streams);
	result->atgpu_asked = options->atgpu;
	result->dataflow_asked = options->dataflow;
	result->all_asked = options->most_phases == SIZE_MAX;
}

/* What the stages below work on; those of the trace come first. */
struct build {
	struct xs_result *result;
	const struct xs_trace *trace;
	const struct xs_result_options *options;
	struct xs_timeline timeline;
	struct xs_phases phases;
	struct xs_steady steady;
	struct xs_machine traced; /* the machine of the trace */
};

static void find_phases(struct build *b)
{
	const struct xs_trace *counted = b->options->counted;

	xs_phases_build(b->trace, &b->phases);
	xs_phases_count(&b->phases, b->trace, counted ? counted : b->trace);
}

/* What the trace says without a model. */
static void build_measured(struct build *b)
{
	struct xs_result *result = b->result;
	const struct xs_trace *trace = b->trace;

	xs_build_coverage(result, trace, &b->phases);
	xs_steady_find(trace, &b->phases, &b->steady);
	fill_steady(result, trace, &b->steady);
	xs_build_waits(result, trace, &b->steady);
	xs_build_gaps(result, trace);
	xs_build_coverage_calls(result, trace);
	xs_build_note_counters(result, trace, &b->phases, b->options);
}

/* Estimates take far more time and memory than records, so unless all are asked
 * for, phases have them up to the longest one of the steady part, or 20. */
static size_t count_filled(const struct build *b)
{
	size_t most = b->options->most_phases;

	if (!most)
		most =
		    xs_steady_reach(&b->steady, &b->phases, XS_RESULT_PHASES);
	return b->phases.count < most ? b->phases.count : most;
}

/* The estimates of the longest phases. */
static void build_estimates(struct build *b)
{
	const struct xs_model_options model = {
	    .streams = b->options->streams,
	    .language = xs_result_language(&b->result->run),
	    .shares_memory = xs_build_shares_memory(b->trace),
	    .traced = &b->traced,
	    .other_machines = b->options->elsewhere,
	    .other_machine_count = b->options->elsewhere_count,
	};

	fill_phases(b->result, b->trace, &b->phases, count_filled(b), &model);
	xs_build_other_machines(b->result, b->options);
}

/* What to do, and what it brings. */
static void build_advice(struct build *b)
{
	struct xs_result *result = b->result;
	const struct xs_trace *trace = b->trace;

	xs_verdict_build(result, trace, &b->phases, &b->steady);
	if (b->options->pinned_budget)
		xs_build_pinned_budget(result, trace, &b->phases,
				       b->options->pinned_budget);
	if (b->options->by_range)
		xs_build_nvtx(result, trace);
	if (b->options->dataflow || trace->pointers_count)
		xs_build_dataflow(result, trace, &b->phases);
	xs_plan_build(result);
	/* names those of the plan */
	xs_build_note_devices(result);
	xs_verdict_say(result);
	if (b->options->timeline)
		b->options->timeline(result, trace, &b->phases);
}

static void build(struct build *b, const char *path)
{
	xs_timeline_build(b->trace, &b->timeline);
	fill_asked(b->result, b->options);
	xs_build_run(b->result, b->trace, path);
	b->result->run.wall_ns = xs_number_known(b->timeline.wall_ns);
	fill_totals(b->trace, &b->timeline, &b->result->totals);
	xs_build_devices(b->result, b->trace, saw_gpu(b->trace));
	find_phases(b);
	xs_build_machine(b->result, b->trace, &b->phases, b->options,
			 &b->traced);
	build_measured(b);
	xs_build_gpu_links(b->result, b->trace, &b->steady.span);
	build_estimates(b);
	build_advice(b);
}

struct xs_result *xs_result_build(const struct xs_trace *trace,
				  const char *path,
				  const struct xs_result_options *options)
{
	struct build b = {.trace = trace, .options = options};

	b.result = xs_calloc(1, sizeof(*b.result));
	build(&b, path);
	xs_phases_free(&b.phases);
	return b.result;
}

/* Each replay of a large round takes and frees the same arrays. They are kept
 * instead of given back and cleared again: a report on two rounds of 60,000
 * streams has 80,000 instead of 376,000 page faults. The arrays of the trace
 * are before that: in the heap each growing one would leave holes of its size.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

int xs_result_read(const char *path, const struct xs_result_options *options,
		   struct xs_result **result, const char **error)
{
	struct xs_trace *trace = NULL;
	int err;

	*error = NULL;
	*result = NULL;
	err = xs_trace_read_most(path,
				 options->most_records ? options->most_records
						       : XS_READ_MOST_RECORDS,
				 &trace, error);
	keep_memory();
	if (!err) {
		xs_symbols_resolve(trace);
		*result = xs_result_build(trace, path, options);
	}
	xs_trace_free(trace);
	return err;
}
