/* SPDX-License-Identifier: MIT */
/*
 * Two devices in one process, one way a run: `devices MODE`. It checks what it
 * copied and computed, and prints what a trace of it must hold of each device:
 * "expect", as harness.py reads it. 77 where there are no two devices.
 */
#include "examples/common.h"

#include <pthread.h>

#define PART   ((size_t)1 << 20)
#define INTS   (PART / sizeof(int))
#define ROUNDS 8
#define GPUS   2

__global__ void add_one(int *values, size_t count)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < count)
		values[i] += 1;
}

/* What one device works on: the second on twice as much as the first. */
struct work {
	int device;
	size_t count;
	int *host, *values;
	cudaStream_t stream;
};

static void begin_work(struct work *work, int device)
{
	work->device = device;
	work->count = INTS * (size_t)(device + 1);
	CHECK(cudaSetDevice(device));
	CHECK(cudaMallocHost((void **)&work->host, work->count * sizeof(int)));
	CHECK(cudaMalloc((void **)&work->values, work->count * sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&work->stream, cudaStreamNonBlocking));
	memset(work->host, 0, work->count * sizeof(int));
}

/* In, compute, and out, on the device that is set. */
static void one_round(const struct work *work)
{
	const size_t bytes = work->count * sizeof(int);

	CHECK(cudaMemcpyAsync(work->values, work->host, bytes,
			      cudaMemcpyHostToDevice, work->stream));
	add_one<<<(unsigned)(work->count / 256), 256, 0, work->stream>>>(
	    work->values, work->count);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(work->host, work->values, bytes,
			      cudaMemcpyDeviceToHost, work->stream));
	CHECK(cudaStreamSynchronize(work->stream));
}

static size_t end_work(const struct work *work)
{
	size_t wrong = 0;

	for (size_t i = 0; i < work->count; i++)
		wrong += work->host[i] != ROUNDS;
	CHECK(cudaSetDevice(work->device));
	CHECK(cudaFree(work->values));
	CHECK(cudaFreeHost(work->host));
	CHECK(cudaStreamDestroy(work->stream));
	return wrong;
}

static int finish(const char *mode, const struct work *works)
{
	size_t wrong = 0;

	for (int i = 0; i < GPUS; i++)
		wrong += end_work(&works[i]);
	printf("devices %s: %zu wrong\nexpect ops=%d", mode, wrong,
	       3 * GPUS * ROUNDS);
	for (int i = 0; i < GPUS; i++)
		printf(" h2d@%d=%zu d2h@%d=%zu kernels@%d=%d", i,
		       ROUNDS * PART * (size_t)(i + 1), i,
		       ROUNDS * PART * (size_t)(i + 1), i, ROUNDS);
	printf("\n");
	return wrong != 0;
}

static void *work_alone(void *work)
{
	CHECK(cudaSetDevice(((struct work *)work)->device));
	for (int i = 0; i < ROUNDS; i++)
		one_round((struct work *)work);
	return NULL;
}

/* A thread for each device. */
static int use_threads(void)
{
	struct work works[GPUS];
	pthread_t threads[GPUS];

	for (int i = 0; i < GPUS; i++)
		begin_work(&works[i], i);
	for (int i = 0; i < GPUS; i++)
		if (pthread_create(&threads[i], NULL, work_alone, &works[i]) !=
		    0)
			return 2;
	for (int i = 0; i < GPUS; i++)
		pthread_join(threads[i], NULL);
	return finish("threads", works);
}

/* One thread for both, in turns. */
static int use_turns(void)
{
	struct work works[GPUS];

	for (int i = 0; i < GPUS; i++)
		begin_work(&works[i], i);
	for (int i = 0; i < ROUNDS * GPUS; i++) {
		CHECK(cudaSetDevice(i % GPUS));
		one_round(&works[i % GPUS]);
	}
	return finish("turns", works);
}

/* With it, devices read each other's memory; without, CUDA finds a way. */
static bool allow_access(void)
{
	for (int i = 0; i < GPUS; i++) {
		int can = 0;

		CHECK(cudaDeviceCanAccessPeer(&can, i, 1 - i));
		if (!can)
			return false;
		CHECK(cudaSetDevice(i));
		CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
	}
	return true;
}

/* There and back, by the call that waits and by the one that does not. */
static void send_around(int *const *on, const cudaStream_t *streams)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(cudaSetDevice(0));
		CHECK(cudaMemcpyPeer(on[1], 1, on[0], 0, PART));
		CHECK(cudaDeviceSynchronize()); /* the host need not have */
		CHECK(cudaSetDevice(1));
		add_one<<<(unsigned)(INTS / 256), 256, 0, streams[1]>>>(on[1],
									INTS);
		CHECK(cudaGetLastError());
		CHECK(
		    cudaMemcpyPeerAsync(on[0], 0, on[1], 1, PART, streams[1]));
		CHECK(cudaStreamSynchronize(streams[1]));
	}
}

static int use_peers(bool access)
{
	cudaStream_t streams[GPUS];
	int *on[GPUS], *host;
	size_t wrong = 0;

	if (access && !allow_access()) {
		fprintf(stderr, "the devices cannot reach each other\n");
		return 77;
	}
	CHECK(cudaMallocHost((void **)&host, PART));
	memset(host, 0, PART);
	for (int i = 0; i < GPUS; i++) {
		CHECK(cudaSetDevice(i));
		CHECK(cudaMalloc((void **)&on[i], PART));
		CHECK(cudaStreamCreateWithFlags(&streams[i],
						cudaStreamNonBlocking));
	}
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemcpy(on[0], host, PART, cudaMemcpyHostToDevice));
	send_around(on, streams);
	CHECK(cudaSetDevice(0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, on[0], PART, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < INTS; i++)
		wrong += host[i] != ROUNDS;
	printf("devices %s: %zu wrong\n", access ? "peers-access" : "peers",
	       wrong);
	printf("expect between=%zu h2d=%zu d2h=%zu kernels@1=%d\n",
	       2 * ROUNDS * PART, PART, PART, ROUNDS);
	return wrong != 0;
}

/* Managed memory goes where it is used: to one device, to the other, back. */
static int use_managed(void)
{
	int *values, managed = 1;
	size_t wrong = 0;

	for (int i = 0; managed && i < GPUS; i++)
		CHECK(cudaDeviceGetAttribute(
		    &managed, cudaDevAttrConcurrentManagedAccess, i));
	if (!managed) {
		fprintf(stderr, "managed memory does not migrate here\n");
		return 77;
	}
	CHECK(cudaMallocManaged((void **)&values, PART));
	memset(values, 0, PART);
	for (int i = 0; i < ROUNDS * GPUS; i++) {
		CHECK(cudaSetDevice(i % GPUS));
		add_one<<<(unsigned)(INTS / 256), 256>>>(values, INTS);
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
	}
	for (size_t i = 0; i < INTS; i++)
		wrong += values[i] != ROUNDS * GPUS;
	printf("devices managed: %zu wrong\n", wrong);
	printf(
	    "expect ops=%d kernels@0=%d kernels@1=%d migrated_at_least=%zu\n",
	    ROUNDS * GPUS, ROUNDS, ROUNDS, PART);
	CHECK(cudaFree(values));
	return wrong != 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int devices = 0;

	CHECK(cudaGetDeviceCount(&devices));
	if (devices < GPUS) {
		fprintf(stderr, "%d device%s here\n", devices,
			devices == 1 ? "" : "s");
		return 77;
	}
	if (strcmp(mode, "threads") == 0)
		return use_threads();
	if (strcmp(mode, "turns") == 0)
		return use_turns();
	if (strcmp(mode, "peers") == 0)
		return use_peers(false);
	if (strcmp(mode, "peers-access") == 0)
		return use_peers(true);
	if (strcmp(mode, "managed") == 0)
		return use_managed();
	fprintf(stderr, "devices: which mode?\n");
	return 1;
}
