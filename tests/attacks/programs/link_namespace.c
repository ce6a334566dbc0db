/* SPDX-License-Identifier: MIT */
/* A second CUDA runtime in a link namespace of its own, which interposes
 * nothing: both make copies, in turn. link_namespace LIBCUDART */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>

#define COPIES 500

typedef cudaError_t allocates(void **, size_t);
typedef cudaError_t copies(void *, const void *, size_t, enum cudaMemcpyKind);

static int copy_in_turn(allocates *other_allocate, copies *other_copy)
{
	char host[64] = "";
	void *device, *other;
	int failed = cudaMalloc(&device, sizeof(host)) != cudaSuccess;

	failed += other_allocate(&other, sizeof(host)) != cudaSuccess;
	for (int i = 0; i < COPIES; i++) {
		failed += cudaMemcpy(device, host, sizeof(host),
				     cudaMemcpyHostToDevice) != cudaSuccess;
		failed += other_copy(other, host, sizeof(host),
				     cudaMemcpyHostToDevice) != cudaSuccess;
	}
	return failed;
}

int main(int argc, char **argv)
{
	void *library =
	    argc > 1 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
	allocates *allocate;
	copies *copy;

	if (!library) {
		fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library");
		return 2;
	}
	*(void **)&allocate = dlsym(library, "cudaMalloc");
	*(void **)&copy = dlsym(library, "cudaMemcpy");
	if (!allocate || !copy)
		return 2;
	printf("%d failed\n", copy_in_turn(allocate, copy));
	return 0;
}
