/* SPDX-License-Identifier: MIT */
/* The graph of dependencies of ops, from the memory that they access. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_FLOW_NONE UINT32_MAX

/* Memory from begin to end (exclusive). */
struct xs_flow_access {
	uint64_t begin, end;
	bool reads, writes;
	bool exact;	     /* it writes all of it; else perhaps a part */
	uint32_t allocation; /* others' contents at this address are gone */
};

struct xs_flow_op {
	uint32_t queue;	 /* below queue_count */
	uint32_t waited; /* the last op of the program that the host had waited
			  * for when it issued this one; XS_FLOW_NONE: none */
	uint32_t first_access, access_count;
	bool unknown; /* may access any other memory, too */
};

#define XS_FLOW_MOST_STEPS 100000000u

/* Ops in the order of issue. */
struct xs_flow_program {
	const struct xs_flow_op *ops;
	uint32_t op_count;
	const struct xs_flow_access *accesses;
	uint32_t access_count;
	uint32_t queue_count;
	const uint32_t *before; /* as in struct xs_issue_order; or NULL */
	uint64_t *steps; /* that may be taken, less those taken so far; NULL:
			  * XS_FLOW_MOST_STEPS */
};

/* Why one op follows another. Between two ops only the first of these that
 * holds; but if both are possible, XS_FLOW_UNKNOWN and not XS_FLOW_REUSE: it
 * may be a true dependency. */
enum xs_flow_kind {
	XS_FLOW_TRUE,	 /* it may read what the other one wrote */
	XS_FLOW_REUSE,	 /* it writes where the other one read or wrote: another
			  * buffer would do */
	XS_FLOW_UNKNOWN, /* one of them may access any memory */
	XS_FLOW_STREAM,	 /* the same stream, and nothing else */
	XS_FLOW_HOST,	 /* the host waited, and nothing else */
	XS_FLOW_KINDS
};

struct xs_flow_edge {
	uint32_t from, to; /* from < to */
	enum xs_flow_kind kind;
};

/* The edges of one `to` follow each other; `to` is ascending. */
struct xs_flow {
	struct xs_flow_edge *edges; /* owned */
	size_t count;
};

/*
 * Finds the last writes of the memory that an op reads, and the last writes and
 * the reads since then of the memory that it writes; an unknown op depends on
 * all since the last unknown one, and all after it depend on it. Two ops that
 * the program does not order depend on each other in no way: they would race.
 * What one of them may have written does not hide what others wrote before.
 * What was written to another allocation at the address is not read. Of ops
 * that follow each other in a stream, and of the first op in a stream after a
 * wait, the order is an edge if there is no other. Returns 0, or -E2BIG if
 * it would take more than *program->steps or 4 * 10^6 edges.
 */
int xs_flow_build(const struct xs_flow_program *program, struct xs_flow *flow);
void xs_flow_free(struct xs_flow *flow);
