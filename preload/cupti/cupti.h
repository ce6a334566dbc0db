/* SPDX-License-Identifier: MIT */
/* The interface to CUPTI, without NVIDIA's cupti.h. Only profiler_api.h
 * includes the headers of its profiler. */
#pragma once

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum xs_cupti_gives {
	XS_CUPTI_NOTHING,
	XS_CUPTI_RECORDS,
	XS_CUPTI_RECORDS_AND_CALLBACKS,
};

/* A CUpti_CallbackFunc, for files that do not include cupti.h. */
typedef void xs_cupti_callback(void);

/*
 * Finds, loads and starts CUPTI, with `callback` for calls; counters: also
 * counts what kernels do. Writes info records that state what is available, or
 * what is missing and what to do. Returns what CUPTI will provide. Call it
 * once, from the thread that starts CUDA.
 */
enum xs_cupti_gives xs_cupti_start(bool counters, xs_cupti_callback *callback);

/* Switches GPU records on or off; they are on from the start. Callbacks do not
 * change, so no thread has to wait. Our own thread only. */
void xs_cupti_switch_records(bool on);

/*
 * Returns whether all ops of the recorded calls have arrived (op_tracker.h).
 * Ops that are still pending when records are switched off are lost. Flushes
 * for them, at longer intervals if that did not help, or each time with
 * `at_once`, for example while all threads wait. Our own thread only.
 */
bool xs_cupti_brought_all(bool at_once);

/*
 * While CUPTI is attached with its records and callbacks switched off, a launch
 * of 3 us takes 150 to 500 ns longer; detached it costs nothing (H200,
 * CUDA 12.9 and 13.0).
 *
 * Returns whether CUPTI may be detached: it has no other client, and nobody
 * loaded it before us with dlopen() and may call it unseen; there is one
 * device; and the program's graphs survive it, for which records must be on
 * from their first launch until CUPTI is detached. Before CUPTI 12.6 detaching
 * may hang. Takes the loader's lock: our own thread only, and no thread may
 * wait for it.
 */
bool xs_cupti_may_detach(void);

/*
 * Ends the use of CUPTI for good: if `detaches`, detaches it where that is
 * still allowed; otherwise switches records and callbacks off. No thread may be
 * inside a hooked call. Our own thread only. Returns false if another thread
 * uses CUPTI now: try again.
 */
bool xs_cupti_leave(bool detaches);

/*
 * Requests that the next call that only callbacks see detaches CUPTI at its
 * end, or withdraws the request. NVIDIA allows cuptiFinalize() there while
 * other threads call CUDA. Until then CUPTI counts as not attached. Our own
 * thread only.
 */
void xs_cupti_ask_to_detach(bool asks);
bool xs_cupti_is_leaving(void);

/* At the end of such a call: detaches CUPTI. Call it through
 * xs_cupti_end_seen_call(). */
void xs_cupti_detach_as_asked(void);

extern atomic_bool xs_cupti_detach_asked;

static inline void xs_cupti_end_seen_call(void)
{
	if (XS_UNLIKELY(xs_relaxed(&xs_cupti_detach_asked)))
		xs_cupti_detach_as_asked();
}

/* Returns whether callbacks and records can be requested: not after CUPTI was
 * detached, or while a detach is requested. Thread-safe. */
bool xs_cupti_is_attached(void);

/* Returns whether no more callbacks arrive: they were switched off for good, or
 * CUPTI is detached. */
bool xs_cupti_callbacks_disabled(void);

/* Flushes completed GPU records to the trace; with `forced` also buffers that
 * are still being filled. Our own thread only: it may block. */
void xs_cupti_flush(bool forced);

/* Decides whether driver calls are watched. Call it regularly from our own
 * thread. */
void xs_cupti_tend(void);

/*
 * Call it when the program uses managed memory: from the first call on,
 * migrations are recorded if CUPTI can report them. If CUPTI was detached
 * before, a note is written. Migrations are not recorded from the start,
 * because that makes each page fault longer, and because CUDA must be
 * initialised first. Thread-safe; no lock of CUPTI may be held except that of
 * an API callback.
 */
void xs_cupti_watch_managed(void);

/* Call it when the process uses several devices: from the first call on, copies
 * between them are recorded. Conditions as for xs_cupti_watch_managed(). */
void xs_cupti_watch_peers(void);

/* Returns CUPTI's time in ns of CLOCK_REALTIME (cupti_clock.h); 0 without CUPTI
 * or after it was detached. Our own thread only. */
uint64_t xs_cupti_now_ns(void);
