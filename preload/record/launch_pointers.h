/* SPDX-License-Identifier: MIT */
/* Records the addresses of live memory among the parameters of launches
 * (XFERSPY_DATAFLOW). */
#pragma once

#include "preload/record/count.h"
#include "preload/record/span.h"
#include "preload/util/config.h"
#include "preload/util/hot.h"

/* enum xs_dataflow_mode; set once, before the first call is recorded. */
extern _Atomic int xs_launch_pointers_mode;

static inline bool xs_launch_pointers_are_on(void)
{
	return XS_UNLIKELY(xs_relaxed(&xs_launch_pointers_mode) !=
			   XS_DATAFLOW_OFF);
}

/*
 * Returns whether a launch is in a window of XFERSPY_DATAFLOW=sample. There are
 * windows of 67 ms (2^26 ns) every 4.3 s, for short rounds. For longer ones, a
 * window opens whenever the time since the first launch or copy reaches a power
 * of two, from 67 ms on, and stays open for a 16th of that time.
 * start_ns: CLOCK_REALTIME; since_ns: since the first one.
 */
static inline bool xs_launch_pointers_in_window(uint64_t start_ns,
						uint64_t since_ns)
{
	return (start_ns >> 26) % 64 == 0 ||
	       (since_ns >> 26 &&
		since_ns >> (59 - __builtin_clzll(since_ns)) == 16);
}

/*
 * Call after a call succeeded and was recorded: follows allocations, frees and
 * tables of addresses, and writes what a launch's parameters point to.
 * Parameters are read after the launch: the driver has then read them, too.
 * *event has the call's arguments. The thread is open.
 */
void xs_launch_pointers_note(struct xs_thread *thread,
			     const struct xs_ended_call *call,
			     const struct xs_event *event,
			     const struct xs_span *span);

/* The same for a launch alone. Those that are not wanted take no lock. */
void xs_launch_pointers_launch(struct xs_thread *thread, enum xs_function fn,
			       const void *arguments,
			       const struct xs_span *span);

/* The same for a copy alone. */
void xs_launch_pointers_copy(const struct xs_event *event,
			     const struct xs_span *span);

/* Call at the start of a driver call that a call of the runtime makes: only
 * there a launch of the runtime names its function. */
void xs_launch_pointers_nested(struct xs_thread *thread, enum xs_function fn,
			       const void *arguments);
