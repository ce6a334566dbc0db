/* SPDX-License-Identifier: MIT */
/*
 * Calls that are counted and not recorded: exactly, by place, size and
 * direction, in records that their thread updates where they lie in the trace,
 * so that they outlive it. What that takes grows with the number of these, and
 * not with the number of calls.
 */
#ifndef XS_PRELOAD_RECORD_CALL_COUNTER_H
#define XS_PRELOAD_RECORD_CALL_COUNTER_H

#include "preload/trace/thread.h"

#include <stdint.h>

/* What is counted together. */
struct xs_call_counter_key {
	uint32_t site;	   /* of the trace */
	uint8_t size;	   /* xs_tally_size() */
	uint8_t direction; /* enum xs_direction */
};

/* Counts a call of `bytes`. Without a lock or an allocation, but for the first
 * of a key. The key's record, with what this thread knows of; it stays where it
 * is until the end. NULL when there was no room to count, which is a loss. */
struct xs_rec_tally *xs_call_counter_count(struct xs_thread *thread,
					   struct xs_call_counter_key key,
					   uint64_t bytes);

/* The thread ends: another goes on with its counts. */
void xs_call_counter_leave(struct xs_thread *thread);

#endif
