/* SPDX-License-Identifier: MIT */
/* Start and end of a hooked call. */
#pragma once

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/record/open_call.h"
#include "preload/trace/thread.h"

/* Starts a hooked call. Returns the real function, never NULL; fills *call with
 * whether and what to record. `arguments` is the function's struct xs_args_*.
 * Keeps errno. */
xs_real_fn xs_call_begin(struct xs_open_call *call, enum xs_function fn,
			 const void *return_address, const void *arguments);

/*
 * Ends a hooked call and records or counts it. Call only if call->thread is
 * set. Frees are also recorded after the real call, so that the record has
 * their duration; the memory counts as freed from the call's start, and as
 * allocated from an allocation's end. Keeps errno.
 */
void xs_call_end(struct xs_open_call *call, cudaError_t error,
		 const void *arguments);

/* The slow path of both. *call has the function and the return address. */
xs_real_fn xs_call_begin_slow(struct xs_thread *thread,
			      struct xs_open_call *call, const void *arguments);
void xs_call_end_slow(struct xs_open_call *call, cudaError_t error,
		      const void *arguments);
