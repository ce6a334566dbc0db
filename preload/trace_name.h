/* SPDX-License-Identifier: MIT */
/* Names of traces. The library and the command must find the same name. */
#ifndef XS_PRELOAD_TRACE_NAME_H
#define XS_PRELOAD_TRACE_NAME_H

#include <stddef.h>
#include <sys/types.h>

/* Expands a pattern (XFERSPY_OUTPUT) to the trace's path for a process. NULL is
 * the default pattern, which is also appended if the pattern names a directory.
 * Returns 0, or -ENAMETOOLONG. */
int xs_trace_name_expand(const char *pattern, pid_t pid, char *path,
			 size_t bytes);

/* Returns the rank set by an MPI or batch launcher, or "0"; in *ranks, unless
 * it is NULL, how many there are, or NULL. */
const char *xs_trace_name_rank(const char **ranks);

#endif
