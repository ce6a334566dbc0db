/* SPDX-License-Identifier: MIT */
/* Calls that are counted and not recorded, and which are worth a record. */
#ifndef XS_PRELOAD_RECORD_COUNT_H
#define XS_PRELOAD_RECORD_COUNT_H

#include "preload/api/functions.h"
#include "preload/sites/site.h"
#include "preload/trace/thread.h"

/* A call that has returned. */
struct xs_ended_call {
	enum xs_function fn;	   /* whose arguments they are */
	struct xs_site_slot *site; /* of the place, whoever called that */
	uintptr_t address;	   /* of the place; 0: not known */
	bool walk_skipped; /* the place is known as a rule, and not of this one
			    */
	cudaError_t error;
	const void *arguments; /* the function's struct xs_args_ */
};

/* Counts it; asks for a window where there are many of its like, and none was
 * recorded. correlation: CUPTI's; 0 where it is not known. The thread is open.
 */
void xs_count_call(struct xs_thread *thread, const struct xs_ended_call *call,
		   uint32_t correlation);

/* The same where its arguments were read already. */
void xs_count_event(struct xs_thread *thread, const struct xs_ended_call *call,
		    const struct xs_event *event);

/* Calls like this one are recorded. */
void xs_count_recorded(const struct xs_ended_call *call,
		       const struct xs_event *event);

#endif
