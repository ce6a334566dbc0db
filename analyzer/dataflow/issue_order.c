/* SPDX-License-Identifier: MIT */
/* By vector clocks: a clock has, for each queue, the number of the last op that
 * has ended, plus one. */
#include "analyzer/dataflow/issue_order.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

#define MOST_QUEUES 64u
#define MOST_EVENTS 256u
#define MOST_CLOCKS (1u << 24) /* numbers in `before` */

struct builder {
	const struct xs_trace *trace;
	const struct xs_issue_order_input *input;
	struct xs_issue_order *order;
	uint32_t *number_of; /* by queue of the trace; XS_NONE: not used */
	struct stream {
		uint64_t handle;
		uint32_t queue; /* its number; XS_NONE: unknown */
	} streams[MOST_QUEUES];
	size_t stream_count;
	bool *blocked;		      /* by call */
	uint32_t issued[MOST_QUEUES]; /* all ops so far */
	uint32_t host[MOST_QUEUES];   /* those that every later op waits for */
	uint32_t clocks[MOST_QUEUES][MOST_QUEUES]; /* of each queue: those that
						    * its next op waits for */
	struct event {
		uint64_t handle;
		uint32_t clock[MOST_QUEUES];
	} events[MOST_EVENTS];
	size_t event_count;
};

static void join(const struct builder *b, uint32_t *clock,
		 const uint32_t *other)
{
	for (uint32_t q = 0; q < b->order->queue_count; q++)
		if (other[q] > clock[q])
			clock[q] = other[q];
}

static struct stream *find_stream(struct builder *b, uint64_t handle)
{
	for (size_t i = 0; i < b->stream_count; i++)
		if (b->streams[i].handle == handle)
			return &b->streams[i];
	return NULL;
}

/* Returns the number of a stream's queue, XS_NONE if unknown. */
static uint32_t queue_of(struct builder *b, uint64_t handle)
{
	const struct stream *stream = find_stream(b, handle);

	return stream ? stream->queue : XS_NONE;
}

/* Returns the clock after the stream's ops so far. */
static const uint32_t *clock_of(struct builder *b, uint64_t stream)
{
	const uint32_t queue = queue_of(b, stream);

	return queue == XS_NONE ? b->issued : b->clocks[queue];
}

static struct event *find_event(struct builder *b, uint64_t handle)
{
	for (size_t i = 0; i < b->event_count; i++)
		if (b->events[i].handle == handle)
			return &b->events[i];
	return NULL;
}

/* An event that finds no place is as if it were recorded behind all ops. */
static void record_event(struct builder *b, const struct xs_call *call)
{
	struct event *event = find_event(b, call->event);

	if (!event && b->event_count < MOST_EVENTS)
		event = &b->events[b->event_count++];
	if (!event)
		return;
	event->handle = call->event;
	memcpy(event->clock, clock_of(b, call->stream), sizeof(event->clock));
	join(b, event->clock, b->host);
}

/* Ops before an event that was not recorded among these ops are not among
 * these, either. */
static const uint32_t *clock_of_event(struct builder *b, uint64_t handle)
{
	static const uint32_t none[MOST_QUEUES];
	const struct event *event = find_event(b, handle);

	if (event)
		return event->clock;
	return b->event_count == MOST_EVENTS ? b->issued : none;
}

static void wait_for_event(struct builder *b, const struct xs_call *call)
{
	const uint32_t *clock = clock_of_event(b, call->event);
	const uint32_t queue = queue_of(b, call->stream);

	for (uint32_t q = 0; q < b->order->queue_count; q++)
		if (queue == XS_NONE || queue == q)
			join(b, b->clocks[q], clock);
}

/* What the host waited for when the call returned. */
static const uint32_t *waited_for(struct builder *b, const struct xs_call *call)
{
	switch (call->call_class) {
	case XS_CALL_SYNC_EVENT:
		return clock_of_event(b, call->event);
	case XS_CALL_SYNC_STREAM:
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		return clock_of(b, call->stream);
	default: /* also polls of either */
		return b->issued;
	}
}

static void see_call(struct builder *b, uint32_t index)
{
	const struct xs_call *call = &b->trace->calls[index];

	if (call->error || call->captured)
		return;
	switch (call->call_class) {
	case XS_CALL_EVENT_RECORD:
		record_event(b, call);
		break;
	case XS_CALL_STREAM_WAIT:
		wait_for_event(b, call);
		break;
	case XS_CALL_FREE_DEVICE: /* they may wait for the device */
	case XS_CALL_FREE_PINNED:
	case XS_CALL_UNREGISTER:
		join(b, b->host, b->issued);
		break;
	case XS_CALL_HOST_FUNCTION: /* it may tell the host's threads */
		join(b, b->host, clock_of(b, call->stream));
		break;
	default:
		if (b->blocked[index] || call->done)
			join(b, b->host, waited_for(b, call));
	}
}

/* The default stream waits for all other streams, and they wait for it. Of ops
 * of graphs the order is not known. */
static bool waits_for_all(const struct builder *b, const struct xs_op *op)
{
	return b->trace->queues[op->queue].queue_kind == XS_QUEUE_DEFAULT ||
	       (op->flags & XS_OP_GRAPH);
}

static void see_op(struct builder *b, uint32_t at)
{
	const bool all = waits_for_all(b, &b->trace->ops[b->input->ops[at]]);
	const uint32_t own = b->order->queues[at],
		       count = b->order->queue_count;
	uint32_t *before = b->order->before + (size_t)at * count;

	memcpy(before, b->clocks[own], count * sizeof(*before));
	join(b, before, all ? b->issued : b->host);
	b->issued[own] = at + 1;
	memcpy(b->clocks[own], before, count * sizeof(*before));
	b->clocks[own][own] = at + 1;
	if (all)
		for (uint32_t q = 0; q < count; q++)
			join(b, b->clocks[q], b->clocks[own]);
}

static void number_queues(struct builder *b)
{
	struct xs_issue_order *order = b->order;

	for (size_t i = 0; i < b->trace->queue_count; i++)
		b->number_of[i] = XS_NONE;
	for (uint32_t i = 0; i < b->input->op_count; i++) {
		uint32_t *number =
		    &b->number_of[b->trace->ops[b->input->ops[i]].queue];

		if (*number == XS_NONE)
			*number = order->queue_count++;
		order->queues[i] = *number;
	}
}

/* Copies and sets tell which stream is which queue. What the default stream
 * does concerns all queues, as with an unknown one. */
static void learn_streams(struct builder *b)
{
	for (uint32_t i = 0; i < b->input->op_count; i++) {
		const struct xs_op *op = &b->trace->ops[b->input->ops[i]];
		const uint64_t handle = b->trace->calls[op->call].stream;
		struct stream *stream;

		if (op->kind == XS_OP_KERNEL || waits_for_all(b, op))
			continue;
		stream = find_stream(b, handle);
		if (stream && stream->queue != b->order->queues[i])
			stream->queue = XS_NONE; /* of several threads */
		else if (!stream && b->stream_count < MOST_QUEUES)
			b->streams[b->stream_count++] =
			    (struct stream){handle, b->order->queues[i]};
	}
}

/* Returns false if the order cannot be told. */
static bool walk(struct builder *b)
{
	const uint32_t *ops = b->input->ops;
	const uint32_t last = b->input->op_count - 1;
	const uint32_t first = b->trace->ops[ops[0]].call,
		       end = b->trace->ops[ops[last]].call + 1;
	uint32_t at = 0;

	learn_streams(b);
	for (uint32_t call = first; call < end; call++) {
		/* its handle may be given out again */
		if (b->trace->calls[call].call_class == XS_CALL_STREAM_DESTROY)
			return false;
		for (; at <= last && b->trace->ops[ops[at]].call == call; at++)
			see_op(b, at);
		see_call(b, call);
	}
	return true;
}

void xs_issue_order_build(const struct xs_issue_order_input *input,
			  struct xs_issue_order *order)
{
	const size_t count = input->op_count;
	struct builder *b = xs_calloc(1, sizeof(*b));

	*order = (struct xs_issue_order){
	    .queues = xs_malloc((count + 1) * sizeof(*order->queues))};
	*b = (struct builder){
	    .trace = input->trace, .input = input, .order = order};
	b->number_of =
	    xs_malloc((input->trace->queue_count + 1) * sizeof(*b->number_of));
	b->blocked = xs_calls_blocked(input->trace);
	number_queues(b);
	if (!count || order->queue_count > MOST_QUEUES ||
	    count * order->queue_count > MOST_CLOCKS ||
	    input->trace->lost_calls)
		goto out;
	order->before =
	    xs_malloc(count * order->queue_count * sizeof(uint32_t));
	if (!walk(b)) {
		free(order->before);
		order->before = NULL;
	}
out:
	free(b->number_of);
	free(b->blocked);
	free(b);
}

void xs_issue_order_free(struct xs_issue_order *order)
{
	free(order->queues);
	free(order->before);
	*order = (struct xs_issue_order){0};
}
