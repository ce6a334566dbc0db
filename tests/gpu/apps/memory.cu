/* SPDX-License-Identifier: MIT */
/*
 * Host memory that changes its kind, and memory that both sides use:
 * `memory register` and `memory managed`.
 */
#include "examples/common.h"

#include <unistd.h>

#define PART   ((size_t)1 << 20)
#define ROUNDS 5

__global__ void add_one(int *values, size_t count)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < count)
		values[i] += 1;
}

static void copy_parts(char *device, const char *host)
{
	for (int i = 0; i < ROUNDS; i++)
		for (size_t part = 0; part < 3; part++)
			CHECK(cudaMemcpy(device + part * PART,
					 host + part * PART, PART,
					 cudaMemcpyHostToDevice));
}

/* The middle of three parts is registered, given back, and the whole buffer
 * used again; then all of it is registered. */
static int register_parts(void)
{
	void *host = NULL, *back = malloc(3 * PART);
	char *device;
	int wrong;

	if (posix_memalign(&host, (size_t)sysconf(_SC_PAGESIZE), 3 * PART) != 0)
		return 2;
	for (size_t i = 0; i < 3 * PART; i++)
		((char *)host)[i] = (char)(i * 7 + i / PART);
	CHECK(cudaMalloc((void **)&device, 3 * PART));
	CHECK(cudaHostRegister((char *)host + PART, PART, 0));
	copy_parts(device, (char *)host);
	CHECK(cudaHostUnregister((char *)host + PART));
	copy_parts(device, (char *)host);
	CHECK(cudaHostRegister(host, 3 * PART, 0));
	copy_parts(device, (char *)host);
	CHECK(cudaHostUnregister(host));
	CHECK(cudaMemcpy(back, device, 3 * PART, cudaMemcpyDeviceToHost));
	wrong = memcmp(back, host, 3 * PART) != 0;
	printf("register: %s\n", wrong ? "WRONG" : "ok");
	printf("expect h2d=%zu pinned=%zu pageable=%zu\n", 9 * ROUNDS * PART,
	       4 * ROUNDS * PART, 5 * ROUNDS * PART);
	CHECK(cudaFree(device));
	free(back);
	free(host);
	return wrong;
}

static int use_managed(void)
{
	const size_t count = (size_t)4 << 20;
	int *values;
	size_t wrong = 0;

	CHECK(cudaMallocManaged((void **)&values, count * sizeof(int)));
	for (size_t i = 0; i < count; i++)
		values[i] = (int)i;
	for (int round = 0; round < ROUNDS; round++) {
		add_one<<<(unsigned)(count / 256), 256>>>(values, count);
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
		values[round] += 1;
	}
	for (size_t i = 0; i < count; i++)
		wrong += values[i] != (int)i + ROUNDS + (i < ROUNDS);
	printf("managed: %zu wrong\nexpect kernels=%d migrated_at_least=%zu\n",
	       wrong, ROUNDS, count * sizeof(int));
	CHECK(cudaFree(values));
	return wrong != 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "register") == 0)
		return register_parts();
	if (argc > 1 && strcmp(argv[1], "managed") == 0)
		return use_managed();
	fprintf(stderr, "memory: register or managed?\n");
	return 1;
}
