/* SPDX-License-Identifier: MIT */
/* Maps an instruction of a CPython code object to its line. */
#pragma once

#include "preload/callstack/python/python_layout.h"

#include <stddef.h>

/* Returns the line of the instruction at `offset` bytes, from a code object's
 * line table of `bytes` bytes. 0 if the table has none. */
unsigned xs_python_line(enum xs_python_lines kind, const uint8_t *table,
			size_t bytes, unsigned first_line, size_t offset);
