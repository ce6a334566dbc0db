/* SPDX-License-Identifier: MIT */
/* A storm of short threads: as many as the first argument says, each with a few
 * CUDA calls. Every other one is detached and ends with pthread_exit(). Prints
 * the number of copies. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT_ONCE 16

static void *device;
static atomic_uint copies, running;

static void *copy(void *detached)
{
	char host[64] = "";

	for (int i = 0; i < 3; i++)
		copies += cudaMemcpy(device, host, sizeof(host),
				     cudaMemcpyHostToDevice) == cudaSuccess;
	running--;
	if (detached)
		pthread_exit(NULL);
	return NULL;
}

static void start(unsigned number)
{
	pthread_attr_t attributes;
	pthread_t thread;

	while (running >= AT_ONCE)
		usleep(50);
	running++;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64u << 10);
	if (pthread_create(&thread, &attributes, copy,
			   number % 2 ? device : NULL))
		exit(2);
	pthread_detach(thread);
	pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
	const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

	if (cudaMalloc(&device, 64))
		return 2;
	for (unsigned i = 0; i < count; i++)
		start(i);
	while (running)
		usleep(100);
	printf("%u\n", copies);
	return 0;
}
