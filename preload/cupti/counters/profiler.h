/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's range profiler: counts what a kernel does, in one pass, so that
 * nothing is replayed and no memory of the application is saved or restored.
 * Not thread-safe: the caller makes sure that one thread at a time uses it.
 */
#pragma once

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sectors have 32 bytes. They are counted between the L1 of the SMs and the L2,
 * so these are accesses that the caches of the SM did not serve. L1 fills are
 * the sectors that reads bring into the L1: from Hopper on, reads of device
 * memory by several SMs are merged before they reach the L2. Stores are
 * instructions of warps, with the sectors that each touches. The metrics are in
 * order of importance: a GPU that cannot count all of them in one pass counts
 * the first ones.
 */
enum xs_metric {
	XS_METRIC_SECTORS_READ,
	XS_METRIC_SECTORS_WRITTEN,
	XS_METRIC_INSTRUCTIONS,
	XS_METRIC_REQUESTS_READ,
	XS_METRIC_REQUESTS_WRITTEN,
	XS_METRIC_L1_FILLS,
	XS_METRIC_HOST_SECTORS_READ,
	XS_METRIC_HOST_SECTORS_WRITTEN,
	XS_METRIC_WAITING_CYCLES,
	XS_METRIC_WARP_CYCLES,
	XS_METRIC_STORES,
	XS_METRIC_STORE_SECTORS,
	XS_METRICS
};

struct xs_profiler;

/* Finds the profiler's functions in the process's libcupti. Returns whether all
 * are there; an info record states what is missing. */
bool xs_profiler_find(void *library);

/* Returns false for good after a failure, which an info record describes. */
bool xs_profiler_works(void);

/* Returns the profiler of a context, which the first call creates, or NULL.
 * Call it in a callback of a thread whose current context it is. */
struct xs_profiler *xs_profiler_of(CUcontext context, uint32_t context_id,
				   uint32_t device);

/* Call these before and after one launch. xs_profiler_stop() waits for the
 * kernel, and returns whether the values belong to this kernel alone: another
 * thread may have launched one meanwhile. A metric that was not counted is
 * NAN. */
bool xs_profiler_start(struct xs_profiler *profiler);
bool xs_profiler_stop(struct xs_profiler *profiler, double values[XS_METRICS]);
