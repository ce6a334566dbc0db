/* SPDX-License-Identifier: MIT */
/* Totals over the ops and calls of the run, or of a part of it. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/timeline/run_span.h"

/* ns and bytes. busy: at least one op of the kind ran. */
struct xs_timeline {
	uint64_t wall_ns;
	uint64_t bytes[XS_OP_KINDS];
	uint64_t count[XS_OP_KINDS];
	uint64_t sum_ns[XS_OP_KINDS];  /* sum over ops */
	uint64_t busy_ns[XS_OP_KINDS]; /* union over ops */
	uint64_t gpu_busy_ns;	       /* union of all kinds */
	uint64_t overlap_ns;	  /* two or more of H2D, D2H and kernel at once
				   * on one device; summed over devices */
	uint64_t host_blocked_ns; /* in blocking copies and synchronisations;
				   * union per thread, summed over threads */
	uint64_t pinned_alloc_ns; /* in pinned allocations and registrations */
	uint64_t pinned_free_ns;  /* in their frees */
	uint64_t migrated_bytes[XS_OP_KINDS]; /* managed memory; not part of the
					       * totals */
	uint64_t migrated_ns[XS_OP_KINDS];    /* union over migrations; not part
					       * of the totals */
	uint64_t pageable_async_ops;	      /* asynchronous copies of pageable
					       * memory */
};

void xs_timeline_build(const struct xs_trace *trace, struct xs_timeline *out);

/* Fills the totals of what starts in the span; wall_ns is of the whole
 * run. */
void xs_timeline_of_span(const struct xs_trace *trace,
			 const struct xs_run_span *span,
			 struct xs_timeline *out);

/* Fills the totals of the ops of one device; all other fields are 0. */
void xs_timeline_of_device(const struct xs_trace *trace, uint16_t device,
			   struct xs_timeline *out);
