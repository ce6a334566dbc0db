/* SPDX-License-Identifier: MIT */
/* Copies as many bytes as the argument says from the device, at once. The
 * destination is one small piece of memory, mapped many times. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime.h>

#define PIECE ((size_t)32 << 20)

/* Returns NULL if there is no address space for it. */
static char *map_repeatedly(size_t bytes)
{
	const int file = memfd_create("large_copy", MFD_CLOEXEC);
	char *host = mmap(NULL, bytes + PIECE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (host == MAP_FAILED || file < 0 || ftruncate(file, PIECE))
		return NULL;
	for (size_t at = 0; at < bytes; at += PIECE)
		if (mmap(host + at, PIECE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
			 0) == MAP_FAILED)
			return NULL;
	close(file);
	return host;
}

int main(int argc, char **argv)
{
	const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	char *host = map_repeatedly(bytes);
	void *device = NULL;
	int failed;

	if (!host || cudaMalloc(&device, bytes) != cudaSuccess)
		return 77;
	/* Simulated devices have host memory: fewer page faults. */
	madvise(device, bytes, MADV_HUGEPAGE);
	host[bytes % PIECE - 1] = 1;
	failed = cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) !=
		 cudaSuccess;
	failed += host[bytes % PIECE - 1] != 0;
	failed += cudaFree(device) != cudaSuccess;
	printf("%d failed\n", failed);
	return failed;
}
