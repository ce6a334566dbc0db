/* SPDX-License-Identifier: MIT */
/* Device memory in use over time, as far as the calls of a trace tell. */
#ifndef XS_ANALYZER_TIMELINE_ALLOCATIONS_H
#define XS_ANALYZER_TIMELINE_ALLOCATIONS_H

#include "analyzer/read/trace.h"

/*
 * How much is allocated from each moment on, of all devices together: the
 * calls do not say on which. What was allocated before the trace began, or by
 * calls that it does not have, is not in it.
 */
struct xs_allocations {
	uint64_t *at_ns;      /* rising; owned */
	uint64_t *most_bytes; /* a tree of maxima: leaves in the upper half of
			       * 2 * count, each node's above at half its
			       * index; owned */
	size_t count;
};

/* 0 or -ENOMEM. */
int xs_allocations_build(const struct xs_trace *trace,
			 struct xs_allocations *out);
void xs_allocations_free(struct xs_allocations *allocations);

/* The most in use between two moments (CLOCK_REALTIME ns), both included.
 * False where no allocation was seen up to then. */
bool xs_allocations_peak(const struct xs_allocations *allocations,
			 uint64_t from_ns, uint64_t to_ns, uint64_t *bytes);

#endif
