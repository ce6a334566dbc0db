/* SPDX-License-Identifier: MIT */
/*
 * A pause: CUPTI's callbacks are switched off only while no thread is inside a
 * hooked call of CUDA.
 *
 * CUPTI counts the nesting depth of calls in each thread, and gives inner calls
 * the correlation id of the outermost. If a call begins with callbacks enabled
 * and ends with callbacks disabled, the count is wrong from then on: all calls
 * of this thread are taken for inner ones, and have one id (H200, CUDA 13.0).
 */
#pragma once

#include "preload/format.h"

#include <stdbool.h>
#include <stdint.h>

/* Value of xs_capture_mode_now in a pause, in addition to enum xs_capture. */
#define XS_CAPTURE_PAUSED 4

/* Time that a thread may have to wait occasionally. */
#define XS_PAUSE_PATIENCE_NS 2000000u

/* Prepares for pauses. Call it if pauses will happen: it is faster while the
 * process has one thread. */
void xs_pause_prepare(void);

/*
 * Runs change() while no hooked call is running and new hooked calls of all
 * threads wait. Returns false without running it if a call did not end before
 * another one had waited for patience_ns, or within 150 ms if none waited; such
 * a call may be waiting for the device. Calls that only callbacks see are not
 * paused. Our own thread only.
 */
bool xs_pause_for(void (*change)(void), uint64_t patience_ns);

/* Called at the begin of a hooked call: returns when the pause is over. CUPTI
 * may need a lock that a waiting thread holds, such as the loader's. So a
 * thread that has waited for 200 ms ends the pause for all. */
void xs_pause_wait(void);
