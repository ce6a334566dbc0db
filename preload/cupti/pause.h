/* SPDX-License-Identifier: MIT */
/*
 * CUPTI is switched off and on only while no thread is inside a call of CUDA.
 *
 * CUPTI counts in each thread how deep calls are nested, and gives an inner one
 * the correlation id of the outermost. A thread whose call began with callbacks
 * and ended without counts wrong from then on: all its calls are inner ones,
 * and have one id (H200, CUDA 13.0).
 */
#ifndef XS_PRELOAD_CUPTI_PAUSE_H
#define XS_PRELOAD_CUPTI_PAUSE_H

#include "preload/format.h"

#include <stdbool.h>
#include <stdint.h>

/* What xs_capture_mode_now says in a pause, beside enum xs_detail. */
#define XS_DETAIL_PAUSED 4

/* What a thread may be let wait for now and then. */
#define XS_PAUSE_PATIENCE_NS 2000000u

/* Where a pause is sure to come, and soon: takes less time while the process
 * has one thread. */
void xs_pause_prepare(void);

/*
 * From our own thread: runs change() while interposed calls of all threads wait
 * to begin, and none runs. False, and nothing was done, where one did not end
 * before another had waited for so long; or within 150 ms, where no other
 * waited: such as waits for the device. Not where only callbacks see the calls.
 */
bool xs_pause_for(void (*change)(void), uint64_t patience_ns);

/* A call that is about to begin: returns when the pause is over. Where that
 * lasts, what CUPTI does in it may want a lock that a waiting thread holds, as
 * the loader's: then who has waited for 200 ms ends it for all. */
void xs_pause_wait(void);

#endif
