/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/graph_capture.h"

#include "analyzer/util/large.h"

#include <errno.h>
#include <stdlib.h>

/* Limit of threads that capture at once; further ones are not tracked. */
#define MOST_THREADS 64

struct capturing {
	uint32_t threads[MOST_THREADS];
	size_t count;
};

static size_t find(const struct capturing *c, uint32_t thread)
{
	size_t i = 0;

	while (i < c->count && c->threads[i] != thread)
		i++;
	return i;
}

static void begin(struct capturing *c, uint32_t thread)
{
	if (find(c, thread) == c->count && c->count < MOST_THREADS)
		c->threads[c->count++] = thread;
}

static void end(struct capturing *c, uint32_t thread)
{
	size_t i = find(c, thread);

	if (i < c->count)
		c->threads[i] = c->threads[--c->count];
}

static bool can_be_captured(const struct xs_call *call)
{
	switch (call->call_class) {
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_LAUNCH:
	case XS_CALL_GRAPH_LAUNCH:
	case XS_CALL_EVENT_RECORD:
	case XS_CALL_STREAM_WAIT:
	case XS_CALL_HOST_FUNCTION:
	case XS_CALL_PREFETCH:
		return call->error == 0;
	}
	return false;
}

static bool has_captures(const struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->site_count; i++)
		if (trace->sites[i].call_class == XS_CALL_CAPTURE_BEGIN)
			return true;
	return false;
}

int xs_graph_capture_mark(struct xs_trace *trace)
{
	struct capturing capturing = {.count = 0};
	bool *worked;

	if (!has_captures(trace))
		return 0;
	worked = xs_large_new(trace->call_count + 1, sizeof(*worked));
	if (!worked)
		return -ENOMEM;
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			worked[trace->ops[i].call] = true;
	for (size_t i = 0; i < trace->call_count; i++) {
		struct xs_call *call = &trace->calls[i];

		if (call->call_class == XS_CALL_CAPTURE_BEGIN &&
		    call->error == 0)
			begin(&capturing, call->thread);
		else if (call->call_class == XS_CALL_CAPTURE_END)
			end(&capturing, call->thread);
		else if (find(&capturing, call->thread) < capturing.count)
			call->captured = can_be_captured(call) && !worked[i];
		trace->calls_captured += call->captured;
	}
	xs_large_free(worked);
	return 0;
}
