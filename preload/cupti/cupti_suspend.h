/* SPDX-License-Identifier: MIT */
/*
 * How CUPTI is held around windows: taken for one, kept for a while behind it
 * for what the device owes, and then switched off or detached, until the next.
 * For the drain thread alone. Times are CLOCK_MONOTONIC.
 */
#ifndef XS_PRELOAD_CUPTI_CUPTI_SUSPEND_H
#define XS_PRELOAD_CUPTI_CUPTI_SUSPEND_H

#include <stdbool.h>
#include <stdint.h>

/* What is wanted of CUPTI outside of windows. */
struct xs_cupti_suspend_wants {
	bool light;
	bool counts;	/* calls are counted now, not ignored */
	bool hears;	/* only callbacks tell of what is to be known */
	bool high_rate; /* calls come so fast that it is worth detaching */
};

/* For a window. True, and *gone: another tool has it for good; false: it is to
 * be tried again. */
bool xs_cupti_suspend_take(bool *gone);

/* The window is over, or nothing is to be recorded from the start. */
void xs_cupti_suspend_leave(const struct xs_cupti_suspend_wants *wants);
void xs_cupti_suspend_leave_at_once(void);

/* Again and again: whether it is still kept. */
bool xs_cupti_suspend_look(const struct xs_cupti_suspend_wants *wants);

/* After a look: an object came that may call CUDA while hooks alone see calls.
 * False: CUPTI was to tell of it, and another tool has it. */
bool xs_cupti_suspend_hear_others(void);

#endif
