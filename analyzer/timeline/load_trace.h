/* SPDX-License-Identifier: MIT */
/* From a file to a trace whose ops are joined to their calls. */
#ifndef XS_ANALYZER_TIMELINE_LOAD_TRACE_H
#define XS_ANALYZER_TIMELINE_LOAD_TRACE_H

#include "analyzer/read/trace.h"

/*
 * Reads a trace, binary or text. 0, or -errno: -EPROTO not a trace,
 * -EPROTONOSUPPORT a newer version; then *error (text that stands until the
 * next read in this thread) says what and what to do; NULL for other errors.
 * Damage is no error: what can be read is read, and defects say what is
 * missing. Memory and time are bounded by the file's size.
 */
int xs_trace_read(const char *path, struct xs_trace **trace,
		  const char **error);
/* The same from memory; data must be 4-aligned and may go afterwards. */
int xs_trace_read_memory(const void *data, size_t size, struct xs_trace **trace,
			 const char **error);

#endif
