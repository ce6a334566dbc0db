/* SPDX-License-Identifier: MIT */
/* The ops of a part of a trace, what they access, and their dependencies. */
#pragma once

#include "analyzer/dataflow/flow.h"
#include "analyzer/read/trace.h"

/* Why all kernels are unknown; of several reasons, a loss. */
enum xs_unfollowed {
	XS_UNFOLLOWED_NOTHING, /* they are not */
	XS_UNFOLLOWED_OP,      /* an op has no call */
	XS_UNFOLLOWED_LOSS,    /* calls were lost */
	XS_UNFOLLOWED_REASONS
};

struct xs_dataflow {
	uint32_t *ops; /* ops of the trace, in the order of issue; owned */
	uint32_t op_count;
	struct xs_flow_op *flow_ops;	 /* what they access; owned */
	struct xs_flow_access *accesses; /* owned */
	uint32_t access_count;
	uint32_t *memories; /* by access: the call that allocated or registered
			     * it, XS_NONE if unknown; owned */
	uint32_t unknown_count; /* ops that may access any memory */
	enum xs_unfollowed unfollowed;
	bool outside; /* some memory has no recorded allocation: a copy or set
		       * is of it, or the program copies from a symbol. It is
		       * one access of every kernel */
	struct xs_flow flow; /* between these ops; owned */
};
