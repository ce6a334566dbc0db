/* SPDX-License-Identifier: MIT */
/*
 * Frames of CPython, read as data: no function of the interpreter that needs
 * its lock is called, and nothing that is read is trusted.
 */
#ifndef XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_FRAME_H
#define XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_FRAME_H

#include "preload/callstack/python/python_layout.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The interpreter of the process. */
struct xs_python {
	struct xs_python_layout layout;
	const void *code_type, *str_type, *bytes_type;
	atomic_bool trusted; /* its frames were read and found as expected */
};

/* A frame as it stands in memory: what it runs and where it is there. */
struct xs_python_frame {
	uintptr_t code, instr;
	uintptr_t previous; /* frame; 0: the last */
	bool is_line;	    /* and not what C put between two of Python */
};

/* Of a deeper stack the outer frames are not looked at. */
#define XS_PYTHON_MOST_FRAMES 48u

/*
 * A hash of all that the frames of a thread state are and where they are, with
 * 0 for no frame of Python. Only of an interpreter that is trusted: reads
 * memory as it stands, since this is what every call costs.
 */
uint64_t xs_python_hash(const struct xs_python *python, const void *state);

/* The frame that a thread state is in; 0: none. */
uintptr_t xs_python_top(const struct xs_python *python, const void *state);

/* Reads the frame at an address: 0, or -EFAULT where there is none. */
int xs_python_read(const struct xs_python *python, uintptr_t at,
		   struct xs_python_frame *frame);

#define XS_PYTHON_TEXT_BYTES 1024

struct xs_python_place {
	char file[XS_PYTHON_TEXT_BYTES], name[XS_PYTHON_TEXT_BYTES]; /* UTF-8 */
	unsigned line;
};

/* Where a frame that is a line is. 0; -EFAULT or -EINVAL where what it runs is
 * no code object. */
int xs_python_locate(const struct xs_python *python,
		     const struct xs_python_frame *frame,
		     struct xs_python_place *place);

#endif
