/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline.h"

#include "analyzer/timeline/blocking_calls.h"
#include "report/timeline/lane_names.h"
#include "report/timeline/ranges.h"
#include "report/timeline/rounds.h"

#include "report/result/number.h"

#include <errno.h>
#include <stdlib.h>

static int64_t since(uint64_t ns, uint64_t begin_ns)
{
	return ns > begin_ns ? xs_number_bounded(ns - begin_ns) : 0;
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

		xs_lanes_add(lanes,
			     xs_timeline_host_lane(lanes,
						   kind_of(call, blocked[i]),
						   call->thread),
			     &slice);
	}
}

static void add_ops(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		    const struct xs_op *ops, size_t count)
{
	const struct xs_trace *trace = texts->trace;

	for (size_t i = 0; i < count; i++) {
		const struct xs_op *op = &ops[i];
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

		xs_lanes_add(
		    lanes,
		    xs_timeline_op_lane(lanes, trace, op->kind, op->queue),
		    &slice);
	}
}

/* The run as it was. */
static int add_run(struct xs_timeline_texts *texts)
{
	const struct xs_trace *trace = texts->trace;
	struct xs_result_timeline *out = texts->out;
	struct xs_lanes lanes = {.arena = &texts->result->arena};
	bool *blocked = xs_calls_blocked(trace);

	if (!blocked)
		return -ENOMEM;
	xs_timeline_ranges_add(texts, &lanes);
	add_calls(texts, &lanes, blocked);
	add_ops(texts, &lanes, trace->ops, trace->op_count);
	add_ops(texts, &lanes, trace->migrations, trace->migration_count);
	out->views[out->view_count] = (struct xs_result_view){.rounds = 1};
	xs_lanes_finish(&lanes, &out->views[out->view_count++]);
	free(blocked);
	return 0;
}

int xs_timeline_of_result(struct xs_result *result,
			  const struct xs_trace *trace,
			  const struct xs_phases *phases)
{
	struct xs_result_timeline *out =
	    xs_arena_alloc(&result->arena, 1, sizeof(*out));
	struct xs_timeline_texts *texts =
	    xs_arena_alloc(&result->arena, 1, sizeof(*texts));
	int err;

	if (!out || !texts)
		return -ENOMEM;
	err = xs_timeline_texts_init(texts, result, trace, out);
	if (!err)
		err = xs_timeline_rounds_room(result, out);
	if (!err)
		err = add_run(texts);
	if (!err)
		err = xs_timeline_rounds_add(texts, phases);
	if (!err)
		result->timeline = out;
	return err;
}
