/* SPDX-License-Identifier: MIT */
/*
 * Decides by CUPTI's correlation ids which ops belong to a sample window. GPU
 * records stay enabled for a while after a window, and ops of calls that were
 * only counted are dropped. Ids increase over all threads, and wrap around.
 */
#pragma once

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Ids of the current or last window; 0: not known. */
struct xs_sample_window_ids {
	_Atomic uint32_t begin, end;
	atomic_bool over;	     /* the window has ended */
	atomic_bool all_came;	     /* no more ops of it arrive */
	_Atomic uint32_t end_before; /* of the previous window */
	_Atomic uint32_t last_kept;  /* op tracker's latest id at the end */
};
extern struct xs_sample_window_ids xs_sample_window_ids;

/* Begin and end a window, before the capture mode changes. One thread alone
 * begins windows. */
void xs_sample_window_begin(void);
void xs_sample_window_end(void);

/* Notes that GPU records are off, so that no more ops of the window arrive: an
 * incomplete op belongs to a later call. Valid until the next window. */
void xs_sample_window_note_all(void);

static inline bool xs_sample_window_has_all(void)
{
	return atomic_load(&xs_sample_window_ids.all_came);
}

void xs_sample_window_set_begin(uint32_t correlation);
void xs_sample_window_set_end(uint32_t correlation);
void xs_sample_window_set_end_after(uint32_t correlation);

/*
 * Notes the id of a recorded call. If the window is over, the call had read the
 * capture mode before. If the window has an end id but is not over, a delayed
 * call that was counted before the window has set it.
 */
static inline void xs_sample_window_note_recorded(uint32_t correlation)
{
	if (!xs_relaxed(&xs_sample_window_ids.begin))
		xs_sample_window_set_begin(correlation);
	if (xs_relaxed(&xs_sample_window_ids.over) ||
	    xs_relaxed(&xs_sample_window_ids.end))
		xs_sample_window_set_end_after(correlation);
}

/* Notes a counted call; correlation is 0 if it is not known. */
static inline void xs_sample_window_note_counted(uint32_t correlation)
{
	if (correlation && !xs_relaxed(&xs_sample_window_ids.end))
		xs_sample_window_set_end(correlation);
}

/* Returns whether an op with this id belongs to no window. */
bool xs_sample_window_is_past(uint32_t correlation);
