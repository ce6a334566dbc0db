/* SPDX-License-Identifier: MIT */
/* From an instruction of a code object of CPython to its line. */
#ifndef XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_LINE_H
#define XS_PRELOAD_CALLSTACK_PYTHON_PYTHON_LINE_H

#include "preload/callstack/python/python_layout.h"

#include <stddef.h>

/*
 * The line of the instruction at `offset` bytes, by a code object's own table
 * of `bytes` bytes. 0: the table gives it none.
 */
unsigned xs_python_line(enum xs_python_lines kind, const uint8_t *table,
			size_t bytes, unsigned first_line, size_t offset);

#endif
