/* SPDX-License-Identifier: MIT */
/* Ends while the GPU copies, MS milliseconds after the copy was issued. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda_runtime.h>

int main(int argc, char **argv)
{
	const size_t bytes = 1 << 20;
	const useconds_t ms = argc > 1 ? (useconds_t)atoi(argv[1]) : 1;
	void *host = NULL, *device = NULL;
	int failed = cudaMallocHost(&host, bytes) != cudaSuccess;

	failed += cudaMalloc(&device, bytes) != cudaSuccess;
	failed += cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
				  0) != cudaSuccess;
	usleep(ms * 1000);
	printf("%d failed\n", failed);
	fflush(stdout);
	_exit(failed);
}
