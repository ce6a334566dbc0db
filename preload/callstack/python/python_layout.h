/* SPDX-License-Identifier: MIT */
/*
 * Where CPython keeps what a thread is doing: it differs from one minor version
 * to the next, and is the same within one.
 */
#ifndef XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_LAYOUT_H
#define XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_LAYOUT_H

#include <stdint.h>

/* How a code object says which instruction is of which line. */
enum xs_python_lines {
	XS_PYTHON_LNOTAB,    /* to 3.9: steps of bytes and of lines */
	XS_PYTHON_LINETABLE, /* 3.10: ranges of bytes and their lines */
	XS_PYTHON_LOCATIONS, /* from 3.11: ranges of code units, with columns */
};

/* Offsets in bytes. 0: there is no such field. */
struct xs_python_layout {
	uint16_t state_frame;	 /* thread state: its frame, or */
	uint16_t state_cframe;	 /* what points to the frame, */
	uint16_t cframe_frame;	 /* there */
	uint16_t frame_code;	 /* frame: what it runs */
	uint16_t frame_previous; /* the caller's */
	uint16_t frame_instr; /* the instruction's address; to 3.10 its index */
	uint16_t frame_owner; /* a byte */
	uint16_t code_first_line;
	uint16_t code_file;
	uint16_t code_name;
	uint16_t code_lines;
	uint16_t code_start; /* the first instruction; to 3.10 a bytes object */
	uint16_t ascii_text; /* str: the text that is ASCII, */
	uint16_t unicode_text; /* and that is not */
	uint8_t state_shift;   /* of a str: where its state's bits begin */
	uint8_t index_bytes;   /* of an instruction that has an index, else 0 */
	uint8_t lines;	       /* enum xs_python_lines */
};

/* The same in all these versions. */
#define XS_PYTHON_TYPE	      8u  /* any object: its type */
#define XS_PYTHON_SIZE	      16u /* bytes, str, code: how many items */
#define XS_PYTHON_BYTES_DATA  32u
#define XS_PYTHON_STR_STATE   32u
#define XS_PYTHON_STR_KIND    7u	/* the state: bytes of a character */
#define XS_PYTHON_STR_COMPACT (1u << 3) /* the text follows at once */
#define XS_PYTHON_STR_ASCII   (1u << 4)

/* From here on a frame's owner is C: it has no line. */
#define XS_PYTHON_FIRST_C_OWNER 3

/*
 * That of a version, as in Py_Version: the minor version decides. From 3.13 on
 * `runtime` (_PyRuntime) begins with a table of offsets, which is read. 0, or
 * -ENOTSUP for a version, or a build without the GIL, that is not known.
 */
int xs_python_layout_find(uint32_t version, const void *runtime,
			  struct xs_python_layout *layout);

#endif
