/* SPDX-License-Identifier: MIT */
/* Where the time of the run went: totals over all ops and calls. */
#ifndef XS_ANALYZER_TIMELINE_TIMELINE_H
#define XS_ANALYZER_TIMELINE_TIMELINE_H

#include "analyzer/read/trace.h"
#include "analyzer/timeline/cuda_startup.h"

/* ns and bytes of the whole run. busy: at least one op of the kind ran. */
struct xs_timeline {
	uint64_t wall_ns;
	uint64_t bytes[XS_OP_KINDS];
	uint64_t count[XS_OP_KINDS];
	uint64_t sum_ns[XS_OP_KINDS];  /* sum over ops */
	uint64_t busy_ns[XS_OP_KINDS]; /* union over ops */
	uint64_t gpu_busy_ns;	       /* union of all kinds */
	uint64_t overlap_ns;	  /* two or more of h2d, d2h, kernel at once, on
				   * one device; summed over devices */
	uint64_t host_blocked_ns; /* threads in blocking copies and syncs;
				   * union by thread, summed */
	uint64_t pinned_alloc_ns; /* in pinned allocations, registrations */
	struct xs_cuda_startup init; /* CUDA's own start, in none of these */
	uint64_t migrated_bytes[XS_OP_KINDS]; /* managed memory; in none of */
	uint64_t migrated_ns[XS_OP_KINDS];    /* the above; union over them */
	uint64_t pageable_async_ops;	      /* asynchronous in name only */
};

/* 0 or -ENOMEM. */
int xs_timeline_build(const struct xs_trace *trace, struct xs_timeline *out);

/* The same of the ops of one device; what is not of ops is 0. */
int xs_timeline_of_device(const struct xs_trace *trace, uint16_t device,
			  struct xs_timeline *out);

#endif
