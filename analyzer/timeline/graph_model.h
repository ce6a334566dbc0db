/* SPDX-License-Identifier: MIT */
/* Finds the ops of one launch of each executable graph, from launches that were
 * recorded node by node. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/util/sort.h"

/* The ops of one launch: keys[first] to keys[first + count - 1]. */
struct xs_graph_nodes {
	size_t first, count; /* count 0: none, or not known */
};

struct xs_graph_models {
	struct xs_key *keys;	      /* ops by correlation, then by start */
	struct xs_graph_nodes *nodes; /* by launch */
	uint32_t *models; /* by launch recorded by node: the launch that is the
			   * graph's model from then on, or XS_NONE */
};

/*
 * Drops repeated records of launches, and finds the model of each executable
 * graph: the launch of median length among the later half of consecutive
 * launches by node. If a launch recorded as one follows, CUPTI may have given a
 * node of the last launch by node wrong times, too late by up to the length of
 * the run (H200, CUDA 13.0). That launch is only the model if there is no
 * other, and its nodes are placed as the model's.
 *
 * graph_launches must be sorted by exec and start, ops by start. The caller
 * releases *models.
 */
void xs_graph_models_build(struct xs_trace *trace,
			   struct xs_graph_models *models);
void xs_graph_models_release(struct xs_graph_models *models);

/* Start of the first node and end of the last node. */
struct xs_graph_span {
	uint64_t start_ns, end_ns;
};
struct xs_graph_span xs_graph_models_span(const struct xs_trace *trace,
					  const struct xs_graph_models *models,
					  uint32_t launch);
