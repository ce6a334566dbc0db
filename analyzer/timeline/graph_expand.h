/* SPDX-License-Identifier: MIT */
/* Adds the ops of graph launches that were recorded as one. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Adds the ops of each launch that was recorded as one. They are copied from a
 * launch of the same executable graph that was recorded node by node, an
 * earlier one if possible, and scaled to the launch's start and end. Kinds and
 * bytes are exact, start and end of the launch are measured, and the times in
 * between are estimates. If no nodes of the graph are known, the launch is one
 * op: a kernel of unknown content.
 *
 * Sets graphs_as_one, graphs_by_node and graphs_unknown. Ops must be sorted by
 * start; the new ones are appended. The number of new ops is limited by the
 * size of the file; launches beyond that limit have unknown content.
 */
void xs_graph_expand(struct xs_trace *trace);
