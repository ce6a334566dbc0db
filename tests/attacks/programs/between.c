/* SPDX-License-Identifier: MIT */
/* Runs a shell command between two calls of CUDA. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

int main(int argc, char **argv)
{
	void *device = NULL;
	int failed = cudaMalloc(&device, 64) != cudaSuccess;

	if (argc > 1)
		failed += system(argv[1]) != 0;
	failed += cudaMemset(device, 1, 64) != cudaSuccess;
	failed += cudaDeviceSynchronize() != cudaSuccess;
	printf("%d failed\n", failed);
	return failed;
}
