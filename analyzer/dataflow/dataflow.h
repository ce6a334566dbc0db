/* SPDX-License-Identifier: MIT */
/* Who needs what: the graph of dependencies of a part of a trace. */
#pragma once

#include "analyzer/dataflow/op_accesses.h"

#define XS_DATAFLOW_MOST_OPS 20000u

/*
 * Builds the graph of the ops that began between two times (CLOCK_REALTIME ns;
 * the second one exclusive), by calls before the second one, since the GPU's
 * clock may be early. A copy or set accesses its
 * bytes, one with rows the allocations that they lie in. A kernel may read and
 * write the allocations that its parameters point into, of divided ones what
 * arrays.h leaves; it is unknown if they are, and so are ops of graphs,
 * ops without a call, and copies that share a call. Ops that may run at the
 * same time depend on each other in no way (issue_order.h). Returns 0 or -E2BIG
 * as xs_flow_build() and for more than XS_DATAFLOW_MOST_OPS. steps: as in
 * struct xs_flow_program.
 */
int xs_dataflow_build(const struct xs_trace *trace, uint64_t from_ns,
		      uint64_t to_ns, uint64_t *steps,
		      struct xs_dataflow *dataflow);

/*
 * The least time of these ops if only true dependencies and unknown ones order
 * them, and one copy runs at a time in each direction, or in all if the device
 * has one copy engine. A kernel takes the part of the SMs that its threads
 * fill.
 */
struct xs_dataflow_bound {
	uint64_t path_ns;	/* the longest chain of dependencies */
	uint64_t in_ns, out_ns; /* the device's copies; with one copy engine
				 * both are the sum */
	uint64_t kernel_ns;	/* the device's kernels */
};

void xs_dataflow_bound(const struct xs_trace *trace, uint16_t device,
		       const struct xs_dataflow *dataflow,
		       struct xs_dataflow_bound *bound);

/* Returns the longest of its parts. */
uint64_t xs_dataflow_least_ns(const struct xs_dataflow_bound *bound);

void xs_dataflow_free(struct xs_dataflow *dataflow);
