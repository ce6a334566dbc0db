/* SPDX-License-Identifier: MIT */
/*
 * Ends a CUDA program in a hostile way, given by the first argument:
 *
 *   cancel  exit(7) with a cancellation of the thread pending
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
		_Exit(2);
	}
}

static void copy(void)
{
	static char host[4096];
	void *device;

	check(cudaMalloc(&device, sizeof(host)));
	for (int i = 0; i < 100; i++)
		check(cudaMemcpy(device, host, sizeof(host),
				 cudaMemcpyHostToDevice));
}

int main(int argc, char **argv)
{
	copy();
	if (argc > 1 && !strcmp(argv[1], "cancel")) {
		pthread_cancel(pthread_self());
		exit(7);
	}
	return 2;
}
