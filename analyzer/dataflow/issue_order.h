/* SPDX-License-Identifier: MIT */
/* Which earlier ops a program makes an op wait for: by its stream, by events,
 * by its default stream, or since the host waited. */
#pragma once

#include "analyzer/read/trace.h"

/* Ops of the trace, in the order of issue; none has no call. */
struct xs_issue_order_input {
	const struct xs_trace *trace;
	const uint32_t *ops;
	uint32_t op_count;
};

struct xs_issue_order {
	uint32_t *queues; /* by op: its queue, renumbered from 0; owned */
	uint32_t queue_count;
	uint32_t *before; /* by op, then by queue: the ops of the queue with a
			   * smaller number come before the op; owned. NULL:
			   * all earlier ops do */
};

/*
 * Where the trace leaves it open, an earlier op comes before: a stream whose
 * queue is unknown, an event recorded there, and calls that may wait. So two
 * ops that are not in order may run at the same time. `before` is NULL if there
 * are too many ops and queues for it.
 */
void xs_issue_order_build(const struct xs_issue_order_input *input,
			  struct xs_issue_order *order);
void xs_issue_order_free(struct xs_issue_order *order);
