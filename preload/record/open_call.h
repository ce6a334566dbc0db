/* SPDX-License-Identifier: MIT */
/* A hooked call between its two halves. */
#ifndef XS_PRELOAD_RECORD_OPEN_CALL_H
#define XS_PRELOAD_RECORD_OPEN_CALL_H

#include "preload/api/functions.h"
#include "preload/sites/site.h"
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

#endif
