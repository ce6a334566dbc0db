/* SPDX-License-Identifier: MIT */
/* SIGUSR2, which begins and ends what XFERSPY_RANGE=signal records. */
#ifndef XS_PRELOAD_SAMPLING_RANGE_SIGNAL_H
#define XS_PRELOAD_SAMPLING_RANGE_SIGNAL_H

#include <stdbool.h>

/* Takes the signal if that is what the environment asks for and nobody else has
 * it. In the constructor: a signal may come long before CUDA is used, and
 * untaken it would end the process. */
void xs_range_signal_prepare(void);

/* Whether the signal is still ours: programs may take it later on. */
bool xs_range_signal_is_ours(void);

/* Whether the last signal began a range. */
bool xs_range_signal_is_on(void);

#endif
