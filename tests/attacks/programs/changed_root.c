/* SPDX-License-Identifier: MIT */
/* Makes the current folder its root folder after CUDA has started. */
#include <stdio.h>
#include <unistd.h>

#include <cuda_runtime.h>

int main(void)
{
	void *device = NULL;
	int failed = cudaMalloc(&device, 64) != cudaSuccess;

	if (chroot("."))
		return 77;
	failed += cudaMemset(device, 1, 64) != cudaSuccess;
	failed += cudaDeviceSynchronize() != cudaSuccess;
	printf("%d failed\n", failed);
	return failed;
}
