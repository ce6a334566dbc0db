/* SPDX-License-Identifier: MIT */
/* Cuts the ops of one lane into rounds. */
#pragma once

#include "analyzer/rounds/rounds.h"

/* The current round of a lane: of a device with the host thread that issues its
 * ops, or of a queue. */
struct xs_lane {
	uint32_t round; /* index; XS_NONE: no current round */
	int stage; /* how far its ops have come, from copy in to copy out */
	bool copied_after_kernel;
	bool ends_with_kernel; /* the last op is one */
	uint32_t kernel_queue; /* of its last kernel; XS_NONE: none yet */
	bool synchronised; /* host and device have synchronised since the last
			    * op */
	bool by_sync_call; /* ... by a synchronisation call */
	bool by_staging;   /* ... only since copies of pageable memory block */
	bool cut;	   /* what came before was not recorded */
	uint64_t ops_end_ns;
	uint32_t last_call; /* positions in rounds->calls */
	uint32_t sync_call;
};

/* The rounds of all lanes so far. */
struct xs_lane_rounds {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	uint32_t *round_of_op;
	struct xs_last_rounds {
		uint32_t any, head;
		uint64_t dst;
	} * last_round; /* by op identity: the last round that had it, and that
			 * had it first or right after a synchronisation call;
			 * where a copy first went in that round */
	size_t last_round_count;
};

/* Counts an op of an identity in a round, except its time. */
void xs_round_count_op(const struct xs_rounds *rounds, uint32_t identity,
		       const struct xs_op *op, struct xs_round *round);

/* Adds an op to the lane's round, or to a new one that begins with it.
 * position: of the op's call in rounds->calls, or XS_NONE. */
void xs_lane_add_op(struct xs_lane_rounds *out, struct xs_lane *lane,
		    uint32_t index, uint32_t position);

/* A waiting call has returned: the lane is synchronised if its ops have ended
 * by then. A synchronisation right after a blocking copy still belongs to the
 * copy's round. */
void xs_lane_mark_synchronised(struct xs_lane *lane, const struct xs_call *call,
			       uint32_t position);

/* Sets the end of the lane's round and closes it. */
void xs_lane_end_round(struct xs_lane_rounds *out, struct xs_lane *lane);
