/* SPDX-License-Identifier: MIT */
/*
 * A per-thread cache of call stacks, since unwinding costs more than a launch.
 * An entry stores where on the stack the return addresses of a walk were. If
 * the same function is called at the same depth and all these places still hold
 * the same addresses, the stack is the same: a return address fixes the size of
 * the frame above it, and so the position of the next return address. This
 * fails for functions with variable stack use (alloca): a value left behind may
 * be taken for a current one.
 */
#pragma once

#include "preload/callstack/frames.h"
#include "preload/callstack/place.h"

#define XS_CALLSTACK_CACHE_BITS 7u /* bits of a set's number */
#define XS_CALLSTACK_CACHE_SETS (1u << XS_CALLSTACK_CACHE_BITS)
#define XS_CALLSTACK_CACHE_WAYS 8u

struct xs_callstack_cache_key {
	const void *top;   /* the stack pointer; NULL: free */
	uintptr_t address; /* return address of a hook; 0 in callbacks */
	enum xs_function fn;
	uint32_t caller;     /* site of the line of Python; 0: none */
	uint32_t generation; /* module generation */
	bool counted;	     /* only the nearest frame is needed */
};

struct xs_callstack_cache_entry {
	struct xs_callstack_cache_key key;
	struct xs_place place;
	unsigned count;
	struct xs_frame frames[XS_FRAMES_MAX];
};

/* One per thread; initially zero. */
struct xs_callstack_cache {
	struct xs_callstack_cache_entry sets[XS_CALLSTACK_CACHE_SETS]
					    [XS_CALLSTACK_CACHE_WAYS];
	uint8_t next_way[XS_CALLSTACK_CACHE_SETS]; /* next to overwrite */
};

/* Returns the result of an earlier walk of the current stack, or NULL. */
const struct xs_place *
xs_callstack_cache_find(const struct xs_callstack_cache *cache,
			const struct xs_callstack_cache_key *key);

/* Stores the result of a walk of the current stack with its frames before
 * `last`. Only a stack whose return addresses lie where a call instruction
 * pushes them can be checked again; other architectures keep them elsewhere. */
void xs_callstack_cache_store(struct xs_callstack_cache *cache,
			      const struct xs_callstack_cache_key *key,
			      const struct xs_place *place,
			      const struct xs_frames *walk, unsigned last);
