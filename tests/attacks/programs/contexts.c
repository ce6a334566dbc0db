/* SPDX-License-Identifier: MIT */
/* Nine threads that make a context, copy in it and destroy it, over and over.
 * Ends with 5, with 4 if a call failed, with 3 if there is no memory for its
 * threads. Prints how many calls failed and the largest address space, in
 * KiB. */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define THREADS 8 /* beside the first one */
#define ROUNDS	20
#define COPIES	20

static atomic_uint failed;
static pthread_barrier_t started;

static void check(CUresult result)
{
	failed += result != CUDA_SUCCESS;
}

static CUresult create(CUcontext *context)
{
#if CUDA_VERSION >= 13000
	return cuCtxCreate(context, NULL, 0, 0);
#else
	return cuCtxCreate(context, 0, 0);
#endif
}

static void one_round(void)
{
	char host[4096] = "";
	CUdeviceptr device;
	CUcontext context;
	CUstream stream;

	check(create(&context));
	check(cuMemAlloc(&device, sizeof(host)));
	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < COPIES; i++) {
		check(cuMemcpyHtoDAsync(device, host, sizeof(host), stream));
		check(cuMemcpyDtoHAsync(host, device, sizeof(host), stream));
		check(cuStreamSynchronize(stream));
	}
	check(cuStreamDestroy(stream));
	check(cuMemFree(device));
	check(cuCtxDestroy(context));
}

static void *work(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&started);
	for (int i = 0; i < ROUNDS; i++)
		one_round();
	return NULL;
}

static void print_peak(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmPeak: %lu", &kib);
	if (file)
		fclose(file);
	printf("%lu\n", kib);
}

int main(void)
{
	pthread_t threads[THREADS];

	check(cuInit(0));
	pthread_barrier_init(&started, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 3;
	work(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u failed\n", failed);
	print_peak();
	return failed ? 4 : 5;
}
