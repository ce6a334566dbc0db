/* SPDX-License-Identifier: MIT */
/*
 * Call sites that lie some frames up: of calls that are seen only by CUPTI's
 * callbacks, since the runtime is linked into the program or hidden in a
 * library, and of launches, which come from a stub that nvcc made.
 */
#ifndef XS_WALK_H
#define XS_WALK_H

#include "preload/functions.h"
#include "preload/site.h"
#include "preload/thread.h"

/* Reads XFERSPY_STACK and looks for Python; the trace is open. Before any other
 * of these. Takes the loader's lock. */
void xs_walk_start(void);

/*
 * The site id of the current call of `fn`, inside a callback that was given
 * `arguments`; its frames are sites chained by `caller`, the nearest first,
 * without those of the runtime that was called, of the driver, of CUPTI and of
 * what called main(); in Python, its lines instead of the interpreter's own
 * frames and of all that called it. 0 when the trace has no room. The thread is
 * open.
 */
uint32_t xs_walk_seen(struct xs_thread *thread, enum xs_function fn,
		      const void *arguments);

/*
 * The same where a hook of ours, that was called through `site`, knows the
 * address that is returned to: without a walk, where that is to be had.
 */
uint32_t xs_walk_hooked(struct xs_thread *thread, enum xs_function fn,
			struct xs_site_slot *site, uintptr_t address);

/* Frees a thread's cache; NULL is fine. */
void xs_walk_drop(struct xs_walk_cache *cache);

#endif
