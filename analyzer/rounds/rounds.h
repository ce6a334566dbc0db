/* SPDX-License-Identifier: MIT */
/* Splits a trace into rounds. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/symbols/op_identity.h"

struct xs_round {
	uint64_t begin_ns, end_ns;
	uint64_t key;	 /* hash of the multiset of op identities */
	uint64_t memory; /* ... of the kinds of memory of its copies in, out */
	uint64_t h2d_bytes, d2h_bytes;
	uint64_t concurrent_ns;	     /* part of its time in which other rounds
				      * ran */
	double wall_ns;		     /* its part of the run: while k rounds ran,
				      * each has 1/k of the time */
	uint32_t first_op, op_count; /* in xs_rounds.ops */
	uint32_t first_call, call_count; /* in xs_rounds.calls */
	uint16_t device;
	bool partial; /* cut by the edge of a sample window */
};

struct xs_rounds {
	struct xs_round *items;
	size_t count;
	uint32_t *ops;	      /* by round, then by start */
	uint32_t *calls;      /* by thread, then by start */
	uint32_t *identities; /* of each op of the trace: index into table */
	struct xs_op_identities table;
	bool *blocked;	 /* by call: xs_calls_blocked() */
	uint8_t *starts; /* by call: xs_allocation_starts_find() */
	uint8_t
	    *same; /* by call: xs_repeated_copies_find(); NULL: nothing hashed
		    */
};

/* Returns op i of a round: its index among the trace's. */
static inline uint32_t xs_round_op(const struct xs_rounds *rounds,
				   const struct xs_round *round, uint32_t i)
{
	return rounds->ops[round->first_op + i];
}

static inline uint32_t xs_round_identity(const struct xs_rounds *rounds,
					 const struct xs_round *round,
					 uint32_t i)
{
	return rounds->identities[xs_round_op(rounds, round, i)];
}

/*
 * A lane is a device with the host thread that issues its ops, or a queue if
 * their calls are unknown. A lane is cut into rounds where host and device have
 * synchronised and the next op begins a new round; see lanes.c.
 */
void xs_rounds_build(const struct xs_trace *trace, struct xs_rounds *rounds);
/* Fills concurrent_ns and wall_ns of all rounds. */
void xs_rounds_find_concurrent(struct xs_rounds *rounds);

void xs_rounds_free(struct xs_rounds *rounds);
