/* SPDX-License-Identifier: MIT */
/*
 * Counts what the first launches of each kernel read, write and execute, with
 * XFERSPY_MODE=counters.
 *
 * A counted launch runs alone, and the thread waits for it. So the counts are
 * exact, but the times are not those of the program.
 */
#pragma once

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
 * Call these before and after a launch, on its thread. xs_counters_begin()
 * returns whether the launch is counted; then xs_counters_end() must follow. If
 * counting is impossible, an info record states why and what to do. Captured
 * launches are not counted. Waits while another thread's launch is counted.
 */
bool xs_counters_begin(const struct xs_launch *launch);
void xs_counters_end(const struct xs_launch *launch);
