/* SPDX-License-Identifier: MIT */
/*
 * Calls that are counted and not recorded: by place, exactly, in records that
 * their thread updates where they lie in the trace, so that they outlive it.
 */
#ifndef XS_TALLY_H
#define XS_TALLY_H

#include "preload/thread.h"

#include <stdint.h>

/* Counts a call of `bytes` (0: none) at a site of the trace. Without a lock or
 * an allocation, but for the first at a place. Returns how many there are, as
 * far as this thread knows; 0 when there was no room to count. */
uint64_t xs_tally_count(struct xs_thread *thread, uint32_t site,
			uint64_t bytes);

/* The thread ends: another goes on with its counts. */
void xs_tally_leave(struct xs_thread *thread);

#endif
