/* SPDX-License-Identifier: MIT */
/*
 * Call counters: exact counts of calls that are not recorded, by site, size and
 * direction. Each counter is a record in the trace that its thread updates in
 * place, so it outlives the process. The cost in trace bytes grows with the
 * number of counters, not with the number of calls.
 */
#pragma once

#include "preload/trace/thread.h"

#include <stdint.h>

/* Calls with equal keys are counted together. */
struct xs_call_counter_key {
	uint32_t site;	   /* the trace's number */
	uint8_t size;	   /* xs_tally_size() */
	uint8_t direction; /* enum xs_direction */
};

/*
 * Counts a call of `bytes`. Takes no lock and allocates nothing, except for the
 * first call of a key. Returns the key's record, with this thread's counts; it
 * stays valid until the end. Returns NULL if there was no space, which is
 * counted as a loss.
 */
struct xs_rec_tally *xs_call_counter_count(struct xs_thread *thread,
					   struct xs_call_counter_key key,
					   uint64_t bytes);

/* Call when the thread ends: another thread continues its counters. */
void xs_call_counter_release(struct xs_thread *thread);
