/* SPDX-License-Identifier: MIT */
#ifndef XS_ANALYZER_TIMELINE_JOIN_H
#define XS_ANALYZER_TIMELINE_JOIN_H

#include "analyzer/read/trace.h"

/* Sorts ops and calls by start and finds the call of each op. Returns 0 or
 * -ENOMEM. */
int xs_trace_join(struct xs_trace *trace);

#endif
