/* SPDX-License-Identifier: MIT */
/* The runtime's graphs. An instantiated graph is the graph itself, which lives
 * until both are destroyed. */
#include "tests/sim/cudart.h"

#include <stdlib.h>

struct exec {
	struct xs_sim_graph *graph;
	unsigned owners; /* the graph's handle, and the executables */
};

static struct exec *exec_of(void *handle)
{
	return handle;
}

static int end_capture(struct xs_sim_stream *stream, cudaGraph_t *graph)
{
	struct exec *exec = calloc(1, sizeof(*exec));
	int rc;

	if (!exec)
		return cudaErrorMemoryAllocation;
	rc = xs_sim_capture_end(stream, &exec->graph);
	if (rc) {
		free(exec);
		return rc;
	}
	exec->owners = 1;
	*graph = (cudaGraph_t)(void *)exec;
	return cudaSuccess;
}

static int instantiate(cudaGraphExec_t *handle, cudaGraph_t graph)
{
	struct exec *exec = exec_of(graph);

	if (!exec)
		return cudaErrorInvalidValue;
	exec->owners++;
	*handle = (cudaGraphExec_t)(void *)exec;
	return cudaSuccess;
}

static int destroy(struct exec *exec)
{
	if (!exec)
		return cudaErrorInvalidValue;
	if (--exec->owners == 0) {
		xs_sim_device_wait(xs_sim_device());
		xs_sim_graph_free(exec->graph);
		free(exec);
	}
	return cudaSuccess;
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
       (pGraphExec, graph, flags), instantiate(pGraphExec, graph))
RT_TWINS_OF(cudaGraphLaunch, v10000, ptsz,
	    (cudaGraphExec_t graphExec, cudaStream_t stream),
	    (graphExec, stream),
	    RT_IN_DRIVER(cuGraphLaunch, (graphExec, stream),
			 xs_sim_graph_launch(exec_of(graphExec)->graph,
					     STREAM)))
RT_API(cudaGraphExecDestroy, v10000, (cudaGraphExec_t graphExec), (graphExec),
       destroy(exec_of(graphExec)))
RT_API(cudaGraphDestroy, v10000, (cudaGraph_t graph), (graph),
       destroy(exec_of(graph)))
