/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is on a copy engine or the SMs. Streams share hardware queues
 * (lanes), in turn by their numbers. A lane gives its ops out in the order of
 * issue, so that one that is not ready holds up those behind it, of other
 * streams, too.
 */
#ifndef XS_MODEL_REPLAY_QUEUE_ARBITER_H
#define XS_MODEL_REPLAY_QUEUE_ARBITER_H

#include "analyzer/rounds/phase.h"
#include "model/replay/heap.h"

#include <stdbool.h>

/* An op among those of its lane. Start from {0}. */
struct xs_queue_entry {
	uint32_t behind; /* the next of its lane */
	bool ready;
	double since_ns;
};

/* Start from {0}: a lane for each stream. Else set `lanes`, XS_HW_QUEUES_MAX
 * at most, and `stays`. */
struct xs_queue_arbiter {
	unsigned lanes;
	bool stays; /* with the lane of the last op while that has a ready one
		     */
	struct {
		uint32_t count, first, last;
	} queued[XS_HW_QUEUES_MAX];
	unsigned lane;		/* of the last op */
	struct xs_heap waiting; /* owned; where each stream has its own */
};

/* The op, by its index in ops, is on its stream. */
void xs_queue_arbiter_issue(struct xs_queue_arbiter *arbiter,
			    struct xs_queue_entry *ops, uint32_t op,
			    uint32_t stream);

/* Nothing but its turn keeps the op, which was issued, from starting. 0 or
 * -ENOMEM. */
int xs_queue_arbiter_set_ready(struct xs_queue_arbiter *arbiter,
			       struct xs_queue_entry *ops, uint32_t op,
			       double since_ns);

/* Takes the op whose turn it is: of those that may start the one that has been
 * ready for longest, among equals the one issued first. False where none
 * may. */
bool xs_queue_arbiter_take(struct xs_queue_arbiter *arbiter,
			   struct xs_queue_entry *ops, uint32_t *op);

void xs_queue_arbiter_free(struct xs_queue_arbiter *arbiter);

#endif
