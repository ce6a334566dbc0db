/* SPDX-License-Identifier: MIT */
/*
 * Which ops are of a window, by CUPTI's ids of the calls that asked for them.
 * Records stay on for a while after a window: ops of calls that were only
 * counted are dropped. Ids grow over all threads, and wrap.
 */
#ifndef XS_PRELOAD_SAMPLING_SAMPLE_WINDOW_H
#define XS_PRELOAD_SAMPLING_SAMPLE_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The ids of the window at hand, or of the last; 0: not known. */
struct xs_sample_window_ids {
	_Atomic uint32_t begin, end;
	atomic_bool over;	     /* it ends */
	atomic_bool all_came;	     /* that were waited for */
	_Atomic uint32_t end_before; /* of the window before */
	_Atomic uint32_t last_kept;  /* by the op tracker, when it ended */
};
extern struct xs_sample_window_ids xs_sample_window_ids;

/* The window begins, from one thread, or ends: before calls are recorded, or
 * are no longer. */
void xs_sample_window_begin(void);
void xs_sample_window_end(void);

/* Records are off, so no op of the window comes any more: one that is not done
 * yet is of a later call. Until the next window. */
void xs_sample_window_note_all(void);

static inline bool xs_sample_window_has_all(void)
{
	return atomic_load(&xs_sample_window_ids.all_came);
}

void xs_sample_window_set_begin(uint32_t correlation);
void xs_sample_window_set_end(uint32_t correlation);
void xs_sample_window_set_end_after(uint32_t correlation);

/*
 * The id of a recorded call is known. Where the window is over, the call is one
 * that was decided on before; where it has an end and is not, that was set by
 * one that was counted before it and was held up since.
 */
static inline void xs_sample_window_note_recorded(uint32_t correlation)
{
	if (!atomic_load_explicit(&xs_sample_window_ids.begin,
				  memory_order_relaxed))
		xs_sample_window_set_begin(correlation);
	if (atomic_load_explicit(&xs_sample_window_ids.over,
				 memory_order_relaxed) ||
	    atomic_load_explicit(&xs_sample_window_ids.end,
				 memory_order_relaxed))
		xs_sample_window_set_end_after(correlation);
}

/* A call was counted; correlation: 0 where it is not known. */
static inline void xs_sample_window_note_counted(uint32_t correlation)
{
	if (correlation && !atomic_load_explicit(&xs_sample_window_ids.end,
						 memory_order_relaxed))
		xs_sample_window_set_end(correlation);
}

/* Whether the op of such a call is of no window. */
bool xs_sample_window_is_past(uint32_t correlation);

#endif
