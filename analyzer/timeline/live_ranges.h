/* SPDX-License-Identifier: MIT */
/* The allocations that live at a time, which moves forward. */
#pragma once

#include "analyzer/read/trace.h"

/* Memory that cuMemMap mapped piece by piece at adjacent addresses is one. */
struct xs_live_range {
	uint64_t begin, end;
	uint32_t call; /* that allocated or registered it, or its first piece */
	uint32_t number; /* of this range alone, below the number of calls */
};

struct xs_live_ranges {
	const struct xs_trace *trace;
	uint32_t *events; /* calls that allocate or free, by the time of their
			   * effect; owned */
	size_t event_count, next;
	struct xs_live_range *items; /* by event; owned */
	void *tree;		     /* of the items that live, see tsearch() */
	uint64_t device_bytes;	     /* of those that live in device memory */
};

/* Returns whether the call maps device memory to addresses, or ends that: such
 * a call may begin or end a part of an array, or several arrays. */
bool xs_call_maps(const struct xs_trace *trace, const struct xs_call *call);

/* Returns whether the program copies from symbols: kernels may write such
 * variables, and others read them. */
bool xs_trace_reads_symbols(const struct xs_trace *trace);

void xs_live_ranges_begin(const struct xs_trace *trace,
			  struct xs_live_ranges *ranges);

/* Applies what was allocated and freed up to a time. */
void xs_live_ranges_advance(struct xs_live_ranges *ranges, uint64_t at_ns);

/* Returns the call that allocates or frees next, and stores when that takes
 * effect; NULL: none. */
const struct xs_call *xs_live_ranges_next(const struct xs_live_ranges *ranges,
					  uint64_t *at_ns);

/* Applies that call, of which there must be one. */
void xs_live_ranges_apply_next(struct xs_live_ranges *ranges);

/* Returns the allocation that contains the address, or NULL. */
const struct xs_live_range *
xs_live_ranges_find(const struct xs_live_ranges *ranges, uint64_t address);

/* Returns the call that allocated the range, which then had no contents;
 * XS_NONE: it was registered, mapped or imported. NULL: XS_NONE. */
uint32_t xs_live_range_maker(const struct xs_trace *trace,
			     const struct xs_live_range *range);

void xs_live_ranges_free(struct xs_live_ranges *ranges);
