/* SPDX-License-Identifier: MIT */
/* Device memory in use over time, from the recorded calls. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Bytes allocated over time, summed over all devices, since calls do not show
 * their device. Does not include allocations from before the trace or by calls
 * that were not recorded.
 */
struct xs_allocations {
	uint64_t *at_ns; /* ascending; owned */
	uint64_t *bytes; /* in use from then on; owned */
	size_t count;
};

void xs_allocations_build(const struct xs_trace *trace,
			  struct xs_allocations *out);
void xs_allocations_free(struct xs_allocations *allocations);

/* Stores in *bytes the maximum in use between two times (CLOCK_REALTIME ns,
 * inclusive). Returns false when there was no allocation before to_ns. */
bool xs_allocations_peak(const struct xs_allocations *allocations,
			 uint64_t from_ns, uint64_t to_ns, uint64_t *bytes);
