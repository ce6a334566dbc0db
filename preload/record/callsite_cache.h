/* SPDX-License-Identifier: MIT */
/*
 * The call-site cache of the fast path: per thread, what is known of the calls
 * that return to one address. The fast path serves nearly all calls: recorded
 * calls when everything is recorded from the start to the end of the run, and
 * counted launches, at sites that already have records. Between two launches
 * CUDA evicts the first-level caches, so the cost of a call is the number of
 * cache lines of code and data that it touches.
 */
#pragma once

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/sites/module_generation.h"
#include "preload/trace/thread.h"
#include "preload/util/hot.h"

/* Per thread. Two sites in one slot take the slow path in turn: in a table of
 * one page, 10 of the 28 sites of a PyTorch training step did. */
#define XS_CALLSITE_CACHE_SLOTS 512u

/* One call site: one cache line. */
struct xs_callsite {
	_Alignas(64) uintptr_t address; /* 0: free */
	xs_real_fn real;		/* the real function */
	/* The counter of counted calls, and the site of recorded calls; NULL:
	 * take the slow path. */
	struct xs_rec_tally *counter;
	struct xs_site_slot *site;
	/* NULL: no arguments are recorded */
	void (*fill)(const void *arguments, struct xs_event *event);
	uint32_t generation; /* module generation */
	uint16_t fn;
	uint8_t call_class;
	bool per_thread;
};

static inline struct xs_callsite *
xs_callsite_cache_slot(const struct xs_thread *thread, uintptr_t address)
{
	return &thread->callsites[(address >> 2) % XS_CALLSITE_CACHE_SLOTS];
}

/* Returns the entry, or NULL: take the slow path. The thread must have a
 * table. */
static inline struct xs_callsite *
xs_callsite_cache_find(const struct xs_thread *thread, enum xs_function fn,
		       uintptr_t address)
{
	struct xs_callsite *callsite = xs_callsite_cache_slot(thread, address);

	return callsite->address == address && callsite->fn == fn &&
		       callsite->generation ==
			   xs_relaxed(&xs_module_generation_now)
		   ? callsite
		   : NULL;
}

/* Returns the entry; adds it if it is new. NULL if out of memory. */
XS_COLD struct xs_callsite *xs_callsite_cache_add(struct xs_thread *thread,
						  enum xs_function fn,
						  uintptr_t address,
						  xs_real_fn real);

/* Frees a thread's table; NULL is allowed. */
void xs_callsite_cache_drop(struct xs_callsite *callsite);
