/* SPDX-License-Identifier: MIT */
/*
 * What one launch of an empty kernel and one small asynchronous copy cost the
 * host: long loops with a synchronisation now and then, as one JSON line.
 * overhead.sh runs it with and without a tracer.
 */
#include "common.h"

__global__ void empty_kernel(void)
{
}

/* Calls between two synchronisations: few enough that the queue never fills,
 * enough that the synchronisation, which is timed too, does not show. */
static const long batch = 500;

static double launch_ns(long calls)
{
	double start = now_ns();

	for (long i = 1; i <= calls; i++) {
		empty_kernel<<<1, 1>>>();
		if (i % batch == 0)
			CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGetLastError());
	return (now_ns() - start) / (double)calls;
}

static double copy_ns(long calls, void *device, const void *host, size_t bytes)
{
	double start = now_ns();

	for (long i = 1; i <= calls; i++) {
		CHECK(cudaMemcpyAsync(device, host, bytes,
				      cudaMemcpyHostToDevice, 0));
		if (i % batch == 0)
			CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaDeviceSynchronize());
	return (now_ns() - start) / (double)calls;
}

int main(int argc, char **argv)
{
	struct options options = {};
	const size_t bytes = 4096;
	void *host, *device;

	options.n = 100000;
	options.rounds = 1;
	options.streams = 1;
	parse_options(argc, argv, &options);

	CHECK(cudaMallocHost(&host, bytes));
	CHECK(cudaMalloc(&device, bytes));
	memset(host, 0, bytes);
	launch_ns(2 * batch);
	copy_ns(2 * batch, device, host, bytes);

	double launch = launch_ns(options.n);
	double copy = copy_ns(options.n / 2, device, host, bytes);

	printf("{\"launches\": %ld, \"launch_ns\": %.1f, \"copies\": %ld, "
	       "\"copy_async_ns\": %.1f}\n",
	       options.n, launch, options.n / 2, copy);
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(host));
	return 0;
}
