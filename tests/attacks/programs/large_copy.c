/* SPDX-License-Identifier: MIT */
/* Copies as many bytes as the argument says from the device, at once. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cuda_runtime.h>

int main(int argc, char **argv)
{
	const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	char *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *device = NULL;
	int failed;

	if (host == MAP_FAILED || cudaMalloc(&device, bytes) != cudaSuccess)
		return 77;
	host[bytes - 1] = 1;
	failed = cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) !=
		 cudaSuccess;
	failed += host[bytes - 1] != 0;
	failed += cudaFree(device) != cudaSuccess;
	printf("%d failed\n", failed);
	return failed;
}
