/* SPDX-License-Identifier: MIT */
/* The lanes of the run, and those of the recorded and predicted rounds. */
#include "report/timeline/timeline.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"
#include "report/timeline/lanes.h"
#include "report/timeline/schedules.h"

#include "report/result/number.h"

#include <stdlib.h>
#include <string.h>

/* A round of more steps has no views: they could not be told apart. */
#define STEPS_MAX 20000u

static int64_t since(uint64_t ns, uint64_t begin_ns)
{
	return ns > begin_ns ? xs_number_bounded(ns - begin_ns) : 0;
}

/* Ranges of the process are those of thread 0. */
static uint64_t owner_of(const struct xs_nvtx *range)
{
	return range->process ? 0 : range->thread;
}

static void add_range(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		      const struct xs_nvtx *range, unsigned depth)
{
	const uint64_t begin_ns = texts->trace->begin_ns;
	const struct xs_result_slice slice = {
	    .start_ns = since(range->start_ns, begin_ns),
	    .end_ns = since(range->end_ns, begin_ns),
	    .name = texts->ranges[range - texts->trace->nvtx],
	};

	xs_lanes_add(
	    xs_lanes_range(lanes, range->thread, range->process, depth),
	    &slice);
}

/* The first depth at which no range runs; the last one takes all others. */
static unsigned depth_of(const struct xs_nvtx *range, const uint64_t *end_ns)
{
	unsigned depth = 0;

	while (depth < XS_LANES_DEPTHS - 1 && end_ns[depth] > range->start_ns)
		depth++;
	return depth;
}

/* Adds the ranges: of each thread a lane for them, one for those inside of
 * them, and so on. */
static void add_ranges(struct xs_timeline_texts *texts, struct xs_lanes *lanes)
{
	const struct xs_trace *trace = texts->trace;
	const size_t count = trace->nvtx_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));
	uint64_t end_ns[XS_LANES_DEPTHS] = {0};

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){owner_of(&trace->nvtx[i]), (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		const struct xs_nvtx *range = &trace->nvtx[keys[i].index];
		unsigned depth;

		if (i > 0 && keys[i].key != keys[i - 1].key)
			memset(end_ns, 0, sizeof(end_ns));
		depth = depth_of(range, end_ns);
		if (range->end_ns > end_ns[depth])
			end_ns[depth] = range->end_ns;
		add_range(texts, lanes, range, depth);
	}
	free(keys);
}

static enum xs_result_lane_kind kind_of(const struct xs_call *call,
					bool blocked)
{
	if (blocked)
		return XS_LANE_WAITS;
	if (xs_call_allocates(call->call_class) ||
	    xs_call_frees(call->call_class))
		return XS_LANE_ALLOCATIONS;
	return XS_LANE_CALLS;
}

static void add_calls(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		      const bool *blocked)
{
	const struct xs_trace *trace = texts->trace;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		const struct xs_result_slice slice = {
		    .start_ns = since(call->start_ns, trace->begin_ns),
		    .end_ns = since(call->end_ns, trace->begin_ns),
		    .bytes = xs_number_bounded(call->bytes),
		    .name = xs_timeline_call_name(texts, call->site),
		    .site = xs_timeline_site(texts, call->site),
		};

		xs_lanes_add(xs_lanes_host(lanes, kind_of(call, blocked[i]),
					   call->thread),
			     &slice);
	}
}

static void add_ops(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		    const struct xs_op *ops, size_t count)
{
	const struct xs_trace *trace = texts->trace;

	XS_EACH(op, ops, count) {
		const bool is_kernel = op->kind == XS_OP_KERNEL;
		const struct xs_result_slice slice = {
		    .start_ns = since(op->start_ns, trace->begin_ns),
		    .end_ns = since(op->end_ns, trace->begin_ns),
		    .bytes = xs_number_bounded(op->bytes),
		    .name = is_kernel
				? xs_timeline_kernel_name(texts, op->shape)
				: xs_timeline_copy_name(texts, op->kind,
							op->src_memory,
							op->dst_memory),
		    .site = op->call < trace->call_count
				? xs_timeline_site(texts,
						   trace->calls[op->call].site)
				: 0,
		};

		xs_lanes_add(xs_lanes_op(lanes, trace, op->kind, op->queue),
			     &slice);
	}
}

/* The run as it was. */
static void add_run(struct xs_timeline_texts *texts)
{
	const struct xs_trace *trace = texts->trace;
	struct xs_result_timeline *out = texts->out;
	struct xs_lanes lanes = {.arena = &texts->result->arena};
	bool *blocked = xs_calls_blocked(trace);

	add_ranges(texts, &lanes);
	add_calls(texts, &lanes, blocked);
	add_ops(texts, &lanes, trace->ops, trace->op_count);
	add_ops(texts, &lanes, trace->migrations, trace->migration_count);
	out->views[out->view_count] = (struct xs_result_view){.rounds = 1};
	xs_lanes_finish(&lanes, &out->views[out->view_count++]);
	free(blocked);
}

/* Makes room for the views of the run and of all rounds. */
static void make_room(struct xs_result *result, struct xs_result_timeline *out)
{
	size_t most = 1 + result->phase_count;

	for (size_t i = 0; i < result->phase_count; i++)
		most += xs_timeline_schedules_most(result, &result->phases[i]);
	XS_ARENA_NEW(&result->arena, out->views, most);
}

/* A copy that is not asynchronous waits, if only for a part of it. */
static enum xs_result_lane_kind lane_of_step(const struct xs_step *step)
{
	if (xs_step_is_allocation(step))
		return XS_LANE_ALLOCATIONS;
	if (step->blocking || (xs_step_is_copy(step) && !step->async) ||
	    xs_step_is_wait(step))
		return XS_LANE_WAITS;
	return XS_LANE_CALLS;
}

static void add_step_call(struct xs_timeline_texts *texts,
			  struct xs_lanes *lanes, const struct xs_step *step)
{
	const struct xs_result_slice slice = {
	    .start_ns = xs_number_bounded(step->call_ns),
	    .end_ns = xs_number_bounded(step->return_ns),
	    .bytes = xs_number_bounded(step->bytes),
	    .name = xs_timeline_call_name(texts, step->site),
	    .site = xs_timeline_site(texts, step->site),
	};

	if (step->return_ns > step->call_ns)
		xs_lanes_add(
		    xs_lanes_host(lanes, lane_of_step(step), step->thread),
		    &slice);
}

static void add_step_op(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
			const struct xs_step *step)
{
	const unsigned kind = xs_lanes_op_kind(step);
	const struct xs_result_slice slice = {
	    .start_ns = xs_number_bounded(step->start_ns),
	    .end_ns = xs_number_bounded(step->end_ns),
	    .bytes = xs_number_bounded(step->bytes),
	    .name = kind == XS_OP_KERNEL
			? xs_timeline_kernel_name(texts, step->shape)
			: xs_timeline_copy_name(texts, kind, step->src_memory,
						step->dst_memory),
	    .site = xs_timeline_site(texts, step->site),
	};

	xs_lanes_add(xs_lanes_op(lanes, texts->trace, kind, step->queue),
		     &slice);
}

static void add_recorded(struct xs_timeline_texts *texts,
			 const struct xs_phase *phase,
			 const struct xs_result_phase *of)
{
	struct xs_result_timeline *out = texts->out;
	struct xs_lanes lanes = {.arena = &texts->result->arena};

	XS_EACH(step, phase->steps, phase->step_count) {
		add_step_call(texts, &lanes, step);
		if (step->kind <= XS_STEP_KERNEL && step->end_ns)
			add_step_op(texts, &lanes, step);
	}
	out->views[out->view_count] =
	    (struct xs_result_view){.phase = of, .rounds = 1};
	xs_lanes_finish(&lanes, &out->views[out->view_count++]);
}

/* Adds the views of the median round of each phase. */
static void add_rounds(struct xs_timeline_texts *texts,
		       const struct xs_phases *phases)
{
	const struct xs_result *result = texts->result;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_phase *phase = &phases->items[i];

		if (!phase->step_count || phase->step_count > STEPS_MAX)
			continue;
		add_recorded(texts, phase, &result->phases[i]);
		xs_timeline_schedules_add(texts, phase, &result->phases[i]);
	}
}

void xs_timeline_of_result(struct xs_result *result,
			   const struct xs_trace *trace,
			   const struct xs_phases *phases)
{
	struct xs_result_timeline *out =
	    xs_arena_alloc(&result->arena, 1, sizeof(*out));
	struct xs_timeline_texts *texts =
	    xs_arena_alloc(&result->arena, 1, sizeof(*texts));

	xs_timeline_texts_init(texts, result, trace, out);
	make_room(result, out);
	add_run(texts);
	result->timeline = out;
	add_rounds(texts, phases);
}
