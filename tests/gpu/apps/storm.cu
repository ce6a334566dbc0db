/* SPDX-License-Identifier: MIT */
/*
 * Threads that launch kernels of a microsecond as fast as they can, each to
 * its own stream: `storm THREADS LAUNCHES`.
 */
#include "examples/common.h"

#include <pthread.h>

__global__ void count_up(unsigned *counter)
{
	if (threadIdx.x == 0)
		*counter += 1;
}

static long launches;

static void *storm(void *)
{
	unsigned *counter, counted = 0;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc((void **)&counter, sizeof(*counter)));
	CHECK(cudaMemsetAsync(counter, 0, sizeof(*counter), stream));
	for (long i = 0; i < launches; i++)
		count_up<<<1, 32, 0, stream>>>(counter);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(&counted, counter, sizeof(counted),
			      cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	return counted == (unsigned)launches ? NULL : (void *)1;
}

int main(int argc, char **argv)
{
	const long count = argc > 1 ? parse_count(argv[1], "threads") : 64;
	pthread_t *threads =
	    (pthread_t *)calloc((size_t)count, sizeof(*threads));
	int wrong = 0;

	launches = argc > 2 ? parse_count(argv[2], "launches") : 5000;
	CHECK(cudaFree(0));
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, storm, NULL) != 0)
			return 2;
	for (long i = 0; i < count; i++) {
		void *result;

		pthread_join(threads[i], &result);
		wrong += result != NULL;
	}
	printf("storm: %d threads wrong\nexpect ops=%ld d2h=%ld\n", wrong,
	       count * (launches + 2), count * (long)sizeof(unsigned));
	free(threads);
	return wrong;
}
