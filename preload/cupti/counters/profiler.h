/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's range profiler: counts what a kernel does, in one pass, so that
 * nothing is replayed and no memory of the application is saved or restored.
 * Not safe to share; the owner sees to it that one thread at a time is in.
 */
#ifndef XS_PRELOAD_CUPTI_COUNTERS_PROFILER_H
#define XS_PRELOAD_CUPTI_COUNTERS_PROFILER_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sectors are of 32 bytes, between the L1 of the SMs and the L2: what the
 * caches of the SM did not have. In the order of need: a GPU that cannot count
 * them all at once counts the first ones.
 */
enum xs_metric {
	XS_METRIC_SECTORS_READ,
	XS_METRIC_SECTORS_WRITTEN,
	XS_METRIC_INSTRUCTIONS,
	XS_METRIC_REQUESTS_READ,
	XS_METRIC_REQUESTS_WRITTEN,
	XS_METRIC_HOST_SECTORS_READ,
	XS_METRIC_HOST_SECTORS_WRITTEN,
	XS_METRICS
};

struct xs_profiler;

/* Finds the profiler in the process's libcupti; what is missing is written as
 * an info record. Whether it is there. */
bool xs_profiler_find(void *library);

/* False for good once something failed; an info record says what. */
bool xs_profiler_works(void);

/* The profiler of a context, made when it is first asked for. NULL: there is
 * none. In a callback of the thread whose current context it is. */
struct xs_profiler *xs_profiler_of(CUcontext context, uint32_t context_id,
				   uint32_t device);

/* Around one launch. The second waits for the kernel; whether the values are of
 * this one kernel: another thread may have launched one in the meantime. NAN
 * is not counted. */
bool xs_profiler_start(struct xs_profiler *profiler);
bool xs_profiler_stop(struct xs_profiler *profiler, double values[XS_METRICS]);

#endif
