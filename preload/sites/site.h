/* SPDX-License-Identifier: MIT */
/* Call sites: the place in the application that calls a CUDA function, and the
 * real function that such a call reaches. Look-ups take no lock. */
#pragma once

#include "preload/api/functions.h"
#include "preload/trace/writer.h"
#include "preload/util/hot.h"

#define XS_SITE_BUSY UINT32_MAX /* a thread is writing the site's records */

struct xs_site_slot {
	_Atomic uint64_t key;	   /* 0: free */
	_Atomic uint32_t id;	   /* 0: not in the trace yet */
	_Atomic uintptr_t real;	   /* 0: not resolved yet */
	_Atomic uint64_t recorded; /* sizes that were recorded, not only
				      counted: see count.c */
};

/* Function number of frames that are no CUDA calls. */
#define XS_FN_FRAME XS_FN_COUNT

/*
 * Returns the site of a call of `fn` that returns to `address`, called in turn
 * from site `caller` (0: unknown). Never NULL: if `address` is 0 or the table
 * is full, returns the shared site of all calls of `fn` from unknown places.
 * Thread-safe, lock-free.
 */
struct xs_site_slot *xs_site_find(enum xs_function fn, uintptr_t address,
				  uint32_t caller);

/* Returns whether the site is one place, not the shared unknown one. */
bool xs_site_is_known(const struct xs_site_slot *site);

/* Slow path of xs_site_id(). */
XS_COLD uint32_t xs_site_new_id(struct xs_site_slot *site,
				struct xs_writer *writer, enum xs_function fn,
				uintptr_t address, uint32_t caller);

/* Returns the site's number in the trace; `writer` writes its records when it
 * is new. 0 if there was no space; the next call retries. */
static inline uint32_t xs_site_id(struct xs_site_slot *site,
				  struct xs_writer *writer, enum xs_function fn,
				  uintptr_t address, uint32_t caller)
{
	const uint32_t id =
	    atomic_load_explicit(&site->id, memory_order_acquire);

	return id && id != XS_SITE_BUSY
		   ? id
		   : xs_site_new_id(site, writer, fn, address, caller);
}

/* A source line that is known at run time (Python). Fields are string ids and a
 * line number. */
struct xs_site_source {
	uint32_t symbol, file, line;
};

/* Returns the number of the site of a source line that was called from site
 * `caller`. Like xs_site_id(); also 0 if the table is full. */
uint32_t xs_site_source_id(struct xs_writer *writer,
			   const struct xs_site_source *source,
			   uint32_t caller);

/* Returns the string id of a name or file of a source line, which is written
 * once; 0 if there was no space. Takes a lock. */
uint32_t xs_site_string(struct xs_writer *writer, const char *text);
