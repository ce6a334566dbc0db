/* SPDX-License-Identifier: MIT */
/* Calls that no hook sees: CUPTI's callbacks report them. */
#ifndef XS_PRELOAD_HOOKS_SEEN_CALL_H
#define XS_PRELOAD_HOOKS_SEEN_CALL_H

#include "preload/api/functions.h"
#include "preload/trace/thread.h"

/* A call that a callback saw from its start to its end. */
struct xs_seen_call {
	enum xs_function fn;
	uint32_t correlation;
	uint64_t start_ns;
	cudaError_t error;
	const void *arguments;
};

/* Whether it may be one that a learned runtime (entry.h) made for a call of the
 * program's. errno may change. */
bool xs_seen_call_record(struct xs_thread *thread,
			 const struct xs_seen_call *seen);

/* The same, where it is only to be counted: start_ns is not used. */
bool xs_seen_call_count(struct xs_thread *thread,
			const struct xs_seen_call *seen);

#endif
