/* SPDX-License-Identifier: MIT */
/*
 * Detail: whether each call is recorded, and each GPU record taken, or calls
 * are only counted (tally.h), or ignored. gates.h has when and why.
 */
#ifndef XS_DETAIL_H
#define XS_DETAIL_H

#include "preload/trace/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define XS_DETAIL_BATCH 32

/* The state as hooks see it. */
extern _Atomic int xs_detail_now; /* enum xs_detail */
extern atomic_bool xs_detail_is_limited;

/* Each call is recorded, from the start of the run to its end. Set by
 * xs_detail_open(). */
extern bool xs_detail_is_whole;

/* As the environment has it. Once, after the trace was opened and before calls
 * are recorded. */
void xs_detail_open(void);

/* Counts calls against the window's allowance. */
void xs_detail_spend(unsigned calls);

/* UINT8_MAX + 1 more calls were only counted. */
void xs_detail_note_many(void);

/* A call begins that will only be counted. */
static inline void xs_detail_note_passed(struct xs_thread *thread)
{
	if (++thread->counted == 0)
		xs_detail_note_many();
}

/* What is to become of a call that begins now. */
static inline enum xs_detail xs_detail_take(struct xs_thread *thread)
{
	int now = atomic_load_explicit(&xs_detail_now, memory_order_acquire);

	if (now == XS_DETAIL_RECORDED &&
	    atomic_load_explicit(&xs_detail_is_limited, memory_order_relaxed) &&
	    ++thread->taken >= XS_DETAIL_BATCH) {
		thread->taken = 0;
		xs_detail_spend(XS_DETAIL_BATCH);
	}
	if (now == XS_DETAIL_COUNTED)
		xs_detail_note_passed(thread);
	return (enum xs_detail)now;
}

/* The thread ends: so do the calls that it has not told of. */
static inline void xs_detail_leave(struct xs_thread *thread)
{
	if (thread->taken)
		xs_detail_spend(thread->taken);
	thread->taken = 0;
}

/* Calls were counted that no window has seen the like of at their place. */
void xs_detail_note_novel(void);

/*
 * The program called cudaProfilerStart() or ...Stop(): with XFERSPY_RANGE=
 * profiler the range begins or ends here. Waits, not for long, until it has.
 */
void xs_detail_mark(bool start);

/* Decides anew, and switches; ns until it wants to be asked again. For the
 * drain thread alone. */
uint64_t xs_detail_tick(void);

#endif
