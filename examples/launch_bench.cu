/* SPDX-License-Identifier: MIT */
/*
 * What one launch of an empty kernel and one small asynchronous copy cost the
 * host, in long loops with a synchronisation now and then, as one JSON line:
 * the time of the calls themselves, and with it the waiting for the GPU, which
 * may be the slower of the two. overhead.sh runs it with and without a tracer.
 */
#include "measure.h"

__global__ void empty_kernel(void)
{
}

/* Calls between two synchronisations: few enough that the queue never fills,
 * for then a call would wait for the GPU. */
static const long batch = 500;

struct cost {
	double call_ns; /* in calls, each */
	double done_ns; /* until the GPU was done, each */
};

static void launch(void *, void *)
{
	empty_kernel<<<1, 1>>>();
}

static void copy(void *device, void *host)
{
	cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, 0);
}

static struct cost measure_calls(void (*call)(void *, void *), long calls,
				 void *device, void *host)
{
	double in_calls = 0, begin = now_ns();

	for (long done = 0; done < calls; done += batch) {
		long count = calls - done < batch ? calls - done : batch;
		double start = now_ns();

		for (long i = 0; i < count; i++)
			call(device, host);
		in_calls += now_ns() - start;
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaGetLastError());
	return {in_calls / (double)calls, (now_ns() - begin) / (double)calls};
}

int main(int argc, char **argv)
{
	struct options options = {};
	struct choices choices;
	const size_t bytes = 4096;
	void *host, *device;

	options.n = 100000;
	options.rounds = 1;
	options.streams = 1;
	parse_options(argc, argv, &options, &choices);

	CHECK(cudaMallocHost(&host, bytes));
	CHECK(cudaMalloc(&device, bytes));
	memset(host, 0, bytes);
	measure_calls(launch, 2 * batch, device, host);
	measure_calls(copy, 2 * batch, device, host);

	struct cost launches = measure_calls(launch, options.n, device, host);
	struct cost copies =
	    measure_calls(copy, (options.n + 1) / 2, device, host);

	printf("{\"launches\": %ld, \"launch_ns\": %.1f, "
	       "\"launch_done_ns\": %.1f, \"copies\": %ld, "
	       "\"copy_async_ns\": %.1f, \"copy_done_ns\": %.1f}\n",
	       options.n, launches.call_ns, launches.done_ns,
	       (options.n + 1) / 2, copies.call_ns, copies.done_ns);
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(host));
	return 0;
}
