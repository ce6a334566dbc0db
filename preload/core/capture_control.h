/* SPDX-License-Identifier: MIT */
/* Decides when calls are recorded and when they are only counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Reads the configuration. Call it once, after the trace was opened and before
 * calls are recorded. */
void xs_capture_control_open(void);

/*
 * Call it when the program calls cudaProfilerStart() or cudaProfilerStop():
 * with XFERSPY_RANGE=profiler the range begins or ends here. Waits until it
 * has, for at most some seconds.
 */
void xs_capture_control_mark(bool start);

/* Decides again and switches the capture mode. Returns the ns until the next
 * call. Collector thread only. */
uint64_t xs_capture_control_tick(void);

/* At the end, after the collector: notes in the trace a window that ended after
 * the last tick. */
void xs_capture_control_close(void);
