/* SPDX-License-Identifier: MIT */
/*
 * The capture mode: calls are recorded one by one together with their GPU
 * records, only counted (record/call_counter.h), or ignored. sampling_policy.h
 * describes when and why.
 */
#pragma once

#include "preload/trace/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define XS_CAPTURE_MODE_BATCH 32

/* The mode that hooks read. */
extern _Atomic int xs_capture_mode_now; /* enum xs_capture */

/* True if every call is recorded, from the start of the run to its end. Set by
 * xs_capture_control_open() before the first call is recorded. */
extern bool xs_capture_mode_is_whole;

/* Input of core/capture_control.c. Numbers of calls are since the start of
 * tracing. */
struct xs_capture_mode_progress {
	_Atomic uint64_t taken;	   /* recorded calls */
	_Atomic uint64_t new_kind; /* of these, up to the last new kind */
	_Atomic uint64_t until;	   /* recorded calls at the end of the window */
	_Atomic uint64_t spent_ns; /* time when `until` was reached */
	atomic_bool unseen; /* a kind of call was counted and never recorded */
	atomic_bool for_good; /* no call is recorded again */
};
extern struct xs_capture_mode_progress xs_capture_mode_progress;
#define XS_CAPTURE_MODE_NO_LIMIT UINT64_MAX

/* Adds recorded calls. If the window's limit is reached, ends the window. */
void xs_capture_mode_spend(unsigned calls);

/* Returns the mode for a call that begins now. */
static inline enum xs_capture xs_capture_mode_take(struct xs_thread *thread)
{
	int now =
	    atomic_load_explicit(&xs_capture_mode_now, memory_order_acquire);

	if (now == XS_CAPTURE_RECORDED && !xs_capture_mode_is_whole &&
	    ++thread->taken >= XS_CAPTURE_MODE_BATCH) {
		thread->taken = 0;
		xs_capture_mode_spend(XS_CAPTURE_MODE_BATCH);
	}
	return (enum xs_capture)now;
}

/* At the end of a thread: adds its calls that were not added yet. */
static inline void xs_capture_mode_leave(struct xs_thread *thread)
{
	if (thread->taken)
		xs_capture_mode_spend(thread->taken);
	thread->taken = 0;
}

/* Notes that the first call of its kind was recorded. */
void xs_capture_mode_note_new_kind(void);

/* Returns whether a window may still open for kinds that were never recorded.
 */
static inline bool xs_capture_mode_records_again(void)
{
	return !xs_relaxed(&xs_capture_mode_progress.for_good);
}

/* Notes that calls of a kind were counted that was never recorded. */
void xs_capture_mode_note_unseen(void);
