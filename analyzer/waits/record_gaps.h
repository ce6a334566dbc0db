/* SPDX-License-Identifier: MIT */
/* Calls whose GPU records are missing, and records that cannot be right. */
#pragma once

#include "analyzer/read/trace.h"

enum xs_record_gap_kind {
	XS_RECORD_GAP_COPIES,
	XS_RECORD_GAP_SETS,
	XS_RECORD_GAP_KERNELS,
	XS_RECORD_GAP_CLOCKS, /* ops before their calls, or after a wait */
	XS_RECORD_GAP_RATES,  /* copies for which xs_copy_is_too_fast() */
	XS_RECORD_GAP_ORDER,  /* ops of one stream that run at once */
	XS_RECORD_GAP_KINDS
};

/* Calls of one kind without GPU records, or ops with impossible ones. */
struct xs_record_gap {
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME: of all of them */
	uint64_t calls, of; /* those, and all of the kind that should have a
			     * record, or have one */
};

/* Returns whether a copy between host and device is faster than 1000 GB/s,
 * beyond any link, even if its time is off by a microsecond. */
bool xs_copy_is_too_fast(const struct xs_op *op);

/*
 * Finds the successful calls that have no op although CUPTI should have
 * recorded it: its records were lost, another profiler in the process has
 * disabled them, or another tool's file lacks them. Finds the ops whose times
 * cannot be. gaps: of each kind; one with no calls has no times.
 */
void xs_record_gaps_find(const struct xs_trace *trace,
			 struct xs_record_gap gaps[XS_RECORD_GAP_KINDS]);
