/* SPDX-License-Identifier: MIT */
/* SIGUSR2 begins and ends the recorded range with XFERSPY_RANGE=signal. */
#pragma once

#include <stdbool.h>

/* Installs the signal handler if XFERSPY_RANGE=signal is set and the signal has
 * no handler yet. Call it in the constructor: a signal may arrive long before
 * CUDA is used, and without a handler it would end the process. */
void xs_range_signal_prepare(void);

/* Returns whether our handler is still installed: the program may replace it.
 */
bool xs_range_signal_is_ours(void);

/* Returns whether the last signal began a range. */
bool xs_range_signal_is_on(void);
