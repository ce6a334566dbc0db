/* SPDX-License-Identifier: MIT */
/* Memory layouts of CPython's frames and objects. They differ between minor
 * versions and are fixed within one. */
#pragma once

#include <stdint.h>

/* Formats of a code object's line table. */
enum xs_python_lines {
	XS_PYTHON_LNOTAB,    /* up to 3.9: steps of bytes and of lines */
	XS_PYTHON_LINETABLE, /* 3.10: ranges of bytes and their lines */
	XS_PYTHON_LOCATIONS, /* from 3.11: ranges of code units, with columns */
};

/* Offsets in bytes. 0: the field does not exist. */
struct xs_python_layout {
	uint16_t state_frame;	 /* thread state: its frame, or */
	uint16_t state_cframe;	 /* the pointer to a cframe, */
	uint16_t cframe_frame;	 /* which has the frame */
	uint16_t frame_code;	 /* frame: its code object */
	uint16_t frame_previous; /* frame: its caller */
	uint16_t frame_instr; /* address of the instruction; up to 3.10 index */
	uint16_t frame_owner; /* a byte */
	uint16_t code_first_line;
	uint16_t code_file;
	uint16_t code_name;
	uint16_t code_lines;
	uint16_t code_start; /* first instruction; up to 3.10 a bytes object */
	uint16_t ascii_text; /* str: the text if it is ASCII */
	uint16_t unicode_text; /* str: the text if it is not */
	uint8_t state_shift;   /* str: first bit of its state */
	uint8_t index_bytes;   /* bytes per index of frame_instr; 0: address */
	uint8_t lines;	       /* enum xs_python_lines */
};

/* The same in all supported versions. */
#define XS_PYTHON_TYPE	      8u  /* any object: its type */
#define XS_PYTHON_SIZE	      16u /* bytes, str, code: number of items */
#define XS_PYTHON_BYTES_DATA  32u
#define XS_PYTHON_STR_STATE   32u
#define XS_PYTHON_STR_KIND    7u	/* state: bytes per character */
#define XS_PYTHON_STR_COMPACT (1u << 3) /* state: the text follows */
#define XS_PYTHON_STR_ASCII   (1u << 4)

/* Frames with this owner or a higher one are C frames without a line. */
#define XS_PYTHON_FIRST_C_OWNER 3

/*
 * Finds the layout of a version, given as in Py_Version; the minor version
 * decides. From 3.13 on `runtime` (_PyRuntime) begins with a table of offsets,
 * which is read. Returns 0, or -ENOTSUP for an unknown version or a build
 * without the GIL.
 */
int xs_python_layout_find(uint32_t version, const void *runtime,
			  struct xs_python_layout *layout);
