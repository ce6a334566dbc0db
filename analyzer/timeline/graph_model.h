/* SPDX-License-Identifier: MIT */
/* What an executable graph does in one launch, from launches whose nodes were
 * recorded. */
#ifndef XS_ANALYZER_TIMELINE_GRAPH_MODEL_H
#define XS_ANALYZER_TIMELINE_GRAPH_MODEL_H

#include "analyzer/read/trace.h"
#include "analyzer/util/sort.h"

/* The ops of one launch: keys[first] to keys[first + count - 1]. */
struct xs_graph_nodes {
	size_t first, count; /* count 0: none, or not known which */
};

struct xs_graph_models {
	struct xs_key *keys;	      /* ops by correlation, then by start */
	struct xs_graph_nodes *nodes; /* by launch */
	uint32_t *models; /* by launch recorded by node: the launch that stands
			   * for the graph from then on, or XS_NONE */
};

/*
 * Drops launches that are there twice, and finds the model of each executable
 * graph: of the launches by node in a row, the one of median length. Where a
 * launch recorded as one follows, CUPTI may have given one node of the last one
 * wrong times, too late by up to the length of the run (H200, CUDA 13.0): it is
 * no model if there is another, and its nodes are placed as the model's.
 *
 * graph_launches must be sorted by exec and start, ops by start. Returns 0 or
 * -ENOMEM; release in both cases.
 */
int xs_graph_models_build(struct xs_trace *trace,
			  struct xs_graph_models *models);
void xs_graph_models_release(struct xs_graph_models *models);

/* Start of the first node and end of the last. */
struct xs_graph_span {
	uint64_t start_ns, end_ns;
};
struct xs_graph_span xs_graph_models_span(const struct xs_trace *trace,
					  const struct xs_graph_models *models,
					  uint32_t launch);

#endif
