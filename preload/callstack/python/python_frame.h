/* SPDX-License-Identifier: MIT */
/* Reads frames of CPython as data: calls no function of the interpreter that
 * needs the GIL, and checks everything it reads. */
#pragma once

#include "preload/callstack/python/python_layout.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The interpreter of the process. */
struct xs_python {
	struct xs_python_layout layout;
	const void *code_type, *str_type, *bytes_type;
	atomic_bool trusted; /* the layout has proved right */
};

/* A frame as it is in memory: its code object and its position there. */
struct xs_python_frame {
	uintptr_t code, instr;
	uintptr_t previous; /* the caller's frame; 0: the last */
	bool is_line;	    /* not a C frame between two Python frames */
};

/* Outer frames of deeper stacks are ignored. */
#define XS_PYTHON_MAX_FRAMES 48u

/* Returns a hash of all frames of a thread state and their positions, 0 if it
 * has none. Only for a trusted interpreter: reads memory without checks, since
 * every call pays for this. */
uint64_t xs_python_hash(const struct xs_python *python, const void *state);

/* Returns the current frame of a thread state; 0 if none. */
uintptr_t xs_python_top(const struct xs_python *python, const void *state);

/* Reads the frame at an address. Returns 0, or -EFAULT. */
int xs_python_read(const struct xs_python *python, uintptr_t at,
		   struct xs_python_frame *frame);

#define XS_PYTHON_TEXT_BYTES 1024

struct xs_python_place {
	char file[XS_PYTHON_TEXT_BYTES], name[XS_PYTHON_TEXT_BYTES]; /* UTF-8 */
	unsigned line;
};

/* Finds the file, function and line of a frame with is_line set. Returns 0;
 * -EFAULT or -EINVAL if it has no valid code object. */
int xs_python_locate(const struct xs_python *python,
		     const struct xs_python_frame *frame,
		     struct xs_python_place *place);
