/* SPDX-License-Identifier: MIT */
/*
 * Twenty rounds, a pause in which a tracer may save what it has, then an end
 * in the middle of a copy: `endings WAY`. "reset" goes on after a device reset.
 */
#include "examples/common.h"

#include <csignal>
#include <unistd.h>

#define BYTES  ((size_t)1 << 20)
#define ROUNDS 20

__global__ void spin(long long cycles)
{
	const long long end = clock64() + cycles;

	while (clock64() < end)
		;
}

static void rounds(void *device, void *host)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
	}
}

static void work(void)
{
	void *host, *device;

	CHECK(cudaMallocHost(&host, BYTES));
	CHECK(cudaMalloc(&device, BYTES));
	memset(host, 1, BYTES);
	rounds(device, host);
	usleep(1000 * 1000);
	CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, 0));
}

static int reset(void)
{
	void *host, *device;

	for (int i = 0; i < 2; i++) {
		CHECK(cudaMallocHost(&host, BYTES));
		CHECK(cudaMalloc(&device, BYTES));
		memset(host, 1, BYTES);
		rounds(device, host);
		CHECK(cudaDeviceReset());
	}
	printf("reset: done\nexpect ops=%d h2d=%zu d2h=%zu\n", 4 * ROUNDS,
	       2 * ROUNDS * BYTES, 2 * ROUNDS * BYTES);
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "reset") == 0)
		return reset();
	printf("expect at_least=%d\n", 2 * ROUNDS);
	fflush(stdout);
	work();
	if (strcmp(way, "term") == 0)
		raise(SIGTERM);
	else if (strcmp(way, "kill") == 0)
		raise(SIGKILL);
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "_exit") == 0)
		_exit(5);
	else if (strcmp(way, "quick_exit") == 0)
		quick_exit(6);
	else if (strcmp(way, "hang") == 0)
		spin<<<1, 1>>>(8LL * 1000 * 1000 * 1000);
	else
		return 1;
	exit(7);
}
