/* SPDX-License-Identifier: MIT */
/* State of a hooked call between its start and its end. */
#pragma once

#include "preload/api/functions.h"
#include "preload/sites/site.h"
#include "preload/trace/thread.h"

struct xs_rec_tally;
struct xs_timed;

struct xs_open_call {
	/* First: see xs_thread_begin_hook(). NULL: the call is not recorded. */
	struct xs_thread *thread;
	struct xs_site_slot *site;
	struct xs_timed *timed;	      /* by events/timing.c; NULL: not timed */
	struct xs_rec_tally *counter; /* its counter, on the fast path */
	enum xs_function fn;
	enum xs_capture mode;
	uintptr_t address; /* return address */
	uint64_t start_ns;
	bool is_fast;	       /* takes the fast path (hooks/call_fast.c) */
	uint8_t call_class;    /* fast path, recorded: enum xs_call_class */
	struct xs_event event; /* fast path, recorded: the arguments */
};
