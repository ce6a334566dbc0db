/* SPDX-License-Identifier: MIT */
/* Which queue of the trace the handle of a stream means, in one round. */
#pragma once

#include "analyzer/rounds/rounds.h"
#include "analyzer/util/sort.h"

/* Streams beyond these are not found. */
#define XS_STREAM_QUEUES_MAX 256u

struct xs_stream_queues {
	uint64_t handles[XS_STREAM_QUEUES_MAX];
	uint32_t queues[XS_STREAM_QUEUES_MAX];
	size_t count;
};

/*
 * Fills *streams from a round; ops: its ops, sorted by call (the key), then by
 * start. Copies and sets have the handle of their stream. A launch has none: a
 * stream that only executes kernels is the one that most often waits for an
 * event before a kernel of this queue, or has an event recorded, or is waited
 * for, after one.
 */
void xs_stream_queues_learn(const struct xs_trace *trace,
			    const struct xs_rounds *rounds,
			    const struct xs_round *round,
			    const struct xs_key *ops,
			    struct xs_stream_queues *streams);

/* Returns the queue of a handle, or XS_NONE. */
uint32_t xs_stream_queues_find(const struct xs_stream_queues *streams,
			       uint64_t handle);
