/* SPDX-License-Identifier: MIT */
/*
 * The short way of nearly all calls: those that are recorded where all are,
 * from the start of the run to its end, and launches that are only counted, at
 * places where calls were recorded before. Between two launches CUDA has used
 * up the first level of the caches, so that what a call costs is how many lines
 * of code and data it passes through.
 */
#ifndef XS_PASSED_H
#define XS_PASSED_H

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/callstack/module_generation.h"
#include "preload/trace/thread.h"
#include "preload/util/hot.h"

/* Of a thread. Two places of one slot go the long way in turn: in a table of a
 * page, ten of the 28 of a training step of PyTorch. */
#define XS_PASSED 512u

/* What is known of calls that return to one place: a line of the cache. */
struct xs_passed {
	_Alignas(64) uintptr_t address; /* 0: free */
	xs_real_fn real;		/* what their hook calls */
	/* What counts those that are counted, and the site of those that are
	 * recorded; NULL: they go the long way. */
	struct xs_rec_tally *record;
	struct xs_site_slot *site;
	/* NULL: none of their arguments is recorded. */
	void (*fill)(const void *arguments, struct xs_event *event);
	uint32_t unloads; /* so many by then */
	uint16_t fn;
	uint8_t call_class;
	bool per_thread;
};

static inline struct xs_passed *xs_passed_slot(const struct xs_thread *thread,
					       uintptr_t address)
{
	return &thread->passed[(address >> 2) % XS_PASSED];
}

/* NULL: it is not known, and has to go the long way. The thread has a table. */
static inline struct xs_passed *xs_passed_find(const struct xs_thread *thread,
					       enum xs_function fn,
					       uintptr_t address)
{
	struct xs_passed *passed = xs_passed_slot(thread, address);

	return passed->address == address && passed->fn == fn &&
		       passed->unloads == atomic_load_explicit(
					      &xs_unloads, memory_order_relaxed)
		   ? passed
		   : NULL;
}

/* The same; where it is not known, made so from here on. NULL without memory.
 */
XS_RARE struct xs_passed *xs_passed_keep(struct xs_thread *thread,
					 enum xs_function fn, uintptr_t address,
					 xs_real_fn real);

/* Gives the memory back. */
void xs_passed_drop(struct xs_passed *passed);

#endif
