/* SPDX-License-Identifier: MIT */
/* With which op the iterations of a loop begin that is one round. */
#pragma once

#include "analyzer/rounds/rounds.h"

/* Iterations that make a loop. */
#define XS_LOOP_LEAST 3

/* Kernels of a step that the host may run ahead of. An iteration of fewer is a
 * chunk of a pipeline, which is a round as a whole. */
#define XS_LOOP_KERNELS 8

/* What splitting rounds into iterations works on. */
struct xs_splitter {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	uint32_t *round_of_op;
	bool *lone;		    /* by round: no other one has its key */
	uint32_t *position;	    /* by call: in rounds->calls */
	uint32_t *counts;	    /* by op identity: its ops in the round */
	uint64_t *values, *scratch; /* room for one of each op */
	struct xs_round *items;	    /* the new rounds */
	size_t count;
};

/* Returns the identity before whose ops the GPU was idle for the longest time,
 * of those with about one op in each iteration. XS_NONE if there is none. */
uint32_t xs_loop_head_idle(const struct xs_splitter *s,
			   const struct xs_round *round, uint32_t iterations);

/* Returns the identity of the least frequent copy in of a loop, since a step
 * may also copy in for each of its layers, and stores the queue of its kernels.
 * XS_NONE if there is none, or if ops but copies in are in several streams. */
uint32_t xs_loop_head_copy(const struct xs_splitter *s,
			   const struct xs_round *round, uint32_t *queue);
