/* SPDX-License-Identifier: MIT */
/*
 * Call sites: where in the application a CUDA function was called from, and
 * which real function such a call reaches. Found without a lock.
 */
#ifndef XS_PRELOAD_SITES_SITE_H
#define XS_PRELOAD_SITES_SITE_H

#include "preload/api/functions.h"
#include "preload/trace/writer.h"
#include "preload/util/hot.h"

#define XS_SITE_BUSY UINT32_MAX /* a thread is writing its records */

struct xs_site_slot {
	_Atomic uint64_t key;	   /* 0: free */
	_Atomic uint32_t id;	   /* 0: not yet in the trace */
	_Atomic uintptr_t real;	   /* 0: not yet resolved */
	_Atomic uint64_t recorded; /* which sizes of calls of it, not only
				    * counted: count.c's */
};

/* A function number for the frames outside of a call: none. */
#define XS_FN_FRAME XS_FN_COUNT

/*
 * The site of a call of `fn` that returns to `address`, called in turn from
 * site `caller` (0: not known). Never NULL: with an address of 0, or when the
 * table is full, the site of all calls of `fn` from nobody knows where.
 */
struct xs_site_slot *xs_site_find(enum xs_function fn, uintptr_t address,
				  uint32_t caller);

/* Whether the site is one place, and not of nobody knows where. */
bool xs_site_is_known(const struct xs_site_slot *site);

/* At first sight: see xs_site_id(). */
XS_COLD uint32_t xs_site_new_id(struct xs_site_slot *site,
				struct xs_writer *writer, enum xs_function fn,
				uintptr_t address, uint32_t caller);

/*
 * The site's number in the trace; at first sight its records are written by
 * `writer`. 0 when there was no room for them; the next call tries again.
 */
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

/* A place that the recorder itself knows in the source; string ids. */
struct xs_site_source {
	uint32_t symbol, file, line;
};

/* The number of the site of such a place, that was called from site `caller`.
 * Else as xs_site_id(); 0 when the table is full, too. */
uint32_t xs_site_source_id(struct xs_writer *writer,
			   const struct xs_site_source *source,
			   uint32_t caller);

/* The id of a text of such a place, which is written once; 0 without room.
 * Takes a lock. */
uint32_t xs_site_string(struct xs_writer *writer, const char *text);

#endif
