/* SPDX-License-Identifier: MIT */
/* Which ops had ended when the host last returned from a wait. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/util/sort.h"

/* Of ops of the trace, in the order of issue; none has no call. */
struct xs_waited_ops {
	const struct xs_trace *trace;
	const uint32_t *ops;
	struct xs_key *waits; /* calls that waited, by their ends; owned */
	size_t wait_count, next_wait;
	uint32_t waited;    /* see xs_waited_ops_advance() */
	uint32_t all_ended; /* ops before it had ended */
};

/* Keeps both pointers. */
void xs_waited_ops_begin(const struct xs_trace *trace, const uint32_t *ops,
			 struct xs_waited_ops *waited);

/* Goes back to the start. */
void xs_waited_ops_restart(struct xs_waited_ops *waited);

/* Returns the last of the ops before number `at` that had ended when the last
 * wait before a call returned; XS_NONE: none. Calls ascend. */
uint32_t xs_waited_ops_advance(struct xs_waited_ops *waited, uint32_t at,
			       uint32_t call);

void xs_waited_ops_free(struct xs_waited_ops *waited);
