/* SPDX-License-Identifier: MIT */
/* Calls CUDA between a dlopen() that fails and the dlerror() that tells why,
 * from new and known call sites. Prints what dlerror() returns. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include <cuda_runtime_api.h>

static void *device;
static char host[64];

static void fail(void)
{
	if (dlopen("no-such-library.so", RTLD_NOW))
		puts("loaded");
}

static void print(const char *what)
{
	const char *error = dlerror();

	printf("%s: %s\n", what, error ? error : "none");
}

static void *call(void *name)
{
	fail();
	cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
	print(name);
	cudaMemset(device, 1, sizeof(host));
	cudaDeviceSynchronize();
	print("nothing failed");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	/* CUDA's start, and the first copy, may call the loader */
	if (cudaMalloc(&device, sizeof(host)) ||
	    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice))
		return 2;
	call("a new site");
	call("a known site");
	if (pthread_create(&thread, NULL, call, "another thread"))
		return 2;
	return pthread_join(thread, NULL);
}
