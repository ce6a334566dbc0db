/* SPDX-License-Identifier: MIT */
/*
 * Chooses the next op of a copy engine or of the SMs. Stream i uses hardware
 * queue i modulo their number. A hardware queue releases its ops in the order
 * of issue: an op that is not ready blocks those behind it, also those of other
 * streams.
 */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/replay/heap.h"

#include <stdbool.h>

/* An op in its hardware queue. Zero-initialise. */
struct xs_queue_entry {
	uint32_t behind; /* the next op of the hardware queue */
	bool ready;
	double since_ns;
};

/* Zero-initialise: each stream then has a queue of its own. Else set hw_queues,
 * at most XS_HW_QUEUES_MAX, and keeps_queue. */
struct xs_queue_arbiter {
	unsigned hw_queues;
	bool keeps_queue; /* stays with the last hardware queue while its
			   * first op is ready */
	struct {
		uint32_t count, first, last;
	} queued[XS_HW_QUEUES_MAX];
	unsigned hw_queue;	/* of the last op */
	uint32_t ready;		/* ops in hardware queues that are ready */
	struct xs_heap waiting; /* owned; used if each stream has its own queue
				 */
};

/* Appends the op, by its index in ops, to its stream's hardware queue. */
void xs_queue_arbiter_issue(struct xs_queue_arbiter *arbiter,
			    struct xs_queue_entry *ops, uint32_t op,
			    uint32_t stream);

/* Marks an issued op as ready: all its dependencies have ended. */
void xs_queue_arbiter_set_ready(struct xs_queue_arbiter *arbiter,
				struct xs_queue_entry *ops, uint32_t op,
				double since_ns);

/* Takes the next op: the one that has been ready for longest; among equals the
 * one issued first. Returns false if there is none. */
bool xs_queue_arbiter_take(struct xs_queue_arbiter *arbiter,
			   struct xs_queue_entry *ops, uint32_t *op);

void xs_queue_arbiter_free(struct xs_queue_arbiter *arbiter);
