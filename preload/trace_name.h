/* SPDX-License-Identifier: MIT */
/* Names of traces. The library and the command must find the same name. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Expands a pattern (XFERSPY_OUTPUT) to the trace's path for a process. NULL is
 * the default pattern, which is also appended if the pattern names a directory.
 * Returns 0, or -ENAMETOOLONG. */
int xs_trace_name_expand(const char *pattern, pid_t pid, char *path,
			 size_t bytes);

/* What an MPI or batch launcher sets. */
struct xs_launcher {
	const char *rank;	/* a number; "0" without a launcher */
	const char *ranks;	/* how many there are; NULL: not set */
	const char *job, *step; /* the same in all ranks; "": not set */
};
struct xs_launcher xs_trace_name_launcher(void);
