/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/stream_queues.h"

#define MAX_PAIRS 1024u
#define MAX_VOTES 65536u

/* How often a handle and a queue occurred beside each other. */
struct pair {
	uint64_t handle;
	uint32_t queue, votes;
};

struct ballot {
	struct xs_stream_queues *streams;
	struct pair pairs[MAX_PAIRS];
	size_t count, votes;
	uint32_t launched; /* queue of the last kernel; XS_NONE: none */
	uint64_t waits;	   /* stream that has waited since then */
	bool has_waited;
};

uint32_t xs_stream_queues_find(const struct xs_stream_queues *streams,
			       uint64_t handle)
{
	for (size_t i = 0; i < streams->count; i++)
		if (streams->handles[i] == handle)
			return streams->queues[i];
	return XS_NONE;
}

static bool has_queue(const struct xs_stream_queues *streams, uint32_t queue)
{
	for (size_t i = 0; i < streams->count; i++)
		if (streams->queues[i] == queue)
			return true;
	return false;
}

static void add(struct xs_stream_queues *streams, uint64_t handle,
		uint32_t queue)
{
	if (streams->count == XS_STREAM_QUEUES_MAX ||
	    xs_stream_queues_find(streams, handle) != XS_NONE)
		return;
	streams->handles[streams->count] = handle;
	streams->queues[streams->count++] = queue;
}

static void vote(struct ballot *b, uint64_t handle, uint32_t queue)
{
	size_t i = 0;

	if (b->votes++ >= MAX_VOTES ||
	    xs_stream_queues_find(b->streams, handle) != XS_NONE ||
	    has_queue(b->streams, queue))
		return;
	while (i < b->count &&
	       (b->pairs[i].handle != handle || b->pairs[i].queue != queue))
		i++;
	if (i == MAX_PAIRS)
		return;
	if (i == b->count)
		b->pairs[b->count++] = (struct pair){handle, queue, 0};
	b->pairs[i].votes++;
}

static void see_launch(struct ballot *b, uint32_t queue)
{
	if (b->has_waited)
		vote(b, b->waits, queue);
	b->launched = queue;
	b->has_waited = false;
}

/* A launch to another device, or without an op. */
static void forget_launch(struct ballot *b)
{
	b->launched = XS_NONE;
	b->has_waited = false;
}

static void see_call(struct ballot *b, const struct xs_call *call)
{
	if (call->error)
		return;
	switch (call->call_class) {
	case XS_CALL_STREAM_WAIT:
		b->waits = call->stream;
		b->has_waited = true;
		break;
	case XS_CALL_EVENT_RECORD:
	case XS_CALL_SYNC_STREAM:
		if (b->launched != XS_NONE)
			vote(b, call->stream, b->launched);
		break;
	}
}

/* Takes the pairs with most votes first: each handle and queue once. */
static void count_votes(struct ballot *b)
{
	for (;;) {
		const struct pair *most = NULL;

		XS_EACH(pair, b->pairs, b->count) {
			if ((!most || pair->votes > most->votes) &&
			    xs_stream_queues_find(b->streams, pair->handle) ==
				XS_NONE &&
			    !has_queue(b->streams, pair->queue))
				most = pair;
		}
		if (!most || b->streams->count == XS_STREAM_QUEUES_MAX)
			return;
		add(b->streams, most->handle, most->queue);
	}
}

static void learn_copies(const struct xs_trace *trace,
			 const struct xs_round *round, const struct xs_key *ops,
			 struct xs_stream_queues *streams)
{
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op = &trace->ops[ops[i].index];

		if (ops[i].key != XS_NONE && op->kind != XS_OP_KERNEL &&
		    !(op->flags & XS_OP_GRAPH))
			add(streams, trace->calls[ops[i].key].stream,
			    op->queue);
	}
}

void xs_stream_queues_learn(const struct xs_trace *trace,
			    const struct xs_rounds *rounds,
			    const struct xs_round *round,
			    const struct xs_key *ops,
			    struct xs_stream_queues *streams)
{
	struct ballot b = {.streams = streams, .launched = XS_NONE};
	uint32_t op = 0;

	streams->count = 0;
	learn_copies(trace, round, ops, streams);
	for (uint32_t i = 0; i < round->call_count; i++) {
		const uint32_t at = rounds->calls[round->first_call + i];
		const struct xs_call *call = &trace->calls[at];
		const uint32_t first = op;

		see_call(&b, call);
		for (; op < round->op_count && ops[op].key == at; op++)
			if (call->call_class == XS_CALL_LAUNCH)
				see_launch(&b, trace->ops[ops[op].index].queue);
		if (call->call_class == XS_CALL_LAUNCH && op == first)
			forget_launch(&b);
	}
	count_votes(&b);
}
