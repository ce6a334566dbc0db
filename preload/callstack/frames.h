/* SPDX-License-Identifier: MIT */
/* A thread's stack, and which of its frames are the application's. */
#ifndef XS_PRELOAD_CALLSTACK_FRAMES_H
#define XS_PRELOAD_CALLSTACK_FRAMES_H

#include "preload/api/functions.h"
#include "preload/util/config.h"

#include <stdbool.h>
#include <stdint.h>

/* Walked on top of those that are recorded; and those that nvcc made, between
 * a launch and its line. */
#define XS_FRAMES_TOOL 16u
#define XS_FRAMES_STUB 2u
#define XS_FRAMES_MOST (XS_STACK_MAX_FRAMES + XS_FRAMES_STUB + XS_FRAMES_TOOL)

struct xs_frame {
	uintptr_t address;	/* that is returned to */
	const uintptr_t *stack; /* where the stack holds it */
};

/* The frames from the nearest on. */
struct xs_frames {
	unsigned count, most; /* most: not walked beyond it */
	bool in_python;	      /* it ends at the interpreter */
	struct xs_frame frames[XS_FRAMES_MOST];
};

/* How a call came to be seen. */
struct xs_frames_call {
	enum xs_function fn;
	bool by_callback;
	const void
	    *arguments; /* of the callback; NULL: the function has none */
};

/* The application's part: frames[first] up to, not including, frames[last]. */
struct xs_frames_part {
	unsigned first, last;
};

/* Walks the calling thread's; most and in_python are set before. */
void xs_frames_walk(struct xs_frames *stack);

/* Of no more than `wanted` frames. */
struct xs_frames_part xs_frames_choose(const struct xs_frames *stack,
				       const struct xs_frames_call *call,
				       unsigned wanted);

#endif
