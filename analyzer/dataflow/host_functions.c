/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/host_functions.h"

/* Of the default stream, for which others wait; its handle may be 0, too. */
#define LEGACY_STREAM	  1u
#define PER_THREAD_STREAM 2u /* one of each thread */

#define MOST_PRECEDENTS 16u

/* Streams and events whose work so far comes before the call, seen from it
 * backwards. */
struct precedents {
	uint64_t streams[MOST_PRECEDENTS], events[MOST_PRECEDENTS];
	size_t stream_count, event_count;
	bool in_default; /* what the default stream had does */
	bool in_any;	 /* all streams do */
};

static bool has(const uint64_t *handles, size_t count, uint64_t handle)
{
	for (size_t i = 0; i < count; i++)
		if (handles[i] == handle)
			return true;
	return false;
}

static void add(struct precedents *p, uint64_t *handles, size_t *count,
		uint64_t handle)
{
	if (has(handles, *count, handle))
		return;
	if (*count < MOST_PRECEDENTS)
		handles[(*count)++] = handle;
	else
		p->in_any = true;
}

/* Returns whether it was there. One of each thread stays. */
static bool drop(uint64_t *handles, size_t *count, uint64_t handle)
{
	const size_t before = *count;

	*count = 0;
	for (size_t i = 0; i < before; i++)
		if (handles[i] != handle || handle == PER_THREAD_STREAM)
			handles[(*count)++] = handles[i];
	return *count < before;
}

static uint64_t stream_of(const struct xs_call *call)
{
	return call->stream == LEGACY_STREAM ? 0 : call->stream;
}

/* Other streams wait for the default stream, and it for them. */
static bool has_stream(const struct precedents *p, const struct xs_call *call)
{
	return p->in_any || (p->in_default && !stream_of(call)) ||
	       has(p->streams, p->stream_count, 0) ||
	       has(p->streams, p->stream_count, stream_of(call));
}

/* Goes back over a call. A stream that waits for an event comes after what the
 * event's stream had when it was recorded, and one behind a copy or set of the
 * default stream after what that had. What a copy in comes after is told of
 * itself, and what a stream had is over if the host waited for it. */
static void go_back(struct precedents *p, const struct xs_call *call,
		    bool is_over)
{
	const uint64_t stream = stream_of(call);

	if (call->call_class == XS_CALL_STREAM_WAIT && has_stream(p, call)) {
		add(p, p->events, &p->event_count, call->event);
	} else if (call->call_class == XS_CALL_EVENT_RECORD &&
		   has(p->events, p->event_count, call->event)) {
		drop(p->events, &p->event_count, call->event);
		add(p, p->streams, &p->stream_count, stream);
	} else if (call->direction == XS_DIR_H2D ||
		   (call->call_class == XS_CALL_SYNC_STREAM && is_over)) {
		const bool had = drop(p->streams, &p->stream_count, stream);

		if (!stream || (had && call->direction == XS_DIR_H2D))
			p->in_default = false;
	} else if (call->call_class >= XS_CALL_COPY &&
		   call->call_class <= XS_CALL_SET_ASYNC && !stream &&
		   p->stream_count) {
		add(p, p->streams, &p->stream_count, 0);
	}
}

static bool is_any(const struct precedents *p)
{
	return p->in_any || p->in_default || p->stream_count || p->event_count;
}

bool xs_follows_host_function(const struct xs_trace *trace, uint32_t memory,
			      uint32_t call)
{
	const struct xs_call *calls = trace->calls;
	struct precedents p = {.streams = {stream_of(&calls[call])},
			       .stream_count = 1,
			       .in_default = true,
			       .in_any = memory != XS_NONE};

	if (memory != XS_NONE &&
	    calls[memory].call_class != XS_CALL_ALLOC_PINNED &&
	    calls[memory].call_class != XS_CALL_REGISTER)
		return false;
	for (uint32_t i = call; i-- > 0 && call - i < 1000 && is_any(&p);) {
		const bool is_over = calls[i].end_ns <= calls[call].start_ns;

		if (calls[i].error || calls[i].captured)
			continue;
		if (calls[i].call_class == XS_CALL_SYNC_DEVICE && is_over &&
		    trace->device_count <= 1)
			return false;
		if (calls[i].call_class == XS_CALL_HOST_FUNCTION &&
		    has_stream(&p, &calls[i]))
			return true;
		go_back(&p, &calls[i], is_over);
	}
	return false;
}
