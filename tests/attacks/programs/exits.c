/* SPDX-License-Identifier: MIT */
/*
 * Ends a CUDA program in a hostile way, given by the first argument:
 *
 *   cancel   exit(7) with a cancellation of the thread pending
 *   loading  exit(7) while two threads load and unload the library that the
 *            second argument names
 *   working  exit(7) while four threads copy
 *   waiting  exit(7) while a stream has COPIES copies that take minutes
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPIES 5

static void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
		_Exit(2);
	}
}

static void copy(void)
{
	static char host[4096];
	void *device;

	check(cudaMalloc(&device, sizeof(host)));
	for (int i = 0; i < 100; i++)
		check(cudaMemcpy(device, host, sizeof(host),
				 cudaMemcpyHostToDevice));
}

static void *load_and_unload(void *path)
{
	for (;;) {
		void *library = dlopen(path, RTLD_LAZY);

		if (!library)
			_Exit(2);
		dlclose(library);
	}
	return NULL;
}

static void exit_loading(char *path)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, load_and_unload, path))
			_Exit(2);
	usleep(2000);
	exit(7);
}

static void *copy_for_ever(void *unused)
{
	static char host[4096];
	void *device;

	(void)unused;
	check(cudaMalloc(&device, sizeof(host)));
	for (;;)
		cudaMemcpyAsync(device, host, 64, cudaMemcpyHostToDevice, 0);
	return NULL;
}

static void exit_working(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, copy_for_ever, NULL))
			_Exit(2);
	usleep(20000);
	exit(7);
}

/* The simulated device makes the record of a copy before it performs the next
 * one, and performs it before its time has passed: when the last one's byte is
 * there, the others have their records. */
static void exit_waiting(void)
{
	volatile char *host;
	void *device;

	check(cudaMalloc(&device, 1));
	check(cudaMemset(device, 1, 1));
	check(cudaMallocHost((void **)&host, COPIES));
	for (int i = 0; i < COPIES; i++)
		check(cudaMemcpyAsync((void *)&host[i], device, 1,
				      cudaMemcpyDeviceToHost, 0));
	while (!host[COPIES - 1])
		usleep(1000);
	exit(7);
}

int main(int argc, char **argv)
{
	copy();
	if (argc > 2 && !strcmp(argv[1], "loading"))
		exit_loading(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "working"))
		exit_working();
	if (argc > 1 && !strcmp(argv[1], "waiting"))
		exit_waiting();
	if (argc > 1 && !strcmp(argv[1], "cancel")) {
		pthread_cancel(pthread_self());
		exit(7);
	}
	return 2;
}
