/* SPDX-License-Identifier: MIT */
/*
 * Suspends CUPTI while nothing is recorded. After a window GPU records stay on
 * until the ops of its calls have arrived; then they are off until the next
 * window. In light mode there is no next window: CUPTI is detached for good, or
 * if that is not allowed, its records and callbacks are switched off. Our own
 * thread only.
 */
#pragma once

#include <stdbool.h>

/* A window begins: switches records on. */
void xs_cupti_suspend_end(void);

/* A window is over; for_good: it was the last one. */
void xs_cupti_suspend_begin(bool for_good);

/* Call it instead if nothing is recorded at the start of the run. */
void xs_cupti_suspend_begin_at_once(void);

/* Returns whether something is left to do: call it again after 10 ms. */
bool xs_cupti_suspend_tick(bool for_good);

/* After the last flush: notes the recorded calls whose ops did not arrive. */
void xs_cupti_suspend_finish(void);

/* Returns whether only hooks see calls from now on, until the end. */
bool xs_cupti_suspend_has_left(void);
