/* SPDX-License-Identifier: MIT */
/* Loads a trace: reads it and joins its ops to their calls. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Reads a trace, binary or text. Returns 0, or -errno: -EPROTO when it is not a
 * trace, -EPROTONOSUPPORT for a newer version. *error then says what is wrong
 * and what to do; it is valid until this thread's next read, and NULL for other
 * errors. Damage is not an error: the readable part is read, and defects list
 * what is missing. Memory and time are bounded by the file's size. Caller frees
 * *trace with xs_trace_free().
 */
int xs_trace_read(const char *path, struct xs_trace **trace,
		  const char **error);
/* Of a binary trace with more records of calls and ops, reads about so many of
 * them, in windows of its time, and counts the other calls: in 1.2 GB. */
#define XS_READ_MOST_RECORDS 8000000
int xs_trace_read_most(const char *path, uint64_t most_records,
		       struct xs_trace **trace, const char **error);
/* Reads from memory. data must be 4-aligned and may be freed afterwards. */
int xs_trace_read_memory(const void *data, size_t size, struct xs_trace **trace,
			 const char **error);
