/* SPDX-License-Identifier: MIT */
/*
 * The short way of nearly all calls of light mode: launches that are only
 * counted, at places where calls were recorded before. Between two launches
 * CUDA has used up the first level of the caches, so that what a call costs is
 * how many lines of code and data it passes through.
 */
#ifndef XS_PASSED_H
#define XS_PASSED_H

#include "preload/functions.h"
#include "preload/real.h"
#include "preload/thread.h"
#include "preload/unload.h"

#define XS_PASSED 16u /* of a thread */

/* A launch that has returned, for the next one like it. */
struct xs_passed {
	uintptr_t address; /* that it returned to; 0: free */
	xs_real_fn real;   /* what its hook called */
	struct xs_rec_tally *record;
	uint16_t fn;
	bool per_thread;
	uint32_t unloads; /* so many by then */
};

static inline struct xs_passed *xs_passed_slot(const struct xs_thread *thread,
					       uintptr_t address)
{
	return &thread->passed[(address >> 2) % XS_PASSED];
}

/* NULL: it is not known, and has to go the long way. */
static inline const struct xs_passed *
xs_passed_find(const struct xs_thread *thread, enum xs_function fn,
	       uintptr_t address)
{
	const struct xs_passed *passed;

	if (!thread->passed)
		return NULL;
	passed = xs_passed_slot(thread, address);
	return passed->address == address && passed->fn == fn &&
		       passed->unloads == atomic_load_explicit(
					      &xs_unloads, memory_order_relaxed)
		   ? passed
		   : NULL;
}

/* The thread has a table (tally.h). */
static inline void xs_passed_keep(struct xs_thread *thread,
				  const struct xs_passed *passed)
{
	*xs_passed_slot(thread, passed->address) = *passed;
}

#endif
