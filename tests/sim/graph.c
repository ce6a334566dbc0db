/* SPDX-License-Identifier: MIT */
/* CUDA graphs: operations issued to a capturing stream are stored in the order
 * of issue, and each launch issues them again in that order in one stream. A
 * stream that waits for an event of the capture joins it. */
#include "tests/sim/internal.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS  16
#define MOST_CAPTURES 8

struct node {
	struct node *next;
	struct xs_sim_op op;
};

struct xs_sim_graph {
	struct node *first, **last;
	struct xs_sim_stream *streams[MOST_STREAMS]; /* capturing streams */
	unsigned stream_count;
	bool broken; /* invalidated by a forbidden call */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_sim_graph *captures[MOST_CAPTURES]; /* in progress */
static _Thread_local int thread_mode;

static bool is_blocking(const struct xs_sim_graph *graph)
{
	return !(graph->streams[0]->flags & 1); /* cudaStreamNonBlocking */
}

/* Returns whether a capture is in progress, of a blocking stream or of any;
 * invalidates it if `breaks`. */
static bool find_captures(bool blocking, bool breaks)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < MOST_CAPTURES; i++) {
		if (!captures[i] || (blocking && !is_blocking(captures[i])))
			continue;
		captures[i]->broken = captures[i]->broken || breaks;
		found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void replace_capture(struct xs_sim_graph *from, struct xs_sim_graph *to)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (i < MOST_CAPTURES && captures[i] != from)
		i++;
	if (i < MOST_CAPTURES)
		captures[i] = to;
	pthread_mutex_unlock(&lock);
}

int xs_sim_capture_exchange_mode(int mode)
{
	const int before = thread_mode;

	thread_mode = mode;
	return before;
}

bool xs_sim_capture_forbids_legacy(bool breaks)
{
	return find_captures(true, breaks);
}

bool xs_sim_capture_forbids_query(void)
{
	const int relaxed = 2; /* cudaStreamCaptureModeRelaxed */

	return thread_mode != relaxed && find_captures(false, true);
}

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
	else
		replace_capture(NULL, graph);
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
	replace_capture(*graph, NULL);
	if (!(*graph)->broken)
		return XS_SIM_OK;
	xs_sim_graph_free(*graph);
	*graph = NULL;
	return XS_SIM_EBROKEN;
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

uint32_t xs_sim_graph_number(void)
{
	static _Atomic uint32_t last;

	return ++last;
}

static size_t count_nodes(const struct xs_sim_graph *graph)
{
	size_t count = 0;

	for (const struct node *n = graph->first; n; n = n->next)
		count++;
	return count;
}

static struct xs_sim_graph_run *new_run(const struct xs_sim_graph *graph,
					uint32_t exec, unsigned instantiated)
{
	struct xs_sim_graph_run *run = calloc(1, sizeof(*run));

	if (run)
		*run = (struct xs_sim_graph_run){
		    .exec = exec,
		    .as_one = xs_sim_graph_launched(instantiated, exec),
		    .nodes_left = count_nodes(graph)};
	return run;
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

/* A launch into a capturing stream is captured node by node. */
int xs_sim_graph_launch(const struct xs_sim_graph *graph, uint32_t exec,
			unsigned instantiated, struct xs_sim_stream *stream)
{
	struct xs_sim_graph_run *run = NULL;
	uint64_t number = 0;
	int rc = graph ? XS_SIM_OK : XS_SIM_EVALUE;

	if (!rc && graph->first && !stream->capture) {
		run = new_run(graph, exec, instantiated);
		if (!run)
			return XS_SIM_ENOMEM;
	}
	for (const struct node *n = rc ? NULL : graph->first; n && !rc;
	     n = n->next) {
		struct xs_sim_op op = n->op;

		op.stream = stream;
		op.graph_node = ++number;
		op.graph_run = run;
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
