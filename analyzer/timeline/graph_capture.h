/* SPDX-License-Identifier: MIT */
/* Calls whose work went into a CUDA graph, and not to the GPU. */
#ifndef XS_ANALYZER_TIMELINE_GRAPH_CAPTURE_H
#define XS_ANALYZER_TIMELINE_GRAPH_CAPTURE_H

#include "analyzer/read/trace.h"

/*
 * Marks the calls that were captured: those for work of the GPU, made between
 * the beginning and the end of a capture by the thread that captures, of which
 * the GPU did nothing. The work itself is of the launches of the graph. Calls
 * must be sorted by start and joined to their ops. 0 or -ENOMEM.
 */
int xs_graph_capture_mark(struct xs_trace *trace);

#endif
