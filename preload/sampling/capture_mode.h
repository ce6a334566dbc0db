/* SPDX-License-Identifier: MIT */
/*
 * The capture mode: whether each call is recorded, and each GPU record taken,
 * or calls are only counted (record/call_counter.h), or ignored.
 * sampling_policy.h says when and why.
 */
#ifndef XS_PRELOAD_SAMPLING_CAPTURE_MODE_H
#define XS_PRELOAD_SAMPLING_CAPTURE_MODE_H

#include "preload/trace/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define XS_CAPTURE_MODE_BATCH 32

/* The mode as hooks see it. */
extern _Atomic int xs_capture_mode_now; /* enum xs_detail */

/* Each call is recorded, from the start of the run to its end. Set by
 * xs_capture_control_open(), before the first call is recorded. */
extern bool xs_capture_mode_is_whole;

/* What core/capture_control.c decides by. Calls are counted since tracing
 * began. */
struct xs_capture_mode_progress {
	_Atomic uint64_t taken;	   /* recorded calls */
	_Atomic uint64_t new_kind; /* of these, up to the last new kind */
	_Atomic uint64_t until;	   /* calls recorded when the window ends */
	_Atomic uint64_t spent_ns; /* when the window had all its calls */
	atomic_bool unseen; /* a kind of call was counted and never recorded */
	atomic_bool for_good; /* no call is recorded any more */
};
extern struct xs_capture_mode_progress xs_capture_mode_progress;
#define XS_CAPTURE_MODE_NO_LIMIT UINT64_MAX

/* Counts calls against the window's allowance. */
void xs_capture_mode_spend(unsigned calls);

/* What is to become of a call that begins now. */
static inline enum xs_detail xs_capture_mode_take(struct xs_thread *thread)
{
	int now =
	    atomic_load_explicit(&xs_capture_mode_now, memory_order_acquire);

	if (now == XS_DETAIL_RECORDED && !xs_capture_mode_is_whole &&
	    ++thread->taken >= XS_CAPTURE_MODE_BATCH) {
		thread->taken = 0;
		xs_capture_mode_spend(XS_CAPTURE_MODE_BATCH);
	}
	return (enum xs_detail)now;
}

/* The thread ends: reports the calls that it has not reported yet. */
static inline void xs_capture_mode_leave(struct xs_thread *thread)
{
	if (thread->taken)
		xs_capture_mode_spend(thread->taken);
	thread->taken = 0;
}

/* A call was recorded, the first of its kind. */
void xs_capture_mode_note_new_kind(void);

/* Whether calls of kinds that were never recorded may still get a window. */
static inline bool xs_capture_mode_records_again(void)
{
	return !atomic_load_explicit(&xs_capture_mode_progress.for_good,
				     memory_order_relaxed);
}

/* Calls were counted of a kind that no window has recorded. */
void xs_capture_mode_note_unseen(void);

#endif
