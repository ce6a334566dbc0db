/* SPDX-License-Identifier: MIT */
/*
 * CUPTI outside of what is recorded. GPU records stay on after a window until
 * the ops of its calls have come, and then are off until the next window. Light
 * mode has no next window: CUPTI is detached for good, or where that is not
 * allowed, all of it is switched off. For our own thread alone.
 */
#ifndef XS_PRELOAD_CUPTI_CUPTI_SUSPEND_H
#define XS_PRELOAD_CUPTI_CUPTI_SUSPEND_H

#include <stdbool.h>

/* A window begins: switches records on. */
void xs_cupti_suspend_end(void);

/* A window is over; for_good: the last. */
void xs_cupti_suspend_begin(bool for_good);

/* Nothing is recorded from the start of the run. */
void xs_cupti_suspend_begin_at_once(void);

/* Call it every 10 ms while it returns true: something is left to do. */
bool xs_cupti_suspend_tick(bool for_good);

/* Whether calls are seen by hooks alone from now on, until the end. */
bool xs_cupti_suspend_has_left(void);

#endif
