/* SPDX-License-Identifier: MIT */
/* Other ways to issue work and to wait for it: graphs, batches, polls in a
 * loop, host functions in a stream, managed memory, a device reset. It knows
 * nothing of xferspy; the output depends on the results only. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

#include <cuda_runtime.h>

static const int count = 16384;
static const size_t bytes = count * sizeof(int);

__global__ void next(int *a)
{
	a[blockIdx.x * blockDim.x + threadIdx.x]++;
}

static int *host, *device;
static cudaStream_t stream;

static void set_up(void)
{
	CHECK(cudaMallocHost((void **)&host, bytes));
	CHECK(cudaMalloc((void **)&device, bytes));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < count; i++)
		host[i] = i;
}

/* Copy in, a kernel, copy out. */
static void ask(void)
{
	CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
			      stream));
	next<<<count / 256, 256, 0, stream>>>(device);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost,
			      stream));
}

static int wrong(int rounds)
{
	int bad = 0;

	for (int i = 0; i < count; i++)
		bad += host[i] != i + rounds;
	return bad;
}

static void graph(int rounds)
{
	cudaGraphExec_t launchable;
	cudaGraph_t kept;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	ask();
	CHECK(cudaStreamEndCapture(stream, &kept));
	CHECK(cudaGraphInstantiate(&launchable, kept, 0));
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaGraphLaunch(launchable, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaGraphExecDestroy(launchable));
	CHECK(cudaGraphDestroy(kept));
}

/* All launches, then one wait. */
static void replay(cudaGraph_t kept, int rounds)
{
	cudaGraphExec_t launchable;

	CHECK(cudaGraphInstantiate(&launchable, kept, 0));
	for (int i = 0; i < rounds; i++)
		CHECK(cudaGraphLaunch(launchable, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(launchable));
	CHECK(cudaGraphDestroy(kept));
}

/* A small graph, many launches. */
static void replays(int rounds)
{
	cudaGraph_t kept;

	CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
			      stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	next<<<1, 32, 0, stream>>>(device);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(host, device, 32 * sizeof(int),
			      cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &kept));
	replay(kept, rounds);
	for (int i = 32; i < count; i++)
		host[i] += rounds;
}

/* While a stream captures, another thread's work elsewhere continues. */
static void *work_meanwhile(void *unused)
{
	cudaEvent_t done;

	CHECK(cudaEventCreate(&done));
	for (int i = 0; i < 40; i++)
		ask();
	CHECK(cudaEventRecord(done, stream));
	CHECK(cudaEventSynchronize(done));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaEventDestroy(done));
	return unused;
}

static void capture_beside(int rounds)
{
	cudaGraphExec_t launchable;
	cudaStream_t capturing;
	pthread_t other;
	cudaGraph_t kept;

	/* A stream that the legacy default stream would wait for. */
	CHECK(cudaStreamCreate(&capturing));
	CHECK(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
	pthread_create(&other, NULL, work_meanwhile, NULL);
	pthread_join(other, NULL);
	next<<<count / 256, 256, 0, capturing>>>(device);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamEndCapture(capturing, &kept));
	CHECK(cudaGraphInstantiate(&launchable, kept, 0));
	CHECK(cudaGraphLaunch(launchable, capturing));
	CHECK(cudaStreamSynchronize(capturing));
	CHECK(cudaGraphExecDestroy(launchable));
	CHECK(cudaGraphDestroy(kept));
	CHECK(cudaStreamDestroy(capturing));
	for (int i = 0; i < count; i++)
		host[i] += rounds - 40;
}

/* A stream that waits for an event of the capture is captured with it. */
static void forked_graph(int rounds)
{
	cudaGraph_t kept;
	cudaStream_t other;
	cudaEvent_t fork, join;

	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&fork));
	CHECK(cudaEventCreate(&join));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, stream));
	CHECK(cudaStreamWaitEvent(other, fork, 0));
	CHECK(cudaMemsetAsync(device, 0, bytes, other));
	CHECK(cudaEventRecord(join, other));
	CHECK(cudaStreamWaitEvent(stream, join, 0));
	ask();
	CHECK(cudaStreamEndCapture(stream, &kept));
	replay(kept, rounds);
	CHECK(cudaStreamDestroy(other));
}

/* The host polls until the device is done. */
static void polls(int rounds, bool by_event)
{
	cudaError_t answer;
	cudaEvent_t done;

	CHECK(cudaEventCreate(&done));
	for (int i = 0; i < rounds; i++) {
		ask();
		CHECK(cudaEventRecord(done, stream));
		do
			answer = by_event ? cudaEventQuery(done)
					  : cudaStreamQuery(stream);
		while (answer == cudaErrorNotReady);
		CHECK(answer);
	}
	CHECK(cudaEventDestroy(done));
}

#if CUDART_VERSION >= 13000
/* Two copies in and two out, of half the data each, by one call each. */
static void batch(int rounds)
{
	void *to[] = {device, device + count / 2};
	void *from[] = {host, host + count / 2};
	size_t sizes[] = {bytes / 2, bytes / 2}, first = 0;
	struct cudaMemcpyAttributes how = {};

	how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1,
					   stream));
		next<<<count / 256, 256, 0, stream>>>(device);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyBatchAsync(from, to, sizes, 2, &how, &first, 1,
					   stream));
		CHECK(cudaStreamSynchronize(stream));
	}
}

static cudaError_t prefetch_to_host(const void *memory)
{
	struct cudaMemLocation where = {};

	where.type = cudaMemLocationTypeHost;
	return cudaMemPrefetchAsync(memory, bytes, where, 0, stream);
}
#else
static void batch(int rounds)
{
	(void)rounds;
	fprintf(stderr, "batches want CUDA 13\n");
	exit(2);
}

static cudaError_t prefetch_to_host(const void *memory)
{
	return cudaMemPrefetchAsync(memory, bytes, cudaCpuDeviceId, stream);
}
#endif

/* Device memory that is allocated and freed in stream order. */
static void pooled(int rounds)
{
	int *there;

	for (int i = 0; i < rounds; i++) {
		CHECK(cudaMallocAsync((void **)&there, bytes, stream));
		CHECK(cudaMemcpyAsync(there, host, bytes,
				      cudaMemcpyHostToDevice, stream));
		next<<<count / 256, 256, 0, stream>>>(there);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host, there, bytes,
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(there, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
}

/* Managed memory migrates to the device with the first launch, and back. */
static void managed(int rounds)
{
	int *shared;

	CHECK(cudaMallocManaged((void **)&shared, bytes));
	for (int i = 0; i < count; i++)
		shared[i] = i;
	for (int i = 0; i < rounds; i++) {
		next<<<count / 256, 256, 0, stream>>>(shared);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(stream));
		CHECK(prefetch_to_host(shared));
		CHECK(cudaStreamSynchronize(stream));
	}
	memcpy(host, shared, bytes);
	CHECK(cudaFree(shared));
}

/* Copies in to the first device, on to the second, which computes and copies
 * out. */
static void peers(int rounds)
{
	cudaStream_t second;
	int *there;

	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc((void **)&there, bytes));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	for (int i = 0; i < rounds; i++) {
		CHECK(cudaSetDevice(0));
		CHECK(cudaMemcpyAsync(device, host, bytes,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyPeerAsync(there, 1, device, 0, bytes, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaSetDevice(1));
		next<<<count / 256, 256, 0, second>>>(there);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(host, there, bytes,
				      cudaMemcpyDeviceToHost, second));
		CHECK(cudaStreamSynchronize(second));
	}
	CHECK(cudaMemcpyPeer(there, 1, device, 0, bytes));
	CHECK(cudaFree(there));
	CHECK(cudaSetDevice(0));
}

static void count_up(void *data)
{
	++*(int *)data;
}

static void call_back(cudaStream_t, cudaError_t, void *data)
{
	count_up(data);
}

/* By a function that CUDA 13 lacks. */
static void old_wait(int rounds)
{
	cudaError_t (*wait)(void) =
	    (cudaError_t(*)(void))dlsym(RTLD_DEFAULT, "cudaThreadSynchronize");

	for (int i = 0; i < rounds; i++) {
		ask();
		CHECK(wait());
	}
}

static int host_function(int rounds)
{
	int calls = 0;

	for (int i = 0; i < rounds; i++) {
		ask();
		if (i)
			CHECK(cudaLaunchHostFunc(stream, count_up, &calls));
		else
			CHECK(cudaStreamAddCallback(stream, call_back, &calls,
						    0));
		CHECK(cudaStreamSynchronize(stream));
	}
	return calls != rounds;
}

/* A part of a row to another row. */
static void row(void)
{
	cudaMemcpy3DParms copy = {};

	copy.srcPtr = make_cudaPitchedPtr(host, 4096, 4096, 4);
	copy.srcPos = make_cudaPos(0, 1, 0);
	copy.dstPtr = make_cudaPitchedPtr(device, 4096, 4096, 4);
	copy.dstPos = make_cudaPos(64, 2, 1);
	copy.extent = make_cudaExtent(1024, 1, 1);
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int rounds = argc > 2 ? atoi(argv[2]) : 3;
	int bad = 0;

	set_up();
	if (strcmp(mode, "graph") == 0)
		graph(rounds);
	else if (strcmp(mode, "replays") == 0)
		replays(rounds);
	else if (strcmp(mode, "peers") == 0)
		peers(rounds);
	else if (strcmp(mode, "forked-graph") == 0)
		forked_graph(rounds);
	else if (strcmp(mode, "capture-beside") == 0)
		capture_beside(rounds);
	else if (strcmp(mode, "event-polls") == 0)
		polls(rounds, true);
	else if (strcmp(mode, "stream-polls") == 0)
		polls(rounds, false);
	else if (strcmp(mode, "batch") == 0)
		batch(rounds);
	else if (strcmp(mode, "pooled") == 0)
		pooled(rounds);
	else if (strcmp(mode, "managed") == 0)
		managed(rounds);
	else if (strcmp(mode, "row") == 0)
		row();
	else if (strcmp(mode, "old-wait") == 0)
		old_wait(rounds);
	else if (strcmp(mode, "host-function") == 0)
		bad += host_function(rounds);
	else
		bad = -1;
	bad += wrong(rounds);
	CHECK(cudaDeviceReset());
	printf("%s: %d wrong\n", mode, bad);
	return bad != 0;
}
