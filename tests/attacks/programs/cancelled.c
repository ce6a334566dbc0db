/* SPDX-License-Identifier: MIT */
/* A thread with a pending cancellation makes its CUDA calls, the first of the
 * process among them, unloads a library, and returns. Nothing that it calls is
 * a cancellation point, so it returns its own result. */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define COPIES	    5000
#define LARGE_BYTES (2u << 20)

static char host[LARGE_BYTES];
static char result;

static void *work(void *unused)
{
	void *device = NULL, *managed = NULL, *library;

	(void)unused;
	pthread_cancel(pthread_self());
	if (cudaMalloc(&device, sizeof(host)))
		return NULL;
	cudaProfilerStart();
	for (int i = 0; i < COPIES; i++)
		if (cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice))
			return NULL;
	cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
	cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal);
	library = dlopen("libresolv.so.2", RTLD_NOW);
	if (!library || dlclose(library))
		return NULL;
	cudaDeviceSynchronize();
	cudaProfilerStop();
	return &result;
}

int main(void)
{
	pthread_t thread;
	void *got;

	if (pthread_create(&thread, NULL, work, NULL) ||
	    pthread_join(thread, &got))
		return 2;
	puts(got == PTHREAD_CANCELED ? "cancelled"
	     : got == &result	     ? "done"
				     : "failed");
	return 0;
}
