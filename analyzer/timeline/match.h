/* SPDX-License-Identifier: MIT */
/* Which call asked for an op. */
#ifndef XS_ANALYZER_TIMELINE_MATCH_H
#define XS_ANALYZER_TIMELINE_MATCH_H

#include "analyzer/read/trace.h"

/*
 * Fills in the call of each op whose correlation a call has, and ops_matched.
 * Ops and calls are sorted by start. 0 or -ENOMEM.
 */
int xs_match_ops(struct xs_trace *trace);

#endif
