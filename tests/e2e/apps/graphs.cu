/* SPDX-License-Identifier: MIT */
/*
 * Programs that launch CUDA graphs in different ways. They know nothing of
 * xferspy; what is printed depends on the results alone.
 *
 *	graphs MODE LAUNCHES
 */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#include <cuda_runtime.h>

static const int count = 1024, threads = 4, kernels = 3;
static const size_t bytes = count * sizeof(int);

__global__ void next(int *a)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		a[i]++;
}

struct work {
	int *host, *device;
	cudaStream_t stream;
	int launches, done;
};

static void set_up(struct work *w)
{
	CHECK(cudaMallocHost((void **)&w->host, bytes));
	CHECK(cudaMalloc((void **)&w->device, bytes));
	CHECK(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
	memset(w->host, 0, bytes);
	w->done = 0;
}

/* A copy in, kernels and a copy out. */
static cudaGraph_t capture(const struct work *w, int times,
			   int blocks = count / 256)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(w->stream,
				     cudaStreamCaptureModeThreadLocal));
	CHECK(cudaMemcpyAsync(w->device, w->host, bytes, cudaMemcpyHostToDevice,
			      w->stream));
	for (int i = 0; i < times; i++) {
		next<<<blocks, 256, 0, w->stream>>>(w->device);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpyAsync(w->host, w->device, bytes, cudaMemcpyDeviceToHost,
			      w->stream));
	CHECK(cudaStreamEndCapture(w->stream, &graph));
	return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
	cudaGraphExec_t exec;

	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void launch(struct work *w, cudaGraphExec_t exec, cudaStream_t stream,
		   int times)
{
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	w->done += times;
}

/* Launches one graph many times. */
static void replay(struct work *w)
{
	cudaGraph_t graph = capture(w, kernels);
	cudaGraphExec_t exec = instantiate(graph);

	for (int i = 0; i < w->launches; i++)
		launch(w, exec, w->stream, kernels);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

/* Issues all launches before one wait. */
static void rush(struct work *w)
{
	cudaGraph_t graph = capture(w, kernels);
	cudaGraphExec_t exec = instantiate(graph);

	for (int i = 0; i < w->launches; i++)
		CHECK(cudaGraphLaunch(exec, w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	w->done += kernels * w->launches;
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

/* Instantiates the graph for each launch. */
static void each(struct work *w)
{
	cudaGraph_t graph = capture(w, kernels);

	for (int i = 0; i < w->launches; i++) {
		cudaGraphExec_t exec = instantiate(graph);

		launch(w, exec, w->stream, kernels);
		CHECK(cudaGraphExecDestroy(exec));
	}
	CHECK(cudaGraphDestroy(graph));
}

/* Captured at the start, instantiated while another one is launched; then both
 * in turns, with a copy beside them. */
static void late(struct work *w)
{
	cudaGraph_t later = capture(w, 1), first = capture(w, kernels);
	cudaGraphExec_t exec = instantiate(first), second;

	for (int i = 0; i < w->launches; i++)
		launch(w, exec, w->stream, kernels);
	second = instantiate(later);
	for (int i = 0; i < w->launches; i++) {
		launch(w, second, w->stream, 1);
		launch(w, exec, w->stream, kernels);
		CHECK(cudaMemcpyAsync(w->device, w->host, bytes,
				      cudaMemcpyHostToDevice, w->stream));
		CHECK(cudaStreamSynchronize(w->stream));
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphExecDestroy(second));
	CHECK(cudaGraphDestroy(first));
	CHECK(cudaGraphDestroy(later));
}

/* Updates the graph, and then launches it twice as often. */
static void updated(struct work *w)
{
	cudaGraph_t graph = capture(w, kernels),
		    other = capture(w, kernels, count / 128);
	cudaGraphExec_t exec = instantiate(graph);
	cudaGraphExecUpdateResultInfo result;

	for (int i = 0; i < w->launches; i++)
		launch(w, exec, w->stream, kernels);
	CHECK(cudaGraphExecUpdate(exec, other, &result));
	for (int i = 0; i < 2 * w->launches; i++)
		launch(w, exec, w->stream, kernels);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(other));
}

/* Launches in one stream, then in another. */
static void moved(struct work *w)
{
	cudaGraph_t graph = capture(w, kernels);
	cudaGraphExec_t exec = instantiate(graph);
	cudaStream_t other;

	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	for (int i = 0; i < w->launches; i++)
		launch(w, exec, w->stream, kernels);
	for (int i = 0; i < w->launches; i++)
		launch(w, exec, other, kernels);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(other));
}

static int wrong(const struct work *w)
{
	int bad = 0;

	for (int i = 0; i < count; i++)
		bad += w->host[i] != w->done;
	return bad;
}

/* Instantiates from time to time, and launches continuously. */
static void *work_thread(void *argument)
{
	struct work *w = (struct work *)argument;

	for (int i = 0; i < 4; i++)
		replay(w);
	return NULL;
}

static int together(int launches)
{
	struct work works[threads];
	pthread_t ids[threads];
	int bad = 0;

	for (int i = 0; i < threads; i++) {
		set_up(&works[i]);
		works[i].launches = launches;
	}
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work_thread, &works[i]);
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		bad += wrong(&works[i]);
	}
	return bad;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	struct work w;
	int bad = 0;

	set_up(&w);
	w.launches = argc > 2 ? atoi(argv[2]) : 3;
	if (strcmp(mode, "replay") == 0)
		replay(&w);
	else if (strcmp(mode, "rush") == 0)
		rush(&w);
	else if (strcmp(mode, "each") == 0)
		each(&w);
	else if (strcmp(mode, "late") == 0)
		late(&w);
	else if (strcmp(mode, "updated") == 0)
		updated(&w);
	else if (strcmp(mode, "moved") == 0)
		moved(&w);
	else if (strcmp(mode, "together") == 0)
		bad = together(w.launches);
	else
		bad = -1;
	bad += wrong(&w);
	CHECK(cudaDeviceReset());
	printf("%s: %d wrong\n", mode, bad);
	return bad != 0;
}
