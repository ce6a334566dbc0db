/* SPDX-License-Identifier: MIT */
/* From a call, seen by a hook or by a callback, to its records. */
#ifndef XS_PRELOAD_HOOKS_CALL_H
#define XS_PRELOAD_HOOKS_CALL_H

#include "preload/api/functions.h"
#include "preload/api/real.h"
#include "preload/callstack/site.h"
#include "preload/trace/thread.h"

struct xs_rec_tally;
struct xs_timed;

struct xs_open_call {
	struct xs_thread *thread; /* NULL: the call is not recorded */
	struct xs_site_slot *site;
	struct xs_timed *timed;	     /* by timing.c; NULL: it is not */
	struct xs_rec_tally *record; /* that counts it, on the short way */
	enum xs_function fn;
	enum xs_detail detail;
	uintptr_t address; /* that the call returns to */
	uint64_t start_ns;
	bool is_fast;	       /* it goes the short way: passed.h */
	uint8_t call_class;    /* and is recorded: its enum xs_call_class, */
	struct xs_event event; /* and its arguments */
};

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

/* A call that a callback saw from its start to its end. */
struct xs_seen_call {
	enum xs_function fn;
	uint32_t correlation;
	uint64_t start_ns;
	cudaError_t error;
	const void *arguments;
};

/* Whether it may be one that a learned runtime (entry.h) made for a call of the
 * program's. errno may change. */
bool xs_call_seen(struct xs_thread *thread, const struct xs_seen_call *seen);

/* The same, where it is only to be counted: start_ns is not used. */
bool xs_call_seen_count(struct xs_thread *thread,
			const struct xs_seen_call *seen);

/* What is to become of a call of `fn` that begins now. */
enum xs_detail xs_call_detail(struct xs_thread *thread, enum xs_function fn);

/* Whether calls come, and all of them by hooks; else a callback alone has seen
 * some. */
bool xs_call_all_hooked(void);

/* A callback alone sees a call. */
void xs_call_note_seen(enum xs_function fn);

#endif
