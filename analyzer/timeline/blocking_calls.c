/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/blocking_calls.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

bool xs_call_is_sync(const struct xs_call *call)
{
	return call->call_class == XS_CALL_SYNC_DEVICE ||
	       call->call_class == XS_CALL_SYNC_STREAM ||
	       call->call_class == XS_CALL_SYNC_EVENT ||
	       call->call_class == XS_CALL_RESET ||
	       (call->call_class == XS_CALL_POLL && call->waited);
}

bool xs_call_returned_after(const struct xs_call *call, uint64_t end_ns)
{
	return call->end_ns >= end_ns ||
	       end_ns - call->end_ns <= XS_CLOCK_SLACK_NS;
}

bool xs_call_waited(const struct xs_call *call, const struct xs_op *op)
{
	if (call->call_class == XS_CALL_COPY)
		return xs_call_returned_after(call, op->end_ns);
	/* asynchronous copies of pageable memory may block */
	return call->call_class == XS_CALL_COPY_ASYNC &&
	       xs_op_is_pageable(op) && call->end_ns >= op->end_ns;
}

bool *xs_calls_blocked(const struct xs_trace *trace)
{
	bool *blocked = xs_calloc(trace->call_count + 1, sizeof(*blocked));

	for (size_t i = 0; i < trace->call_count; i++)
		blocked[i] = trace->calls[i].call_class == XS_CALL_COPY ||
			     xs_call_is_sync(&trace->calls[i]);
	XS_EACH(op, trace->ops, trace->op_count) {
		if (op->call != XS_NONE)
			blocked[op->call] |=
			    xs_call_waited(&trace->calls[op->call], op);
	}
	return blocked;
}
