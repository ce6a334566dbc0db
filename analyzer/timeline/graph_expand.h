/* SPDX-License-Identifier: MIT */
/* Ops for launches of CUDA graphs that were recorded as one. */
#ifndef XS_ANALYZER_TIMELINE_GRAPH_EXPAND_H
#define XS_ANALYZER_TIMELINE_GRAPH_EXPAND_H

#include "analyzer/read/trace.h"

/*
 * Adds the ops of each launch that was recorded as one: those of a launch of
 * the same executable graph whose nodes were recorded, before it or else after
 * it, placed between the launch's own start and end. Kinds and bytes are those
 * of the graph, start and end of the launch are measured, and times in between
 * are estimates. Where no nodes of the graph are known, the launch
 * is one op, a kernel of unknown content.
 *
 * Sets graphs_as_one, graphs_by_node and graphs_unknown. Ops must be sorted by
 * start; the new ones are at their end. The number of ops grows with the size
 * of the file at most: launches beyond that limit are of unknown content.
 * Returns 0 or -ENOMEM.
 */
int xs_graph_expand(struct xs_trace *trace);

#endif
