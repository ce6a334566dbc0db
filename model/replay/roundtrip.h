/* SPDX-License-Identifier: MIT */
/* Data that goes out and comes back in: what strategies that keep it on the
 * device, or that must not overtake it, have to know. */
#ifndef XS_MODEL_REPLAY_ROUNDTRIP_H
#define XS_MODEL_REPLAY_ROUNDTRIP_H

#include "analyzer/rounds/phase.h"

/*
 * Marks each copy in whose host range (address and bytes) is what the last
 * copy of that range took out, in the round or, where there are several, in
 * the one before; and that copy out. Whether the host wrote there in between
 * is not in a trace. marks: phase->step_count of them, written whole. *copies:
 * how many copies in are marked. 0 or -ENOMEM.
 */
int xs_roundtrip_mark(const struct xs_phase *phase, bool *marks,
		      size_t *copies);

/* The number alone. 0 or -ENOMEM. */
int xs_roundtrip_count(const struct xs_phase *phase, size_t *copies);

#endif
