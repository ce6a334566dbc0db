/* SPDX-License-Identifier: MIT */
/* The line on the standard error that says where the trace is, or why there is
 * none. */
#ifndef XS_PRELOAD_TRACE_SUMMARY_H
#define XS_PRELOAD_TRACE_SUMMARY_H

#include "preload/trace/trace_file.h"

/* Remembers the standard error: when the process begins. */
void xs_summary_prepare(void);

/* Asks the user's environment whether a line is wanted: while it can still be
 * read, long before the end. Without it nothing is ever said. */
void xs_summary_ask(void);

/* Of a trace that was closed: its file, its size, what was lost, how to read
 * it. */
void xs_summary_of(const struct xs_trace_file *trace, uint64_t file_bytes);

/* There is no trace: its file could not be created. error: as errno. */
void xs_summary_of_none(const char *path, int error);

#endif
