/* SPDX-License-Identifier: MIT */
/* Opens a trace, binary or text, from a file or from memory, and passes its
 * parts to a visitor. */
#pragma once

#include "analyzer/records/trace_visitor.h"

/* Of a pipe, and of what gzip compressed, no more is read. */
#define XS_WHOLE_MOST_BYTES ((uint64_t)64 << 30)

/* path: "-" is standard input. What comes from a pipe, or is compressed by gzip
 * and not of Chrome, is in memory as a whole. Return values and *error as for
 * xs_trace_read(). */
int xs_trace_input_visit_file(const char *path,
			      const struct xs_trace_visitor *visitor,
			      const char **error);
int xs_trace_input_visit_memory(const void *data, size_t size,
				const struct xs_trace_visitor *visitor,
				const char **error);
