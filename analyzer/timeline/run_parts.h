/* SPDX-License-Identifier: MIT */
/* What a span of the run was spent on. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Each instant belongs to the first part that holds; ops that the host did not
 * wait for do not count, since it was the limit. Where kernels and copies run,
 * the engine that is busy longer counts: the SMs, or that of one direction.
 */
enum xs_run_part {
	XS_PART_STARTUP,    /* CUDA starts */
	XS_PART_KERNELS,    /* a kernel, a set or a copy on one device runs */
	XS_PART_COPIES,	    /* another copy runs */
	XS_PART_COPY_CALLS, /* a thread is in a copy that blocks it, or
			     * stages pageable memory */
	XS_PART_ALLOCATION, /* a thread allocates, pins or frees memory, or
			     * makes or destroys a stream */
	XS_PART_WAITS,	    /* a thread waits for the GPU, which is idle */
	XS_PART_CALLS,	    /* a thread is in another call of CUDA: it issues
			     * work */
	XS_PART_HOST,	    /* none of these: the host's own code */
	XS_PARTS
};

/* Times in ns. The parts add up to the span as far as it was recorded. */
struct xs_run_parts {
	uint64_t span_ns;
	uint64_t ns[XS_PARTS];
	uint64_t gpu_ns;     /* at least one op ran */
	uint64_t kernels_ns; /* at least one kernel, set or copy on one device
			      * ran */
};

/* Divides the span between two times, CLOCK_REALTIME ns. Where calls were
 * recorded in windows, only these count; a long trace that is read in windows
 * is extrapolated. blocks: xs_calls_blocked(). */
void xs_run_parts(const struct xs_trace *trace, const bool *blocks,
		  uint64_t from_ns, uint64_t to_ns, struct xs_run_parts *out);
