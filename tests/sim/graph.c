/* SPDX-License-Identifier: MIT */
/*
 * CUDA graphs: what is issued to a capturing stream is kept instead, in the
 * order of issue, and issued again at each launch, in that order and one
 * stream. A stream that waits for an event of the capture joins it.
 */
#include "tests/sim/internal.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS 16

struct node {
	struct node *next;
	struct xs_sim_op op;
};

struct xs_sim_graph {
	struct node *first, **last;
	struct xs_sim_stream *streams[MOST_STREAMS]; /* that capture */
	unsigned stream_count;
};

static int join(struct xs_sim_graph *graph, struct xs_sim_stream *stream)
{
	if (stream->capture == graph)
		return XS_SIM_OK;
	if (stream->capture || stream->legacy ||
	    graph->stream_count == MOST_STREAMS)
		return XS_SIM_ECAPTURE;
	stream->capture = graph;
	graph->streams[graph->stream_count++] = stream;
	return XS_SIM_OK;
}

int xs_sim_capture_begin(struct xs_sim_stream *stream)
{
	struct xs_sim_graph *graph = calloc(1, sizeof(*graph));
	int rc;

	if (!graph)
		return XS_SIM_ENOMEM;
	graph->last = &graph->first;
	rc = join(graph, stream);
	if (rc != XS_SIM_OK)
		free(graph);
	return rc;
}

int xs_sim_capture_end(struct xs_sim_stream *stream,
		       struct xs_sim_graph **graph)
{
	*graph = stream->capture;
	if (!*graph || (*graph)->streams[0] != stream)
		return XS_SIM_ECAPTURE;
	for (unsigned i = 0; i < (*graph)->stream_count; i++)
		(*graph)->streams[i]->capture = NULL;
	(*graph)->stream_count = 0;
	return XS_SIM_OK;
}

int xs_sim_capture(const struct xs_sim_op *op)
{
	struct xs_sim_graph *graph = op->stream->capture;
	struct node *node;

	if (op->kind == XS_SIM_RECORD) {
		op->event->capture = graph;
		return XS_SIM_OK;
	}
	if (op->kind == XS_SIM_WAIT)
		return join(op->event->capture, op->stream);
	node = calloc(1, sizeof(*node));
	if (!node)
		return XS_SIM_ENOMEM;
	node->op = *op;
	*graph->last = node;
	graph->last = &node->next;
	return XS_SIM_OK;
}

/* The worker frees the arguments of each launch. */
static int launch_node(struct xs_sim_op op)
{
	void *args = NULL;
	int rc;

	if (op.kind == XS_SIM_KERNEL) {
		args = malloc(op.launch.args_bytes);
		if (!args)
			return XS_SIM_ENOMEM;
		memcpy(args, op.launch.args, op.launch.args_bytes);
		op.launch.args = args;
	}
	rc = xs_sim_issue(&op);
	if (rc != XS_SIM_OK)
		free(args);
	return rc;
}

int xs_sim_graph_launch(const struct xs_sim_graph *graph,
			struct xs_sim_stream *stream)
{
	uint64_t number = 0;
	int rc = graph ? XS_SIM_OK : XS_SIM_EVALUE;

	for (const struct node *n = rc ? NULL : graph->first; n && !rc;
	     n = n->next) {
		struct xs_sim_op op = n->op;

		op.stream = stream;
		op.graph_node = ++number;
		rc = launch_node(op);
	}
	return rc;
}

void xs_sim_graph_free(struct xs_sim_graph *graph)
{
	struct node *n = graph ? graph->first : NULL;

	while (n) {
		struct node *next = n->next;

		if (n->op.kind == XS_SIM_KERNEL)
			free(n->op.launch.args);
		free(n);
		n = next;
	}
	free(graph);
}
