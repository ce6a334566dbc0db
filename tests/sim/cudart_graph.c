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

/* Instantiates with the callbacks of the driver call that the runtime makes. */
static int instantiate_in_driver(cudaGraphExec_t *handle, cudaGraph_t graph,
				 unsigned long long flags)
{
	cuGraphInstantiateWithFlags_params params = {(CUgraphExec *)handle,
						     (CUgraph)graph, flags};
	struct xs_sim_call call = {
	    .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
	    .name = "cuGraphInstantiateWithFlags",
	    .params = &params,
	};

	libcudart_static_enter_driver(&call);
	return libcudart_static_leave_driver(&call, instantiate(handle, graph));
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

static int update_in_driver(cudaGraphExec_t exec, cudaGraph_t graph)
{
	cuGraphExecUpdate_v2_params params = {(CUgraphExec)exec, (CUgraph)graph,
					      NULL};
	struct xs_sim_call call = {
	    .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
	    .name = "cuGraphExecUpdate_v2",
	    .params = &params,
	};

	libcudart_static_enter_driver(&call);
	return libcudart_static_leave_driver(
	    &call, update((void *)exec, (void *)graph));
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

static int destroy_exec_in_driver(cudaGraphExec_t handle)
{
	cuGraphExecDestroy_params params = {(CUgraphExec)handle};
	struct xs_sim_call call = {
	    .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
	    .name = "cuGraphExecDestroy",
	    .params = &params,
	};

	libcudart_static_enter_driver(&call);
	return libcudart_static_leave_driver(&call,
					     destroy_exec((void *)handle));
}

static int capture_status(struct xs_sim_stream *stream,
			  enum cudaStreamCaptureStatus *status)
{
	*status = stream->capture ? cudaStreamCaptureStatusActive
				  : cudaStreamCaptureStatusNone;
	return cudaSuccess;
}

#define STREAM xs_rt_stream(stream, per_thread)

RT_TWINS_OF(cudaStreamBeginCapture, v10000, ptsz,
	    (cudaStream_t stream, enum cudaStreamCaptureMode mode),
	    (stream, mode), xs_sim_capture_begin(STREAM))
RT_TWINS_OF(cudaStreamEndCapture, v10000, ptsz,
	    (cudaStream_t stream, cudaGraph_t *pGraph), (stream, pGraph),
	    end_capture(STREAM, pGraph))
RT_TWINS_OF(cudaStreamIsCapturing, v10000, ptsz,
	    (cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus),
	    (stream, pCaptureStatus), capture_status(STREAM, pCaptureStatus))
RT_API(cudaGraphInstantiate, v12000,
       (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
	unsigned long long flags),
       (pGraphExec, graph, flags),
       instantiate_in_driver(pGraphExec, graph, flags))
RT_TWINS_OF(cudaGraphLaunch, v10000, ptsz,
	    (cudaGraphExec_t graphExec, cudaStream_t stream),
	    (graphExec, stream),
	    RT_IN_DRIVER(cuGraphLaunch, (graphExec, stream),
			 launch((void *)graphExec, STREAM)))
RT_API(cudaGraphExecUpdate, v10020,
       (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
	cudaGraphExecUpdateResultInfo *resultInfo),
       (hGraphExec, hGraph, resultInfo), update_in_driver(hGraphExec, hGraph))
RT_API(cudaGraphExecDestroy, v10000, (cudaGraphExec_t graphExec), (graphExec),
       destroy_exec_in_driver(graphExec))
RT_API(cudaGraphDestroy, v10000, (cudaGraph_t graph), (graph),
       destroy((void *)graph))
