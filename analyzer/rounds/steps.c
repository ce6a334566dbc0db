/* SPDX-License-Identifier: MIT */
/* The representative round of a phase as steps, in the order of issue. */
#include "analyzer/rounds/allocation_starts.h"
#include "analyzer/rounds/measure.h"
#include "analyzer/rounds/setup_calls.h"
#include "analyzer/rounds/staged_copies.h"
#include "analyzer/rounds/stream_queues.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

struct builder {
	const struct xs_trace *trace;
	const struct xs_round *round;
	const uint8_t *starts; /* by call */
	struct xs_stream_queues streams;
	struct xs_step *steps;
	size_t count;
};

enum xs_step_kind xs_step_kind_of(uint8_t op_kind)
{
	static const enum xs_step_kind kinds[XS_OP_KINDS] = {
	    [XS_OP_H2D] = XS_STEP_H2D, [XS_OP_D2H] = XS_STEP_D2H,
	    [XS_OP_D2D] = XS_STEP_D2D, [XS_OP_H2H] = XS_STEP_H2H,
	    [XS_OP_SET] = XS_STEP_SET, [XS_OP_KERNEL] = XS_STEP_KERNEL,
	    [XS_OP_P2P] = XS_STEP_D2D};

	return kinds[op_kind];
}

static enum xs_step_kind step_kind_of_call(const struct xs_call *call)
{
	if (call->captured)
		return XS_STEP_HOST;
	switch (call->call_class) {
	case XS_CALL_POLL:
		if (!call->waited)
			return XS_STEP_HOST;
		return call->event ? XS_STEP_SYNC_EVENT : XS_STEP_SYNC_STREAM;
	case XS_CALL_RESET:
	case XS_CALL_SYNC_DEVICE:
		return XS_STEP_SYNC_DEVICE;
	case XS_CALL_SYNC_STREAM:
		return XS_STEP_SYNC_STREAM;
	case XS_CALL_SYNC_EVENT:
		return XS_STEP_SYNC_EVENT;
	case XS_CALL_EVENT_RECORD:
		return XS_STEP_EVENT_RECORD;
	case XS_CALL_STREAM_WAIT:
		return XS_STEP_STREAM_WAIT;
	}
	return xs_call_makes(call->call_class)	   ? XS_STEP_ALLOCATE
	       : xs_call_unmakes(call->call_class) ? XS_STEP_FREE
						   : XS_STEP_HOST;
}

static uint64_t since(uint64_t begin_ns, uint64_t time_ns)
{
	return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

static void set_call(const struct builder *b, struct xs_step *step,
		     const struct xs_call *call)
{
	const uint8_t *starts = &b->starts[call - b->trace->calls];

	step->thread = call->thread;
	step->site = call->site;
	step->event = call->event;
	step->dst = call->dst;
	step->src = call->src;
	step->src_starts = *starts & XS_SRC_STARTS;
	step->dst_starts = *starts & XS_DST_STARTS;
	step->call_ns = since(b->round->begin_ns, call->start_ns);
	step->return_ns = since(b->round->begin_ns, call->end_ns);
}

/* Returns the time in which the contents of the call's copy were hashed. */
static uint64_t hash_ns_of(const struct xs_trace *trace,
			   const struct xs_call *call)
{
	const size_t index = (size_t)(call - trace->calls);
	size_t low = 0, high = trace->content_count;

	XS_BISECT(low, high, i, trace->contents[i].call < index);
	return low < trace->content_count && trace->contents[low].call == index
		   ? trace->contents[low].hash_ns
		   : 0;
}

static void set_shape(struct xs_step *step, const struct xs_shape *shape)
{
	step->blocks = (uint64_t)shape->grid[0] * shape->grid[1];
	step->blocks *= shape->grid[2];
	step->block_threads =
	    shape->block[0] * shape->block[1] * shape->block[2];
	step->registers = shape->registers;
	step->shared_bytes =
	    shape->shared_static_bytes + shape->shared_dynamic_bytes;
}

static struct xs_step *new_step(struct builder *b, enum xs_step_kind kind)
{
	struct xs_step *step = &b->steps[b->count++];

	*step = (struct xs_step){.kind = (uint8_t)kind,
				 .queue = XS_NONE,
				 .site = XS_NONE,
				 .shape = XS_NONE};
	return step;
}

/* call: NULL when unknown. again: a further op of the same call, which costs
 * the host nothing more. */
static void add_op(struct builder *b, const struct xs_op *op,
		   const struct xs_call *call, bool again)
{
	struct xs_step *step = new_step(b, xs_step_kind_of(op->kind));

	step->src_memory = op->src_memory;
	step->dst_memory = op->dst_memory;
	step->async = (op->flags & XS_OP_ASYNC) != 0;
	step->peer = op->kind == XS_OP_P2P;
	step->staged_in = (op->flags & XS_OP_STAGED_IN) != 0;
	step->staged_out = (op->flags & XS_OP_STAGED_OUT) != 0;
	step->queue = op->queue;
	step->shape = op->shape;
	step->bytes = op->bytes;
	step->staged = xs_copy_is_staged(b->trace, op);
	step->start_ns = since(b->round->begin_ns, op->start_ns);
	/* a copy on a side stream may begin before the round */
	step->end_ns = step->start_ns + op->end_ns - op->start_ns;
	if (op->shape != XS_NONE)
		set_shape(step, &b->trace->shapes[op->shape]);
	if (!call)
		return;
	set_call(b, step, call);
	step->has_pointers =
	    xs_trace_has_pointers(b->trace, (uint32_t)(call - b->trace->calls));
	step->blocking = xs_call_waited(call, op);
	step->async |= call->call_class == XS_CALL_COPY_ASYNC ||
		       call->call_class == XS_CALL_SET_ASYNC;
	if (again)
		step->call_ns = step->return_ns;
	else
		step->hash_ns = hash_ns_of(b->trace, call);
}

static void add_call(struct builder *b, const struct xs_call *call)
{
	struct xs_step *step = new_step(b, step_kind_of_call(call));

	set_call(b, step, call);
	step->blocking =
	    step->kind <= XS_STEP_SYNC_EVENT ||
	    (step->kind == XS_STEP_FREE && xs_call_frees_at_once(call));
	step->bytes = call->bytes;
	if (call->call_class == XS_CALL_ALLOC_DEVICE ||
	    call->call_class == XS_CALL_FREE_DEVICE)
		step->dst_memory = XS_MEM_DEVICE;
	step->queue =
	    step->kind >= XS_STEP_ALLOCATE || step->kind == XS_STEP_SYNC_DEVICE
		? XS_NONE
		: xs_stream_queues_find(&b->streams, call->stream);
}

/* Steps in which the thread's next call is looked for. */
#define NEAR_STEPS 64u

/* A copy out is hashed after its call: before the thread's next one. What was
 * hashed after the thread's last call is no part of the round. */
static void hash_before_calls(struct builder *b)
{
	for (size_t i = b->count; i-- > 0;) {
		struct xs_step *step = &b->steps[i];
		size_t next = i + 1;

		if (step->kind != XS_STEP_D2H || !step->hash_ns)
			continue;
		while (next < b->count && next - i < NEAR_STEPS &&
		       (b->steps[next].thread != step->thread ||
			b->steps[next].return_ns <= step->return_ns))
			next++;
		if (next < b->count && next - i < NEAR_STEPS)
			b->steps[next].hash_ns += step->hash_ns;
		step->hash_ns = 0;
	}
}

/* Sorts the round's ops by call, then by start. */
static struct xs_key *ops_by_call(const struct xs_trace *trace,
				  const struct xs_rounds *rounds,
				  const struct xs_round *round)
{
	struct xs_key *keys = xs_malloc((round->op_count + 1) * sizeof(*keys));

	for (uint32_t i = 0; i < round->op_count; i++) {
		uint32_t op = xs_round_op(rounds, round, i);

		keys[i] = (struct xs_key){trace->ops[op].call, op};
	}
	xs_keys_sort(keys, round->op_count);
	return keys;
}

/* Returns how many steps the round has: its ops, which have the keys, and its
 * calls without an op. In a damaged trace, ops may belong to calls of other
 * rounds: there it has more. */
static size_t count_steps(const struct xs_round *round,
			  const struct xs_key *keys)
{
	size_t steps = (size_t)round->op_count + round->call_count;

	for (uint32_t i = 0; i < round->op_count; i++)
		steps -= keys[i].key != XS_NONE &&
			 (i == 0 || keys[i].key != keys[i - 1].key);
	return steps;
}

/* Adds the ops of each call in order, and calls without an op, of which
 * *call_steps may still be added to the trace's rounds. */
static void add_steps(struct builder *b, const struct xs_rounds *rounds,
		      const struct xs_key *keys, size_t *call_steps)
{
	const struct xs_round *round = b->round;
	const struct xs_trace *trace = b->trace;
	uint32_t op = 0;

	for (uint32_t i = 0; i < round->call_count; i++) {
		uint32_t at = rounds->calls[round->first_call + i];
		const struct xs_call *call = &trace->calls[at];
		uint32_t first = op;

		for (; op < round->op_count && keys[op].key == at; op++)
			add_op(b, &trace->ops[keys[op].index], call,
			       op > first);
		if (op == first && call->error == 0 && *call_steps > 0) {
			add_call(b, call);
			(*call_steps)--;
		}
	}
	for (; op < round->op_count; op++)
		add_op(b, &trace->ops[keys[op].index], NULL, false);
}

void xs_steps_build(const struct xs_trace *trace,
		    const struct xs_rounds *rounds, uint32_t index,
		    size_t *call_steps, struct xs_phase *phase)
{
	const struct xs_round *round = &rounds->items[index];
	struct builder b = {
	    .trace = trace, .round = round, .starts = rounds->starts};
	struct xs_key *keys = ops_by_call(trace, rounds, round);

	if (count_steps(round, keys) > XS_STEPS_MOST) {
		free(keys);
		return;
	}
	b.steps = xs_malloc(((size_t)round->op_count + round->call_count + 1) *
			    sizeof(*b.steps));
	xs_stream_queues_learn(trace, rounds, round, keys, &b.streams);
	add_steps(&b, rounds, keys, call_steps);
	hash_before_calls(&b);
	free(keys);
	/* shrinks: an op and its call may have become one step */
	phase->steps = xs_realloc(b.steps, (b.count + 1) * sizeof(*b.steps));
	phase->step_count = b.count;
}
