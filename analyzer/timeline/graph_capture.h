/* SPDX-License-Identifier: MIT */
/* Calls that were captured into a CUDA graph and did not run on the GPU. */
#ifndef XS_ANALYZER_TIMELINE_GRAPH_CAPTURE_H
#define XS_ANALYZER_TIMELINE_GRAPH_CAPTURE_H

#include "analyzer/read/trace.h"

/*
 * Marks captured calls: device work that a capturing thread issued between the
 * begin and the end of its capture, and that has no op. The ops belong to the
 * graph launches. Calls must be sorted by start and joined to their ops.
 * Returns 0 or -ENOMEM.
 */
int xs_graph_capture_mark(struct xs_trace *trace);

#endif
