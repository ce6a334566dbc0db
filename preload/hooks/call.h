/* SPDX-License-Identifier: MIT */
/* From a call, seen by a hook or by a callback, to its records. */
#ifndef XS_PRELOAD_HOOKS_CALL_H
#define XS_PRELOAD_HOOKS_CALL_H

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/record/open_call.h"
#include "preload/trace/thread.h"

/*
 * A hook's first half: the real function, never NULL, and in *call whether and
 * what to record. `arguments` is the function's struct xs_args_. errno is kept.
 */
xs_real_fn xs_call_begin(struct xs_open_call *call, enum xs_function fn,
			 const void *return_address, const void *arguments);

/*
 * A hook's second half, only where call->thread is set. Frees too are recorded
 * after the real call, so that the record has its duration, but from its start
 * the memory is gone, as an allocation counts from its end. errno is kept.
 */
void xs_call_end(struct xs_open_call *call, cudaError_t error,
		 const void *arguments);

/* The same of calls that go no short way: passed.h. *call has the function and
 * the address. */
xs_real_fn xs_call_begin_slow(struct xs_thread *thread,
			      struct xs_open_call *call, const void *arguments);
void xs_call_end_slow(struct xs_open_call *call, cudaError_t error,
		      const void *arguments);

#endif
