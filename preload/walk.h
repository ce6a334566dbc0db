/* SPDX-License-Identifier: MIT */
/*
 * Call sites of calls that are seen only by CUPTI's callbacks: the runtime is
 * linked into the program or hidden in a library, so the return address of the
 * application lies some frames up.
 */
#ifndef XS_WALK_H
#define XS_WALK_H

#include "preload/functions.h"
#include "preload/thread.h"

/*
 * The site id of the current call of `fn`, seen from a callback; its frames
 * are sites chained by `caller`, the nearest first, without those of the
 * driver and of CUPTI. 0 when nothing is known. The thread is open.
 */
uint32_t xs_walk_site(struct xs_thread *thread, enum xs_function fn);

/* Frees a thread's cache; NULL is fine. */
void xs_walk_drop(struct xs_walk_cache *cache);

#endif
