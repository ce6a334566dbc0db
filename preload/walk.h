/* SPDX-License-Identifier: MIT */
/*
 * Call sites that lie some frames up: of calls that are seen only by CUPTI's
 * callbacks, since the runtime is linked into the program or hidden in a
 * library, and of launches, which come from a stub that nvcc made.
 */
#ifndef XS_WALK_H
#define XS_WALK_H

#include "preload/functions.h"
#include "preload/thread.h"

/*
 * The site id of the current call of `fn`; its frames are sites chained by
 * `caller`, the nearest first, without those of the driver, of CUPTI and of
 * what called main(). 0 when the trace has no room. The thread is open.
 */
uint32_t xs_walk_site(struct xs_thread *thread, enum xs_function fn);

/* Frees a thread's cache; NULL is fine. */
void xs_walk_drop(struct xs_walk_cache *cache);

#endif
