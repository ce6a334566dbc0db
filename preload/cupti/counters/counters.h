/* SPDX-License-Identifier: MIT */
/*
 * What the first launches of each kernel read, write and execute:
 * XFERSPY_MODE=counters.
 *
 * A launch that is counted runs alone and is waited for, so the figures are
 * right and the times are not.
 */
#ifndef XS_PRELOAD_CUPTI_COUNTERS_COUNTERS_H
#define XS_PRELOAD_CUPTI_COUNTERS_COUNTERS_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* A kernel launch, as the driver's callback sees it. */
struct xs_launch {
	CUcontext context;
	CUstream stream;
	bool per_thread; /* NULL is the thread's own stream */
	uint32_t context_id, device, correlation;
	uint32_t grid[3], block[3];
	const char *name;
};

/*
 * Around a launch, on the thread that makes it. Whether it is counted: then
 * xs_counters_end() must follow. What cannot be counted, and what to do, is
 * written as an info record; launches that are being captured are left out.
 * Waits for another thread's launch that is being counted.
 */
bool xs_counters_begin(const struct xs_launch *launch);
void xs_counters_end(const struct xs_launch *launch);

#endif
