/* SPDX-License-Identifier: MIT */
/* What happened in the NVTX ranges of each name. */
#pragma once

#include "analyzer/read/trace.h"

/* Bytes and times of the ops that calls in the range issued, wherever they ran,
 * each added up, and the time that its calls waited for the device. */
enum xs_nvtx_measure {
	XS_NVTX_NS, /* of the range itself */
	XS_NVTX_H2D_BYTES,
	XS_NVTX_D2H_BYTES,
	XS_NVTX_H2D_NS,
	XS_NVTX_D2H_NS,
	XS_NVTX_KERNEL_NS,
	XS_NVTX_KERNELS, /* their number */
	XS_NVTX_BLOCKED_NS,
	XS_NVTX_MEASURES
};

/* All ranges of one name and domain. A range in one of the same name, as of a
 * function that calls itself, is part of that one. */
struct xs_nvtx_sum {
	uint32_t domain, name; /* as in struct xs_nvtx */
	bool process;	       /* started, not pushed */
	uint64_t count;
	uint64_t total[XS_NVTX_MEASURES];
	uint64_t median_ns; /* of the time of one range */
};

struct xs_nvtx_sums {
	struct xs_nvtx_sum *items; /* the longest total time first; owned */
	size_t count;
};

/*
 * A range that was pushed has the calls of its thread, including those in
 * ranges inside of it, and those of threads that take turns with it
 * (alternating_threads.h); one that was started has the calls of all threads in
 * that time.
 */
void xs_nvtx_sums_build(const struct xs_trace *trace, struct xs_nvtx_sums *out);
void xs_nvtx_sums_free(struct xs_nvtx_sums *sums);
