/* SPDX-License-Identifier: MIT */
/* Programs that are hard to count: very many call sites, changing sizes and
 * directions, very many threads. It knows nothing of xferspy. */
#include "check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <cuda_runtime.h>

static const size_t most_bytes = 256 << 10;
static char host[most_bytes];
static char *device;

__global__ void add_one(char *data)
{
	data[threadIdx.x]++;
}

/* A call site for each number. */
template <int place> __attribute__((noinline)) void copy_from(void)
{
	CHECK(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
	asm volatile("" : : "i"(place));
}

template <int... place>
static void copy_from_all(std::integer_sequence<int, place...>)
{
	int done[] = {(copy_from<place>(), 0)...};

	(void)done;
}

/* Linux limits a process to about 65,000 mappings. */
static int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int lines = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static void places(int rounds)
{
	for (int i = 0; i < rounds; i++)
		copy_from_all(std::make_integer_sequence<int, 500>());
	printf("%d mappings\n", count_mappings());
}

/* Small copies, and from the middle on larger ones at the same call sites. */
static void grow(int rounds)
{
	for (int i = 0; i < 2 * rounds; i++) {
		size_t bytes = i < rounds ? 4096 : 65536;

		CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
		add_one<<<1, 256>>>(device);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
	}
}

/* Small copies in and then large ones out. */
static void mix(int rounds)
{
	for (int i = 0; i < rounds; i++)
		CHECK(cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice));
	for (int i = 0; i < rounds / 10; i++)
		CHECK(cudaMemcpy(host, device, most_bytes,
				 cudaMemcpyDeviceToHost));
}

/* Copies, and then launches as well. */
static void late(int rounds)
{
	for (int i = 0; i < 2 * rounds; i++) {
		CHECK(cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice));
		if (i >= rounds)
			add_one<<<1, 256>>>(device);
	}
	CHECK(cudaDeviceSynchronize());
}

static void *live(void *)
{
	char *own;

	CHECK(cudaMalloc((void **)&own, 1024));
	CHECK(cudaMemcpy(own, host, 1024, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(host, own, 1024, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(own));
	return NULL;
}

/* Threads one after the other, with four calls each. */
static void threads(int rounds)
{
	pthread_t thread;

	for (int i = 0; i < rounds; i++) {
		if (pthread_create(&thread, NULL, live, NULL) != 0)
			exit(2);
		pthread_join(thread, NULL);
	}
}

static pthread_barrier_t all_there;

static void *issue(void *rounds)
{
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < *(const int *)rounds; i++) {
		add_one<<<1, 256>>>(device);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(device + 4096, host, 64,
				      cudaMemcpyHostToDevice));
		usleep(i % 7 * 30);
	}
	return NULL;
}

/* Eight threads at once; each issues work that no thread issued before. */
static void together(int rounds)
{
	pthread_t all[8];

	pthread_barrier_init(&all_there, NULL, 8);
	for (pthread_t &thread : all)
		if (pthread_create(&thread, NULL, issue, &rounds) != 0)
			exit(2);
	for (pthread_t thread : all)
		pthread_join(thread, NULL);
	CHECK(cudaDeviceSynchronize());
}

__global__ void work(char *data, int turns)
{
	for (int i = 0; i < turns; i++)
		data[threadIdx.x] += i;
}

/* The kernel takes longer from the middle on; nothing else changes. */
static void drift(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		for (int j = 0; j < 40; j++)
			work<<<1, 1>>>(device, i < rounds / 2 ? 1 : 60);
		CHECK(cudaDeviceSynchronize());
		usleep(4000);
	}
}

/* The same number of launches fail, at the same call site. */
static void fail(int rounds)
{
	int failed = 0;

	for (int i = 0; i < 2 * rounds; i++) {
		const int threads = i < rounds ? 1 : 4096;

		add_one<<<1, threads>>>(device);
		failed += cudaGetLastError() != cudaSuccess;
	}
	CHECK(cudaDeviceSynchronize());
	printf("%d failed\n", failed);
}

static std::atomic<int> begun, done;

static void *copy_slowly(void *)
{
	begun++;
	CHECK(cudaMemcpy(device, host, most_bytes, cudaMemcpyHostToDevice));
	done++;
	return NULL;
}

/* Returns when the thread is inside the copy, which takes seconds. */
static pthread_t start_copy(void)
{
	const int before = begun;
	pthread_t copier;

	if (pthread_create(&copier, NULL, copy_slowly, NULL) != 0)
		exit(2);
	while (begun == before)
		usleep(1000);
	usleep(300000);
	return copier;
}

/* Some thread is inside a copy while another launches kernels, all at one call
 * site. The second copy begins 2 s after as many more launches, and waits for
 * the first. */
static void inside(int rounds)
{
	pthread_t copiers[2] = {};
	int launches = 0;

	while (done < 2) {
		add_one<<<1, 1>>>(device);
		launches++;
		if (launches == rounds)
			copiers[0] = start_copy();
		if (launches == 2 * rounds)
			usleep(2000000);
		if (launches == 2 * rounds)
			copiers[1] = start_copy();
		if (launches > 2 * rounds)
			usleep(1000);
	}
	for (pthread_t copier : copiers)
		pthread_join(copier, NULL);
	CHECK(cudaDeviceSynchronize());
	printf("%d launches\n", launches);
}

/* Many short kernels, then the host is always inside a wait. */
static void wait(int rounds)
{
	for (int i = 0; i < rounds; i++)
		add_one<<<1, 1>>>(device);
	for (int i = 0; i < 60; i++) {
		work<<<1, 1>>>(device, 20000);
		CHECK(cudaDeviceSynchronize());
	}
}

/* Copies in and out from one call site, fast and from pinned memory; every
 * hundredth one is slightly larger, from other memory, every 10 ms. */
static void serve(int rounds)
{
	const size_t bytes = 65536, more = 100000;
	char *pinned, *pageable = (char *)calloc(1, more);

	CHECK(cudaMallocHost((void **)&pinned, bytes));
	for (int i = 0; i < rounds + rounds / 100; i++) {
		bool fast = i < rounds;
		char *buffer = fast ? pinned : pageable;

		CHECK(cudaMemcpy(device, buffer, fast ? bytes : more,
				 cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(buffer, device, fast ? bytes : more,
				 cudaMemcpyDeviceToHost));
		if (!fast)
			usleep(10000);
	}
	CHECK(cudaFreeHost(pinned));
	free(pageable);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int rounds);
	} modes[] = {
	    {"places", places},	    {"grow", grow},   {"mix", mix},
	    {"drift", drift},	    {"serve", serve}, {"threads", threads},
	    {"together", together}, {"wait", wait},   {"fail", fail},
	    {"inside", inside},	    {"late", late}};

	if (argc != 3)
		return 2;
	CHECK(cudaMalloc((void **)&device, most_bytes));
	for (const auto &mode : modes)
		if (strcmp(mode.name, argv[1]) == 0)
			mode.run(atoi(argv[2]));
	CHECK(cudaFree(device));
	return 0;
}
