/* SPDX-License-Identifier: MIT */
/* Rounds, before they become phases. */
#ifndef XS_ANALYZER_ROUNDS_ROUNDS_H
#define XS_ANALYZER_ROUNDS_ROUNDS_H

#include "analyzer/read/trace.h"
#include "analyzer/symbols/op_identity.h"

struct xs_round {
	uint64_t begin_ns, end_ns;
	uint64_t key; /* of the multiset of its ops' idents */
	uint64_t h2d_bytes, d2h_bytes;
	uint64_t concurrent_ns;	     /* of its time: other rounds ran, too */
	uint32_t first_op, op_count; /* in xs_rounds.ops */
	uint32_t first_call, call_count; /* in xs_rounds.calls */
	uint16_t device;
	bool partial; /* cut by the edge of what was recorded */
};

struct xs_rounds {
	struct xs_round *items;
	size_t count;
	uint32_t *ops;	      /* round by round, in each by start */
	uint32_t *calls;      /* thread by thread, in each by start */
	uint32_t *identities; /* of each op of the trace, into table */
	struct xs_op_identities table;
	bool *blocked; /* by call: xs_calls_blocked */
	uint8_t
	    *same; /* by call: xs_repeated_copies_find; NULL: nothing hashed */
};

/*
 * Ops belong to a lane: a device and the host thread that asked for them (a
 * queue, where no call is known). A lane is cut into rounds where host and
 * device have met and the next op begins anew; rounds.c says what that is.
 * 0 or -ENOMEM.
 */
int xs_rounds_build(const struct xs_trace *trace, struct xs_rounds *rounds);
/* Fills in beside_ns of all rounds. 0 or -ENOMEM. */
int xs_rounds_find_concurrent(struct xs_rounds *rounds);

void xs_rounds_free(struct xs_rounds *rounds);

#endif
