/* SPDX-License-Identifier: MIT */
/* Records and counts calls that no hook sees: CUPTI's callbacks report them. */
#pragma once

#include "preload/api/functions.h"
#include "preload/trace/thread.h"

/* A call from its start to its end, as callbacks report it. */
struct xs_seen_call {
	enum xs_function fn;
	uint32_t correlation;
	uint64_t start_ns;
	cudaError_t error;
	const void *arguments;
};

/* Records the call. errno may change. */
void xs_seen_call_record(struct xs_thread *thread,
			 const struct xs_seen_call *seen);

/* Counts the call; start_ns is not used. errno may change. */
void xs_seen_call_count(struct xs_thread *thread,
			const struct xs_seen_call *seen);
