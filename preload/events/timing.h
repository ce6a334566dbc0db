/* SPDX-License-Identifier: MIT */
/*
 * Without CUPTI: interposed copies, sets and launches timed by events of the
 * driver, one recorded before the call on its stream and one after it.
 *
 * All of it happens inside interposed calls, in the application's own threads,
 * whose context is then the right one. Nothing waits for the device: events are
 * read by later calls, once the application itself has waited, or after a while
 * if they are done. Streams that capture are left alone.
 */
#ifndef XS_PRELOAD_EVENTS_TIMING_H
#define XS_PRELOAD_EVENTS_TIMING_H

#include "preload/record/open_call.h"

/* Set before calls are recorded, and never again. */
extern bool xs_timing_is_on;

void xs_timing_start(void);

/* Just before the real call, whose arguments are given: call->timed is set
 * where it is recorded and will be timed. */
void xs_timing_begin(struct xs_open_call *call, const void *arguments);

/* After it has returned, at end_ns; of one that is timed, gives the thread the
 * correlation. */
void xs_timing_end(struct xs_open_call *call, uint64_t end_ns,
		   cudaError_t error, const void *arguments);

/* Calls whose work on the GPU was not timed, since this was last asked; `last`:
 * with those that still wait to be read. */
uint64_t xs_timing_untimed(bool last);

/* How far the times may be off the host's clock; 0 when there are none. */
uint64_t xs_timing_error_ns(void);

#endif
