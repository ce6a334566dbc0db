/* SPDX-License-Identifier: MIT */
/*
 * Questions whether the device is done. A program asks them in loops, a million
 * times a second: all that a thread asks in a row is one record, with its
 * beginning, its end and how often.
 */
#ifndef XS_PRELOAD_RECORD_POLL_H
#define XS_PRELOAD_RECORD_POLL_H

#include "preload/trace/thread.h"

/* One question, and all before it that no record tells of yet. */
struct xs_poll {
	uint32_t site; /* of the first */
	uint32_t polls, ready;
	uint64_t start_ns, end_ns;
	uint64_t stream, event; /* of the last; handles, 0 where none */
	uint16_t error;		/* of the last: a cudaError_t */
};

/*
 * Adds a question (polls 1, ready 0 or 1) to those that the thread has asked
 * since it last did something else. Where it does not go on where they ended,
 * they are written and it is the first. 0 or -ENOSPC.
 */
int xs_poll_add(struct xs_thread *thread, const struct xs_poll *poll);

/* Of a thread that has asked something: see xs_poll_write(). */
int xs_poll_write_kept(struct xs_thread *thread);

/* Writes what the thread has asked: before any other record of it, and when it
 * ends. 0 or -ENOSPC. */
static inline int xs_poll_write(struct xs_thread *thread)
{
	return XS_UNLIKELY(thread->poll && thread->poll->polls)
		   ? xs_poll_write_kept(thread)
		   : 0;
}

/* Gives the memory back. */
void xs_poll_drop(struct xs_poll *poll);

#endif
