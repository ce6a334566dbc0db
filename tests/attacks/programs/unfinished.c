/* SPDX-License-Identifier: MIT */
/* Ends while the GPU copies, when it has read a line. */
#include <stdio.h>
#include <unistd.h>

#include <cuda_runtime.h>

int main(void)
{
	const size_t bytes = 1 << 20;
	void *host = NULL, *device = NULL;
	int failed = cudaMallocHost(&host, bytes) != cudaSuccess;

	failed += cudaMalloc(&device, bytes) != cudaSuccess;
	failed += cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
				  0) != cudaSuccess;
	failed += getchar() == EOF;
	printf("%d failed\n", failed);
	fflush(stdout);
	_exit(failed);
}
