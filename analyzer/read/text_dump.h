/* SPDX-License-Identifier: MIT */
/* Prints a trace as text; analyzer/text/trace_text.h describes the form. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Prints a trace, binary or text. Defects become comments, and set *damaged.
 * Returns 0 or -errno as xs_trace_read(), or -EIO when out cannot be written.
 */
int xs_text_dump(const char *path, FILE *out, bool *damaged,
		 const char **error);
int xs_text_dump_memory(const void *data, size_t size, FILE *out,
			const char **error);
