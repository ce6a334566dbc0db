/* SPDX-License-Identifier: MIT */
/* What plugin_host loads: a library with a CUDA runtime of its own choice. */
#include "examples/common.h"

#define COUNT  ((size_t)4096)
#define BYTES  (COUNT * sizeof(int))
#define ROUNDS 10

__global__ void negate(int *values)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	values[i] = -values[i];
}

extern "C" int run_plugin(void)
{
	int *values = (int *)malloc(BYTES), *device, wrong = 0;

	for (size_t i = 0; i < COUNT; i++)
		values[i] = (int)i;
	CHECK(cudaMalloc((void **)&device, BYTES));
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(
		    cudaMemcpy(device, values, BYTES, cudaMemcpyHostToDevice));
		negate<<<COUNT / 256, 256>>>(device);
		CHECK(cudaGetLastError());
		CHECK(
		    cudaMemcpy(values, device, BYTES, cudaMemcpyDeviceToHost));
	}
	CHECK(cudaFree(device));
	for (size_t i = 0; i < COUNT; i++)
		wrong += values[i] != (int)i;
	free(values);
	printf("plugin: %d wrong\nexpect ops=%d h2d=%zu d2h=%zu\n", wrong,
	       3 * ROUNDS, ROUNDS * BYTES, ROUNDS * BYTES);
	return wrong;
}
