/* SPDX-License-Identifier: MIT */
/* What each thread of the application has of its own. */
#ifndef XS_PRELOAD_TRACE_THREAD_H
#define XS_PRELOAD_TRACE_THREAD_H

#include "preload/trace/writer.h"
#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_callsite;
struct xs_poll;
struct xs_call_counter_table;
struct xs_callstack_state;

/* What is looked at of the copy that a thread is in (record/copy_probe.h). */
struct xs_copy_probe {
	uint64_t bytes;		     /* 0: there is nothing to look at */
	uint64_t hash, hashed_bytes; /* of the source; hashed_bytes 0: none */
	uint32_t minor, major;	     /* page faults of the thread */
	bool faults, hashes;	     /* what is looked at */
};

struct xs_thread {
	/* What each call looks at: one line of the cache. */
	_Alignas(
	    64) struct xs_call_counter_table *counters; /* tally.c's; NULL until
							 * it is needed */
	struct xs_callsite *callsites; /* passed.c's; the same */
	const void *inside;	       /* the hooked call, on the stack */
	uint32_t correlation;	       /* CUPTI's, of the hooked call */
	uint32_t context;	       /* whose default stream is known */
	uint8_t taken;	     /* recorded calls that detail.c has not heard of */
	bool own_stream;     /* and the thread's own there */
	bool ended;	     /* once: what follows is of other destructors */
	bool named;	     /* the trace knows whose the records are */
	atomic_bool in_hook; /* an interposed function is running */
	bool busy;	     /* our own code is: record nothing */
	bool per_thread;     /* the hooked call's stream 0 is the thread's */
	bool records;	     /* the hooked call is recorded */
	bool in_runtime;     /* a call of the runtime is, by CUPTI */
	bool counting;	     /* what the kernel does that it launches */
	uint8_t
	    nested; /* the driver's callbacks inside; counted by op_tracker.h */
	struct xs_writer writer;

	struct xs_callstack_state *callstack; /* walk.c's; as tallies */
	struct xs_poll *poll;		      /* poll.c's; the same */
	struct xs_thread *next;		      /* of all that are open */
	struct xs_copy_probe copy_probe;      /* of the copy that it is in */
};

/*
 * The calling thread's. Initial-exec: reached by one instruction, without the
 * call of __tls_get_addr(), which may allocate from the application's malloc at
 * a thread's first use. It takes from the room that the loader keeps for
 * libraries that are loaded later, so it must stay small.
 */
extern _Thread_local struct xs_thread xs_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The calling thread's; never NULL. */
static inline struct xs_thread *xs_thread_get(void)
{
	return &xs_thread_self;
}

static inline bool xs_thread_in_hook(const struct xs_thread *thread)
{
	return atomic_load_explicit(&thread->in_hook, memory_order_relaxed);
}

/*
 * A hooked call begins. The thread is inside first, and then looks whether it
 * may be: pause.h. `inside` is set on both sides, since a call of a signal's
 * handler may come before it and leave its own there.
 */
static inline void xs_thread_begin_hook(struct xs_thread *thread,
					const void *call)
{
	thread->inside = call;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->in_hook, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	thread->inside = call;
}

/* It is over, and what follows is our own code's, without a moment between in
 * which a handler's call would change what is known of this one. The caller
 * resets `busy`. */
static inline void xs_thread_end_hook(struct xs_thread *thread)
{
	thread->busy = true;
	atomic_store_explicit(&thread->in_hook, false, memory_order_release);
}

XS_COLD void xs_thread_open_anew(struct xs_thread *thread,
				 struct xs_trace_file *trace);

/* Makes the thread's writer usable: call before each use of it. */
static inline void xs_thread_open(struct xs_thread *thread,
				  struct xs_trace_file *trace)
{
	if (!thread->writer.trace)
		xs_thread_open_anew(thread, trace);
}

/* Says in the trace whose the records are. 0 or -ENOSPC. */
XS_COLD int xs_thread_write_name(struct xs_thread *thread);

/* The same, once: before each record of a call. A thread whose calls are only
 * counted leaves nothing of its own in the trace. */
static inline int xs_thread_name(struct xs_thread *thread)
{
	return thread->named ? 0 : xs_thread_write_name(thread);
}

/* Prepares for threads that end. Once, before any xs_thread_open(). */
void xs_thread_prepare(void (*ends)(struct xs_thread *thread));

/* A child of fork(): threads that end have nothing to give back. */
void xs_thread_forked(void);

/* Whether an open thread is inside an interposed function. Not of a thread that
 * may be entering one: see pause.h. */
bool xs_thread_any_in_hook(void);

/* Whether an open thread is inside one that is recorded. */
bool xs_thread_any_records(void);

#endif
