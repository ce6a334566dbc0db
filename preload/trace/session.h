/* SPDX-License-Identifier: MIT */
/* The process-wide trace file and the state of tracing. */
#pragma once

#include "preload/trace/trace_file.h"

/* Its header is NULL until tracing has started. */
extern struct xs_trace_file xs_session_trace;

enum xs_session_state {
	XS_SESSION_NEW,	     /* CUDA has not been used */
	XS_SESSION_STARTING, /* a thread opens the trace and CUPTI */
	XS_SESSION_RECORDING,
	XS_SESSION_FINISHING, /* records are still accepted */
	XS_SESSION_OFF,	      /* permanently */
};

/* enum xs_session_state; core/lifecycle.c changes it. */
extern _Atomic int xs_session_state;

/* Returns whether calls are recorded now. */
static inline bool xs_session_is_recording(void)
{
	int state =
	    atomic_load_explicit(&xs_session_state, memory_order_acquire);

	return state == XS_SESSION_RECORDING || state == XS_SESSION_FINISHING;
}
