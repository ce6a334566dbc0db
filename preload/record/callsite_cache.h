/* SPDX-License-Identifier: MIT */
/*
 * The short way of nearly all calls: those that are recorded where all are,
 * from the start of the run to its end, and launches that are only counted, at
 * places where calls were recorded before. Between two launches CUDA has used
 * up the first level of the caches, so that what a call costs is how many lines
 * of code and data it passes through.
 */
#ifndef XS_PRELOAD_RECORD_CALLSITE_CACHE_H
#define XS_PRELOAD_RECORD_CALLSITE_CACHE_H

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/sites/module_generation.h"
#include "preload/trace/thread.h"
#include "preload/util/hot.h"

/* Of a thread. Two places of one slot go the long way in turn: in a table of a
 * page, ten of the 28 of a training step of PyTorch. */
#define XS_CALLSITE_CACHE_SLOTS 512u

/* What is known of calls that return to one place: a line of the cache. */
struct xs_callsite {
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

static inline struct xs_callsite *
xs_callsite_cache_slot(const struct xs_thread *thread, uintptr_t address)
{
	return &thread->callsites[(address >> 2) % XS_CALLSITE_CACHE_SLOTS];
}

/* NULL: it is not known, and has to go the long way. The thread has a table. */
static inline struct xs_callsite *
xs_callsite_cache_find(const struct xs_thread *thread, enum xs_function fn,
		       uintptr_t address)
{
	struct xs_callsite *callsite = xs_callsite_cache_slot(thread, address);

	return callsite->address == address && callsite->fn == fn &&
		       callsite->unloads ==
			   atomic_load_explicit(&xs_module_generation_now,
						memory_order_relaxed)
		   ? callsite
		   : NULL;
}

/* The same; where it is not known, made so from here on. NULL without memory.
 */
XS_COLD struct xs_callsite *xs_callsite_cache_keep(struct xs_thread *thread,
						   enum xs_function fn,
						   uintptr_t address,
						   xs_real_fn real);

/* Gives the memory back. */
void xs_callsite_cache_drop(struct xs_callsite *callsite);

#endif
