/* SPDX-License-Identifier: MIT */
/* The trace that an earlier run left under the name of a new one. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define XS_EARLIER_TRACE_SUFFIX ".old"

struct xs_earlier_trace {
	char path[PATH_MAX];
	char aside[PATH_MAX + sizeof(XS_EARLIER_TRACE_SUFFIX)];
	bool moved;
};

/*
 * Renames the trace that this process, once traced, would find at its path. The
 * library never replaces a file, so it would write elsewhere, and a report
 * would read the old trace. pattern: as in XFERSPY_OUTPUT; one that all ranks
 * of a launcher share is left as it is. Returns 0, or an exit code after
 * printing an error: the file is no trace, or is being written.
 */
int xs_earlier_trace_set_aside(struct xs_earlier_trace *earlier,
			       const char *pattern);

/* Undoes it, since the program could not be started. */
void xs_earlier_trace_put_back(const struct xs_earlier_trace *earlier);
