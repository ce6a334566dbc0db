/* SPDX-License-Identifier: MIT */
/* Polls: calls that ask whether the device is done. A program makes them in
 * loops, a million times a second, so consecutive polls of a thread become one
 * record with start, end and count. */
#pragma once

#include "preload/trace/thread.h"

/* Consecutive polls that are not written yet. */
struct xs_poll {
	uint32_t site; /* of the first poll */
	uint32_t polls, ready;
	uint64_t start_ns, end_ns;
	uint64_t stream, event; /* of the last poll; handles, 0 if none */
	uint16_t error;		/* of the last poll: a cudaError_t */
};

/* Adds a poll (polls 1, ready 0 or 1) to the pending ones. If it does not
 * continue them, they are written first. Returns 0 or -ENOSPC. */
int xs_poll_add(struct xs_thread *thread, const struct xs_poll *poll);

/* Slow path of xs_poll_write(). */
int xs_poll_write_pending(struct xs_thread *thread);

/* Writes the thread's pending polls. Call before any other record of the
 * thread, and when it ends. Returns 0 or -ENOSPC. */
static inline int xs_poll_write(struct xs_thread *thread)
{
	return XS_UNLIKELY(thread->poll && thread->poll->polls)
		   ? xs_poll_write_pending(thread)
		   : 0;
}

/* Frees the memory; NULL is allowed. */
void xs_poll_drop(struct xs_poll *poll);
