/* SPDX-License-Identifier: MIT */
/* The runtime's graphs. An executable graph uses the nodes of the graph that it
 * was instantiated from; they live until the last of both is destroyed. */
#include "tests/sim/cudart.h"

#include <stdatomic.h>
#include <stdlib.h>

struct graph {
	struct xs_sim_graph *nodes;
	atomic_uint owners; /* its handle, and the executable graphs */
};

struct exec {
	struct graph *graph;
	uint32_t number;
	unsigned instantiated; /* CUPTI's state at instantiation */
};

static int end_capture(struct xs_sim_stream *stream, cudaGraph_t *handle)
{
	struct graph *graph = calloc(1, sizeof(*graph));
	int rc;

	if (!graph)
		return cudaErrorMemoryAllocation;
	rc = xs_sim_capture_end(stream, &graph->nodes);
	if (rc) {
		free(graph);
		return rc;
	}
	graph->owners = 1;
	*handle = (cudaGraph_t)(void *)graph;
	return cudaSuccess;
}

static int instantiate(cudaGraphExec_t *handle, cudaGraph_t from)
{
	struct graph *graph = (void *)from;
	struct exec *exec = calloc(1, sizeof(*exec));

	if (!graph || !exec) {
		free(exec);
		return graph ? cudaErrorMemoryAllocation
			     : cudaErrorInvalidValue;
	}
	atomic_fetch_add(&graph->owners, 1);
	exec->graph = graph;
	exec->number = xs_sim_graph_number();
	exec->instantiated = xs_sim_instantiated();
	*handle = (cudaGraphExec_t)(void *)exec;
	return cudaSuccess;
}

static int destroy(struct graph *graph)
{
	if (!graph)
		return cudaErrorInvalidValue;
	if (atomic_fetch_sub(&graph->owners, 1) == 1) {
		xs_sim_device_wait(xs_sim_device());
		xs_sim_graph_free(graph->nodes);
		free(graph);
	}
	return cudaSuccess;
}

/* Only the parameters of the nodes may differ, which is not checked. */
static int update(struct exec *exec, struct graph *graph)
{
	if (!exec || !graph)
		return cudaErrorInvalidValue;
	atomic_fetch_add(&graph->owners, 1);
	destroy(exec->graph);
	exec->graph = graph;
	return cudaSuccess;
}

static int launch(const struct exec *exec, struct xs_sim_stream *stream)
{
	return exec ? xs_sim_graph_launch(exec->graph->nodes, exec->number,
					  exec->instantiated, stream)
		    : cudaErrorInvalidValue;
}

static int destroy_exec(struct exec *exec)
{
	int rc;

	if (!exec)
		return cudaErrorInvalidValue;
	rc = destroy(exec->graph);
	free(exec);
	return rc;
}

#define STREAM xs_rt_stream(stream, per_thread)

RT_TWINS_OF(cudaStreamBeginCapture, v10000, ptsz,
	    (cudaStream_t stream, enum cudaStreamCaptureMode mode),
	    (stream, mode), xs_sim_capture_begin(STREAM))
RT_TWINS_OF(cudaStreamEndCapture, v10000, ptsz,
	    (cudaStream_t stream, cudaGraph_t *pGraph), (stream, pGraph),
	    end_capture(STREAM, pGraph))
RT_API(cudaGraphInstantiate, v12000,
       (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
	unsigned long long flags),
       (pGraphExec, graph, flags),
       RT_IN_DRIVER_API(cuGraphInstantiateWithFlags,
			((CUgraphExec *)pGraphExec, (CUgraph)graph, flags),
			instantiate(pGraphExec, graph)))
RT_TWINS_OF(cudaGraphLaunch, v10000, ptsz,
	    (cudaGraphExec_t graphExec, cudaStream_t stream),
	    (graphExec, stream),
	    RT_IN_DRIVER(cuGraphLaunch, (graphExec, stream),
			 launch((void *)graphExec, STREAM)))
RT_API(cudaGraphExecUpdate, v10020,
       (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
	cudaGraphExecUpdateResultInfo *resultInfo),
       (hGraphExec, hGraph, resultInfo),
       RT_IN_DRIVER_API(cuGraphExecUpdate_v2,
			((CUgraphExec)hGraphExec, (CUgraph)hGraph, NULL),
			update((void *)hGraphExec, (void *)hGraph)))
RT_API(cudaGraphExecDestroy, v10000, (cudaGraphExec_t graphExec), (graphExec),
       RT_IN_DRIVER_API(cuGraphExecDestroy, ((CUgraphExec)graphExec),
			destroy_exec((void *)graphExec)))
RT_API(cudaGraphDestroy, v10000, (cudaGraph_t graph), (graph),
       destroy((void *)graph))
