/* SPDX-License-Identifier: MIT */
/* CUPTI behind a border: only the files cupti*.c include the vendor's cupti.h,
 * and only profiler.c what its profiler adds. */
#ifndef XS_PRELOAD_CUPTI_CUPTI_H
#define XS_PRELOAD_CUPTI_CUPTI_H

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum xs_cupti_gives {
	XS_CUPTI_NOTHING,
	XS_CUPTI_RECORDS,
	XS_CUPTI_RECORDS_AND_CALLBACKS,
};

/* A CUpti_CallbackFunc, as those know it who do not include cupti.h. */
typedef void xs_cupti_callback(void);

/*
 * Finds, loads and starts CUPTI; `callback` sees the calls; what it got, or
 * what is missing and what to do, is written as info records. counters: also
 * count what kernels do. What it will give. Once, from the thread that starts
 * CUDA.
 */
enum xs_cupti_gives xs_cupti_start(bool counters, xs_cupti_callback *callback);

/* Switches GPU records on or off; they are on from the start. Callbacks stay as
 * they are, so no thread has to wait for it. Our own thread only. */
void xs_cupti_switch_records(bool on);

/*
 * Whether all ops have come of the recorded calls (op_tracker.h): those that
 * have not when records are switched off are lost. Flushes; seldom where that
 * is in vain, or `at_once`, as where all threads wait. Our own thread only.
 */
bool xs_cupti_brought_all(bool at_once);

/*
 * CUPTI leaves each launch slower by 150 to 500 ns of 3 us while it is attached
 * and its records and callbacks are switched off; detached it costs nothing
 * (H200, CUDA 12.9 and 13.0).
 *
 * Whether it may be detached: it has no other client, no other library of the
 * process needs it, there is one device, and no graph was launched while it was
 * attached, for then the program's own work fails after it (CUDA 12.9 and 13.0:
 * errors 700 and 719). Before CUPTI 12.6 it may hang. Takes the loader's lock:
 * our own thread only, and no thread may wait for it.
 */
bool xs_cupti_may_detach(void);

/*
 * Ends the use of CUPTI for good: switches records and callbacks off, and
 * `detaches` it where that is still allowed. While no thread is inside a hooked
 * call. Our own thread only. False: another thread uses CUPTI now, try again.
 */
bool xs_cupti_leave(bool detaches);

/*
 * Has the next call that only callbacks see detach CUPTI at its end, since
 * NVIDIA allows cuptiFinalize() there while other threads call CUDA; or takes
 * that back. Until it is done CUPTI counts as not attached. Our own thread
 * only; records are off.
 */
void xs_cupti_ask_to_detach(bool asks);
bool xs_cupti_is_leaving(void);

/* Such a call ends. Call it through xs_cupti_end_seen_call(). */
void xs_cupti_detach_as_asked(void);

extern atomic_bool xs_cupti_detach_asked;

static inline void xs_cupti_end_seen_call(void)
{
	if (XS_UNLIKELY(atomic_load_explicit(&xs_cupti_detach_asked,
					     memory_order_relaxed)))
		xs_cupti_detach_as_asked();
}

/* Whether callbacks and records can be asked for: not once it is detached, or
 * about to be. Of any thread. */
bool xs_cupti_is_attached(void);

/* Whether callbacks come no more: they were switched off for good, or CUPTI is
 * detached. */
bool xs_cupti_callbacks_disabled(void);

/* Hands completed GPU records to the GPU writer; `forced`: those of buffers
 * that are still being filled, too. Our own thread only: it may wait. */
void xs_cupti_flush(bool forced);

/* Once in a while, from our own thread: looks whether the driver's calls are
 * worth watching. */
void xs_cupti_tend(void);

/*
 * The program uses managed memory: from the first time on, what of it migrates
 * is recorded, where CUPTI can tell; a note says where it was given up before.
 * Not from the start, since it costs each page fault something, and CUPTI must
 * be asked after CUDA is set up. From any thread, with no CUPTI lock held but
 * that of an API callback.
 */
void xs_cupti_watch_managed(void);

/* The process uses several devices: from the first time on, copies between them
 * are recorded. As xs_cupti_watch_managed(). */
void xs_cupti_watch_peers(void);

/* CUPTI's clock, as ns of CLOCK_REALTIME (cupti_clock.h); 0 without CUPTI, or
 * while it is detached. Our own thread only. */
uint64_t xs_cupti_now_ns(void);

#endif
