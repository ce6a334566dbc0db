/* SPDX-License-Identifier: MIT */
/*
 * A graph of a copy in, two kernels and a copy out, captured from a stream and
 * replayed: `replay TIMES [MORE]`. Each replay adds what the host put in,
 * twice. MORE replays are between cudaProfilerStart() and Stop(); it says what
 * is then.
 */
#include "examples/common.h"

#include <cuda_profiler_api.h>

#define COUNT ((size_t)256)
#define BYTES (COUNT * sizeof(unsigned))

__global__ void add(unsigned *sum, const unsigned *in)
{
	sum[threadIdx.x] += in[threadIdx.x];
}

static cudaGraphExec_t capture(unsigned *in, unsigned *sum, unsigned *device_in,
			       unsigned *device_sum, cudaStream_t stream)
{
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(device_in, in, BYTES, cudaMemcpyHostToDevice,
			      stream));
	for (int i = 0; i < 2; i++)
		add<<<1, COUNT, 0, stream>>>(device_sum, device_in);
	CHECK(cudaMemcpyAsync(sum, device_sum, BYTES, cudaMemcpyDeviceToHost,
			      stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
#else
	CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
#endif
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

static void replay(cudaGraphExec_t exec, cudaStream_t stream, long times)
{
	for (long i = 0; i < times; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	const long times = argc > 1 ? parse_count(argv[1], "times") : 1000;
	const long more = argc > 2 ? parse_count(argv[2], "more") : 0;
	const long expected = more ? more : times;
	unsigned *in, *sum, *device_in, *device_sum, wrong = 0;
	cudaGraphExec_t exec;
	cudaStream_t stream;

	CHECK(cudaMallocHost((void **)&in, BYTES));
	CHECK(cudaMallocHost((void **)&sum, BYTES));
	CHECK(cudaMalloc((void **)&device_in, BYTES));
	CHECK(cudaMalloc((void **)&device_sum, BYTES));
	CHECK(cudaMemset(device_sum, 0, BYTES));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (size_t i = 0; i < COUNT; i++)
		in[i] = (unsigned)i;
	CHECK(cudaDeviceSynchronize());
	exec = capture(in, sum, device_in, device_sum, stream);
	replay(exec, stream, times);
	if (more) {
		CHECK(cudaProfilerStart());
		replay(exec, stream, more);
		CHECK(cudaProfilerStop());
	}
	for (size_t i = 0; i < COUNT; i++)
		wrong += sum[i] != 2 * (unsigned)(times + more) * (unsigned)i;
	printf("replay: %u wrong\nexpect ops=%ld h2d=%ld d2h=%ld\n", wrong,
	       4 * expected + !more, expected * (long)BYTES,
	       expected * (long)BYTES);
	CHECK(cudaGraphExecDestroy(exec));
	return wrong != 0;
}
