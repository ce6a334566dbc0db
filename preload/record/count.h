/* SPDX-License-Identifier: MIT */
/* Counts calls that are not recorded, and asks for a sample window if a kind of
 * call was never recorded. */
#pragma once

#include "preload/api/functions.h"
#include "preload/sites/site.h"
#include "preload/trace/thread.h"

/* A call that has returned. */
struct xs_ended_call {
	enum xs_function fn;	   /* the function of the arguments */
	struct xs_site_slot *site; /* the site without its callers */
	uintptr_t address;	   /* of the site; 0: unknown */
	bool walk_skipped; /* no call stack walk this time: address unknown */
	bool unhooked;	   /* only CUPTI's callbacks saw it */
	cudaError_t error;
	const void *arguments; /* struct xs_args_* of the function */
};

/* Counts the call. Asks for a sample window if many of its kind were counted
 * and none was recorded. correlation: CUPTI's; 0 if unknown. The thread is
 * open. */
void xs_count_call(struct xs_thread *thread, const struct xs_ended_call *call,
		   uint32_t correlation);

/* Like xs_count_call(), with arguments that were already read. */
void xs_count_event(struct xs_thread *thread, const struct xs_ended_call *call,
		    const struct xs_event *event);

/* Notes that the call was recorded with the trace's `site`. The first call of a
 * kind is new; in light mode it also writes that the site is unhooked. */
void xs_count_recorded(struct xs_thread *thread,
		       const struct xs_ended_call *call,
		       const struct xs_event *event, uint32_t site);
