/* SPDX-License-Identifier: MIT */
/* Starts and ends tracing. lifecycle.c explains the order. */
#pragma once

#include "preload/cupti/cupti.h"
#include "preload/trace/session.h"
#include "preload/trace/thread.h"

extern atomic_bool xs_late_exit_registered;

/* Starts tracing, or waits until another thread has started it. Returns whether
 * calls are recorded now. */
bool xs_lifecycle_start(struct xs_thread *thread, xs_cupti_callback *callback);

/* Returns whether calls are recorded now; the first call starts tracing. */
static inline bool xs_lifecycle_ensure(struct xs_thread *thread,
				       xs_cupti_callback *callback)
{
	int state =
	    atomic_load_explicit(&xs_session_state, memory_order_acquire);

	return state == XS_SESSION_RECORDING || state == XS_SESSION_FINISHING ||
	       (state != XS_SESSION_OFF &&
		xs_lifecycle_start(thread, callback));
}

/* Registers the exit handler that runs before the driver's. */
XS_COLD void xs_lifecycle_register_late_exit(void);

/* Call after each CUDA call that returned: after the first one, CUDA is
 * initialised. */
static inline void xs_lifecycle_call_returned(void)
{
	if (!xs_relaxed(&xs_late_exit_registered))
		xs_lifecycle_register_late_exit();
}
