/* SPDX-License-Identifier: MIT */
/* Closes all descriptors from 3 on, as a daemon does, in the middle of its CUDA
 * calls, and writes a file of its own after. */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 600

static void *device;

static int copy(unsigned count)
{
	static char host[64];

	for (unsigned i = 0; i < count; i++)
		if (cudaMemcpy(device, host, sizeof(host),
			       cudaMemcpyHostToDevice))
			return 2;
	return 0;
}

/* Its own file has the descriptor (500) that the trace had. */
static int open_files(const char *path)
{
	for (int i = 0; i < FILES; i++)
		if (open(path, O_RDWR | O_CREAT, 0600) < 0)
			return 2;
	return write(3, "mine", 4) != 4;
}

int main(int argc, char **argv)
{
	if (argc < 2 || cudaMalloc(&device, 64) || copy(1000))
		return 2;
	if (syscall(SYS_close_range, 3u, ~0u, 0u))
		return 77;
	if (open_files(argv[1]) || copy(30000))
		return 2;
	puts("done");
	return 0;
}
