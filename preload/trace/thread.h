/* SPDX-License-Identifier: MIT */
/* Per-thread state of the application's threads. */
#pragma once

#include "preload/trace/writer.h"
#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_callsite;
struct xs_poll;
struct xs_call_counter_table;
struct xs_callstack_state;

/* State of the copy that a thread is executing (record/copy_probe.h). */
struct xs_copy_probe {
	uint64_t bytes; /* 0: no copy is probed */
	uint64_t hash,
	    hashed_bytes;      /* of the source; hashed_bytes 0: not hashed */
	uint32_t hash_ns;      /* what hashing took */
	uint32_t minor, major; /* page faults of the thread */
	bool faults, hashes;   /* what to probe */
};

struct xs_thread {
	/* Used by each call: the first cache line. */
	_Alignas(
	    64) struct xs_call_counter_table *counters; /* NULL until needed */
	struct xs_callsite *callsites;			/* NULL until needed */
	const void *inside;   /* on the stack, points to this: see below */
	const void *launched; /* CUfunction or CUkernel that the current call of
			       * the runtime has launched; NULL: none */
	uint32_t correlation; /* CUPTI's id of the hooked call */
	uint32_t context;     /* whose default stream is in the trace */
	uint8_t taken;	      /* recorded calls not yet reported to sampling/ */
	bool own_stream;      /* the per-thread default stream is, too */
	bool ended;	      /* has ended; destructors may still make calls */
	bool named;	      /* its `thread` record is written */
	atomic_bool in_hook;  /* a hook is running */
	bool busy;	      /* library code is running: record nothing */
	bool per_thread;      /* its stream 0 is the per-thread one */
	bool recorded;	      /* the hooked call is recorded */
	bool in_runtime;      /* CUPTI reports a runtime call in progress */
	atomic_bool in_unhooked; /* a call that only callbacks see is running */
	bool counting;	/* kernel counters are collected for the launch */
	uint8_t nested; /* nested driver calls, modulo 256 (op_tracker.h) */
	struct xs_writer writer;

	struct xs_callstack_state *callstack; /* NULL until needed */
	struct xs_poll *poll;		      /* NULL until needed */
	struct xs_thread *next;		      /* list of open threads */
	struct xs_copy_probe copy_probe;      /* of the current copy */
};

/*
 * The calling thread's state. The initial-exec model needs one instruction and
 * no call of __tls_get_addr(), which may allocate with the application's malloc
 * at a thread's first use. It uses the static TLS that the loader reserves for
 * libraries loaded later, so it must stay small.
 */
extern _Thread_local struct xs_thread xs_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns the calling thread's state; never NULL. */
static inline struct xs_thread *xs_thread_get(void)
{
	return &xs_thread_self;
}

static inline bool xs_thread_in_hook(const struct xs_thread *thread)
{
	return xs_relaxed(&thread->in_hook);
}

/* Returns whether a hook or library code is running. */
static inline bool xs_thread_is_inside(const struct xs_thread *thread)
{
	return thread->busy || xs_thread_in_hook(thread);
}

/*
 * Marks the start of a hooked call. The thread sets in_hook first and then
 * checks whether the call may run (cupti/pause.h). `inside` is set before and
 * after, since a call in a signal handler may run in between and leave its own
 * value. *call begins with the thread's address (record/abandoned_call.h).
 */
static inline void xs_thread_begin_hook(struct xs_thread *thread,
					const void *call)
{
	thread->inside = call;
	atomic_signal_fence(memory_order_seq_cst);
	xs_relaxed_set(&thread->in_hook, true);
	atomic_signal_fence(memory_order_seq_cst);
	thread->inside = call;
}

/* Marks the end of a hooked call and the start of library code. `busy` is set
 * first: otherwise a signal handler's call in between could change the state of
 * this call. The caller resets `busy`. */
static inline void xs_thread_end_hook(struct xs_thread *thread)
{
	thread->busy = true;
	atomic_store_explicit(&thread->in_hook, false, memory_order_release);
}

/* Opens the thread's writer. */
XS_COLD void xs_thread_open_anew(struct xs_thread *thread,
				 struct xs_trace_file *trace);

/* Opens the thread's writer if it is closed. Call before each use. */
static inline void xs_thread_open(struct xs_thread *thread,
				  struct xs_trace_file *trace)
{
	if (!thread->writer.trace)
		xs_thread_open_anew(thread, trace);
}

/* Writes the thread's `thread` record. Returns 0 or -ENOSPC. */
XS_COLD int xs_thread_write_name(struct xs_thread *thread);

/* Writes the `thread` record once. Call before each record of a call. A thread
 * whose calls are only counted writes none. Returns 0 or -ENOSPC. */
static inline int xs_thread_name(struct xs_thread *thread)
{
	return thread->named ? 0 : xs_thread_write_name(thread);
}

/* Registers `ends`, which runs when a thread ends. Call once, before any
 * xs_thread_open(). */
void xs_thread_prepare(void (*ends)(struct xs_thread *thread));

/* Call in the child of a fork: threads that end then release nothing. */
void xs_thread_forked(void);

/* Returns whether an open thread is inside a hook. May miss a thread that is
 * just entering one: see cupti/pause.h. */
bool xs_thread_any_in_hook(void);

/* Returns how many open threads are inside calls that only callbacks see. */
unsigned xs_thread_count_in_unhooked(void);

/* Returns whether an open thread is inside a recorded hooked call. */
bool xs_thread_any_in_recorded_call(void);
