/* SPDX-License-Identifier: MIT */
/* Finds data that is copied out and then in again. Strategies can keep such
 * data on the device, but must not reorder its copies. */
#ifndef XS_MODEL_REPLAY_ROUNDTRIP_H
#define XS_MODEL_REPLAY_ROUNDTRIP_H

#include "analyzer/rounds/phase.h"

/*
 * Marks each copy in whose host range (address and bytes) was last copied out,
 * in this round or in the previous one, and marks that copy out. A trace does
 * not show whether the host wrote to the range in between. marks:
 * phase->step_count entries, all of which are written. *copies: number of
 * marked copies in. Returns 0 or -ENOMEM.
 */
int xs_roundtrip_mark(const struct xs_phase *phase, bool *marks,
		      size_t *copies);

/* Counts the copies in only. Returns 0 or -ENOMEM. */
int xs_roundtrip_count(const struct xs_phase *phase, size_t *copies);

#endif
