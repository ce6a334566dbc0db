/* SPDX-License-Identifier: MIT */
/* Uses N streams, one after another. */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1, failed = 0;
	void *device = NULL;

	failed += cudaMalloc(&device, 64) != cudaSuccess;
	for (int i = 0; i < count && !failed; i++) {
		cudaStream_t stream;

		failed += cudaStreamCreate(&stream) != cudaSuccess;
		failed += cudaMemsetAsync(device, i, 64, stream) != cudaSuccess;
		failed += cudaStreamDestroy(stream) != cudaSuccess;
	}
	failed += cudaDeviceSynchronize() != cudaSuccess;
	printf("%d failed\n", failed);
	return failed;
}
