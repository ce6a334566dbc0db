/* SPDX-License-Identifier: MIT */
/*
 * Unwinding costs more than a launch, so a walk is remembered with the places
 * on the stack that held its return addresses. If the same function is called
 * at the same depth and all these places still hold the same addresses, it is
 * the same stack: a return address fixes the size of the frame above it, and
 * so where the next one lies, one after the other. Not so of a function that
 * makes room on its stack as it goes (alloca): what it left there once may be
 * taken for what it has now.
 */
#ifndef XS_PRELOAD_CALLSTACK_CALLSTACK_CACHE_H
#define XS_PRELOAD_CALLSTACK_CALLSTACK_CACHE_H

#include "preload/callstack/frames.h"
#include "preload/callstack/place.h"

#define XS_CALLSTACK_CACHE_BITS 7u /* of the number of a set */
#define XS_CALLSTACK_CACHE_SETS (1u << XS_CALLSTACK_CACHE_BITS)
#define XS_CALLSTACK_CACHE_WAYS 8u

struct xs_callstack_cache_key {
	const void *top;   /* the stack pointer; NULL: free */
	uintptr_t address; /* that a hook returns to; 0: a callback has none */
	enum xs_function fn;
	uint32_t caller;  /* the site of the line of Python; 0: none */
	uint32_t unloads; /* so many by then */
	bool counted;	  /* the nearest frame alone is of interest */
};

struct xs_callstack_cache_entry {
	struct xs_callstack_cache_key key;
	struct xs_place place;
	unsigned count;
	struct xs_frame frames[XS_FRAMES_MOST];
};

/* A thread's; all 0 at first. */
struct xs_callstack_cache {
	struct xs_callstack_cache_entry sets[XS_CALLSTACK_CACHE_SETS]
					    [XS_CALLSTACK_CACHE_WAYS];
	uint8_t next_way[XS_CALLSTACK_CACHE_SETS]; /* to be overwritten */
};

/* What the walk of the thread's current stack said; NULL: it was not walked
 * before, or is forgotten. */
const struct xs_place *
xs_callstack_cache_find(const struct xs_callstack_cache *walked,
			const struct xs_callstack_cache_key *key);

/*
 * Keeps what the walk of the current stack said, where it was not found, and
 * the frames before `last`. Only a stack whose return addresses all lie where a
 * call pushes them can be checked again; other machines keep them elsewhere.
 */
void xs_callstack_cache_keep(struct xs_callstack_cache *walked,
			     const struct xs_callstack_cache_key *key,
			     const struct xs_place *place,
			     const struct xs_frames *walk, unsigned last);

#endif
