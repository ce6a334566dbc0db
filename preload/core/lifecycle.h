/* SPDX-License-Identifier: MIT */
/* When tracing starts and ends. The order is argued in lifecycle.c. */
#ifndef XS_PRELOAD_CORE_LIFECYCLE_H
#define XS_PRELOAD_CORE_LIFECYCLE_H

#include "preload/trace/thread.h"
#include "preload/trace/trace_file.h"

/* The trace of this process; its header is NULL until tracing has started. */
extern struct xs_trace_file xs_session_trace;

enum xs_state {
	XS_STATE_NEW,	   /* CUDA has not been used */
	XS_STATE_STARTING, /* a thread opens the trace and CUPTI */
	XS_STATE_RECORDING,
	XS_STATE_FINISHING, /* records are still taken */
	XS_STATE_OFF,	    /* for good */
};
extern _Atomic int xs_state;
extern atomic_bool xs_late_exit_registered;

/* Starts tracing, or waits for who does. Whether calls are recorded now. */
bool xs_lifecycle_start(struct xs_thread *thread);

/* Whether calls are recorded now. */
static inline bool xs_lifecycle_recording(void)
{
	int state = atomic_load_explicit(&xs_state, memory_order_acquire);

	return state == XS_STATE_RECORDING || state == XS_STATE_FINISHING;
}

/* The same, for hooks: the first one starts. */
static inline bool xs_lifecycle_ensure(struct xs_thread *thread)
{
	int state = atomic_load_explicit(&xs_state, memory_order_acquire);

	return state == XS_STATE_RECORDING || state == XS_STATE_FINISHING ||
	       (state != XS_STATE_OFF && xs_lifecycle_start(thread));
}

XS_COLD void xs_lifecycle_register_late_exit(void);

/* To be told of each call that has returned: by the first, CUDA has set
 * itself up. */
static inline void xs_lifecycle_call_returned(void)
{
	if (!atomic_load_explicit(&xs_late_exit_registered,
				  memory_order_relaxed))
		xs_lifecycle_register_late_exit();
}

#endif
