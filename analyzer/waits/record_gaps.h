/* SPDX-License-Identifier: MIT */
/* Calls whose GPU records are missing. */
#ifndef XS_ANALYZER_WAITS_RECORD_GAPS_H
#define XS_ANALYZER_WAITS_RECORD_GAPS_H

#include "analyzer/read/trace.h"

enum xs_record_gap_kind {
	XS_RECORD_GAP_COPIES,
	XS_RECORD_GAP_SETS,
	XS_RECORD_GAP_KERNELS,
	XS_RECORD_GAP_KINDS
};

/* Calls of one kind without GPU records. */
struct xs_record_gap {
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME: of all of them */
	uint64_t calls, of;	 /* without, and all that should have some */
};

/*
 * Finds the successful calls that have no op although CUPTI should have
 * recorded it: its records were lost, another profiler in the process has
 * disabled them, or another tool's file lacks them. gaps: of each kind; one
 * with no calls has no times. Returns 0 or -ENOMEM.
 */
int xs_record_gaps_find(const struct xs_trace *trace,
			struct xs_record_gap gaps[XS_RECORD_GAP_KINDS]);

#endif
