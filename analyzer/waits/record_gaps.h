/* SPDX-License-Identifier: MIT */
/* Spans of the run in which GPU records stopped. */
#ifndef XS_ANALYZER_WAITS_RECORD_GAPS_H
#define XS_ANALYZER_WAITS_RECORD_GAPS_H

#include "analyzer/read/trace.h"

enum xs_record_gap_kind {
	XS_RECORD_GAP_COPIES,
	XS_RECORD_GAP_SETS,
	XS_RECORD_GAP_KERNELS,
	XS_RECORD_GAP_KINDS
};

/* Consecutive calls of one kind without GPU records. */
struct xs_record_gap {
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME */
	uint64_t calls;
	enum xs_record_gap_kind kind;
};

/*
 * Finds where many consecutive successful calls have no op although CUPTI
 * should have recorded it: another profiler in the process has disabled its
 * records. Sorted by from_ns. Caller frees *gaps. Returns 0 or -ENOMEM.
 */
int xs_record_gaps_find(const struct xs_trace *trace,
			struct xs_record_gap **gaps, size_t *count);

#endif
