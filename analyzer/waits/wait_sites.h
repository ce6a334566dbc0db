/* SPDX-License-Identifier: MIT */
/* How long the host waited in calls, and for what, by call site. */
#pragma once

#include "analyzer/timeline/run_span.h"
#include "analyzer/waits/wait_breakdown.h"

/*
 * The waits of one call site: blocking copies, synchronisations, asynchronous
 * copies of pageable memory, and calls that may wait implicitly: sets,
 * allocations, registrations, frees.
 */
struct xs_wait_site {
	uint32_t site;	    /* index into the trace's sites */
	uint8_t call_class; /* enum xs_call_class */
	bool apart;	    /* its calls start outside the span */
	bool pageable;	    /* its copies use pageable memory */
	uint64_t calls;
	uint64_t gpu_calls; /* calls that waited for work issued by other calls
			     */
	uint64_t bytes;
	uint64_t minor_faults, major_faults; /* of the calling thread, as
					      * recorded */
	uint64_t touched_bytes; /* in the pages that these faults touched; more
				 * with huge pages */
	/* Copies that touch at least half of their bytes: what they copy, and
	 * their time but for waits for other work. */
	uint64_t touching_bytes, touching_ns;
	uint64_t waited_ns;  /* summed over all calls */
	uint64_t own_out_ns; /* of XS_WAIT_OWN, that of copies out */
	uint64_t part_ns[XS_WAIT_PARTS];
};

struct xs_wait_sites {
	struct xs_wait_site *items; /* the longest wait first; owned */
	size_t count;
	size_t unexamined; /* calls whose whole time counts as the host's, since
			    * too many threads waited at the same time */
};

/* Calls outside the span (NULL: none) have rows of their own. */
void xs_wait_sites_build(const struct xs_trace *trace,
			 const struct xs_run_span *span,
			 struct xs_wait_sites *out);
void xs_wait_sites_free(struct xs_wait_sites *sites);
