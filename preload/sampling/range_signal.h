/* SPDX-License-Identifier: MIT */
/* SIGUSR2, which begins and ends what XFERSPY_RANGE=signal records. */
#ifndef XS_MARK_H
#define XS_MARK_H

#include <stdbool.h>

/* Takes the signal if that is what the environment asks for and nobody else has
 * it. In the constructor: a signal may come long before CUDA is used, and
 * untaken it would end the process. */
void xs_mark_prepare(void);

/* Whether the signal is still ours: programs may take it later on. */
bool xs_mark_is_ours(void);

/* Whether the last signal began a range. */
bool xs_mark_is_on(void);

#endif
