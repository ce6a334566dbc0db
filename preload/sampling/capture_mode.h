/* SPDX-License-Identifier: MIT */
/*
 * Detail: whether each call is recorded, and each GPU record taken, or calls
 * are only counted (tally.h), or ignored. gates.h has when and why.
 */
#ifndef XS_PRELOAD_SAMPLING_CAPTURE_MODE_H
#define XS_PRELOAD_SAMPLING_CAPTURE_MODE_H

#include "preload/trace/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define XS_CAPTURE_MODE_BATCH 32

/* The state as hooks see it. */
extern _Atomic int xs_capture_mode_now; /* enum xs_detail */
extern atomic_bool xs_capture_mode_is_limited;

/* Each call is recorded, from the start of the run to its end. Set by
 * xs_capture_control_open(). */
extern bool xs_capture_mode_is_whole;

/* What core/capture_control.c decides by. Calls are counted since tracing
 * began. */
struct xs_capture_mode_progress {
	_Atomic uint64_t taken;	   /* recorded calls */
	_Atomic uint64_t counted;  /* nearly all of the others */
	_Atomic uint64_t until;	   /* calls recorded when the window ends */
	_Atomic uint64_t spent_ns; /* when the window had all its calls */
	atomic_bool unseen; /* a kind of call was counted and never recorded */
};
extern struct xs_capture_mode_progress xs_capture_mode_progress;
#define XS_CAPTURE_MODE_NO_LIMIT UINT64_MAX

/* Counts calls against the window's allowance. */
void xs_capture_mode_spend(unsigned calls);

/* UINT8_MAX + 1 more calls were only counted. */
void xs_capture_mode_count_batch(void);

/* A call begins that will only be counted. */
static inline void xs_capture_mode_count_call(struct xs_thread *thread)
{
	if (++thread->counted == 0)
		xs_capture_mode_count_batch();
}

/* What is to become of a call that begins now. */
static inline enum xs_detail xs_capture_mode_take(struct xs_thread *thread)
{
	int now =
	    atomic_load_explicit(&xs_capture_mode_now, memory_order_acquire);

	if (now == XS_DETAIL_RECORDED &&
	    atomic_load_explicit(&xs_capture_mode_is_limited,
				 memory_order_relaxed) &&
	    ++thread->taken >= XS_CAPTURE_MODE_BATCH) {
		thread->taken = 0;
		xs_capture_mode_spend(XS_CAPTURE_MODE_BATCH);
	}
	if (now == XS_DETAIL_COUNTED)
		xs_capture_mode_count_call(thread);
	return (enum xs_detail)now;
}

/* The thread ends: so do the calls that it has not told of. */
static inline void xs_capture_mode_leave(struct xs_thread *thread)
{
	if (thread->taken)
		xs_capture_mode_spend(thread->taken);
	thread->taken = 0;
}

/* Calls were counted that no window has seen the like of at their place. */
void xs_capture_mode_note_unseen(void);

#endif
