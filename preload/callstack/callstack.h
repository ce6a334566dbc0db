/* SPDX-License-Identifier: MIT */
/*
 * Call sites that lie some frames up: of calls that are seen only by CUPTI's
 * callbacks, since the runtime is linked into the program or hidden in a
 * library, and of launches, which come from a stub that nvcc made.
 */
#ifndef XS_PRELOAD_CALLSTACK_CALLSTACK_H
#define XS_PRELOAD_CALLSTACK_CALLSTACK_H

#include "preload/api/functions.h"
#include "preload/callstack/place.h"
#include "preload/sites/site.h"
#include "preload/trace/thread.h"

/* Reads XFERSPY_STACK and looks for Python; the trace is open. Before any other
 * of these. Takes the loader's lock. */
void xs_callstack_start(void);

/* Whether calls are walked for at all. */
bool xs_callstack_is_on(void);

/*
 * Of the current call of `fn`, inside a callback that was given `arguments`.
 * Its frames are sites chained by `caller`, the nearest first, without those of
 * the runtime that was called, of the driver, of CUPTI and of what called
 * main(); in Python, its lines instead of the interpreter's own frames and of
 * all that called it. The thread is open.
 */
struct xs_place xs_callstack_seen(struct xs_thread *thread, enum xs_function fn,
				  const void *arguments);

/* The same for a call that is only counted: without a site, and without an
 * address where walks have cost too much already. */
struct xs_place xs_callstack_counted(struct xs_thread *thread,
				     enum xs_function fn,
				     const void *arguments);

/*
 * The same where a hook of ours, that was called through `site`, knows the
 * address that is returned to: without a walk, where that is to be had.
 */
uint32_t xs_callstack_hooked(struct xs_thread *thread, enum xs_function fn,
			     struct xs_site_slot *site, uintptr_t address);

/* Frees a thread's cache; NULL is fine. */
void xs_callstack_drop(struct xs_callstack_state *cache);

#endif
