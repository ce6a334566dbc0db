/* SPDX-License-Identifier: MIT */
/*
 * Threads that copy, launch and wait until the process is killed, and store
 * their progress in a file. It knows nothing of xferspy.
 * storm PROGRESS-FILE [US SINCE]
 *   calls abort() US microseconds after its "start" or after its first "call"
 *   returned
 */
#include "../storm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                            \
	do {                                                                   \
		if ((call) != cudaSuccess)                                     \
			_exit(2);                                              \
	} while (0)

static const int count = 256;

__global__ void increase(int *a)
{
	a[threadIdx.x] += 1;
}

static uint64_t now_ns()
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Called after each call, so that at most the last returned call is not
 * counted. */
static void returned(struct storm_thread *t)
{
	__atomic_store_n(&t->calls, t->calls + 1, __ATOMIC_RELEASE);
}

static void *work(void *argument)
{
	struct storm_thread *t = (struct storm_thread *)argument;
	const size_t bytes = count * sizeof(int);
	int *host, *device;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocHost((void **)&host, bytes));
	CHECK(cudaMalloc((void **)&device, bytes));
	t->tid = (uint32_t)syscall(SYS_gettid);
	while (t->rounds < STORM_MOST_ROUNDS) {
		CHECK(cudaMemcpyAsync(device, host, bytes,
				      cudaMemcpyHostToDevice, stream));
		returned(t);
		increase<<<1, count, 0, stream>>>(device);
		returned(t);
		CHECK(cudaMemcpyAsync(host, device, bytes,
				      cudaMemcpyDeviceToHost, stream));
		returned(t);
		CHECK(cudaStreamSynchronize(stream));
		returned(t);
		t->done[t->rounds] = now_ns();
		__atomic_store_n(&t->rounds, t->rounds + 1, __ATOMIC_RELEASE);
		usleep(2000);
	}
	return NULL;
}

static void wait_for_call(const struct storm_progress *progress)
{
	for (int i = 0;; i = (i + 1) % STORM_THREADS) {
		if (__atomic_load_n(&progress->threads[i].calls,
				    __ATOMIC_ACQUIRE))
			return;
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	int file = argc > 1 ? open(argv[1], O_RDWR) : -1;
	void *memory = mmap(NULL, sizeof(struct storm_progress),
			    PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	struct storm_progress *progress = (struct storm_progress *)memory;

	if (file < 0 || memory == MAP_FAILED) {
		fprintf(stderr, "storm: no progress file\n");
		return 1;
	}
	for (int i = 0; i < STORM_THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work, &progress->threads[i]);
	}
	if (argc > 3) {
		if (strcmp(argv[3], "call") == 0)
			wait_for_call(progress);
		usleep((useconds_t)atoi(argv[2]));
		abort();
	}
	for (;;)
		pause();
}
