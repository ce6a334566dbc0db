/* SPDX-License-Identifier: MIT */
/*
 * The parameters of Klenk 2014 (docs/models.md) by themselves: none is taken
 * from the times that they are to predict.
 */
#ifndef XS_EXAMPLES_PUTGET_PARAMETERS_H
#define XS_EXAMPLES_PUTGET_PARAMETERS_H

#include "mailbox.h"

#define ESTIMATES    15
#define GPU_STEPS    1000 /* reads or stores of one measurement */
#define BURST	     64	  /* copies issued in a row */
#define SWEEP_BYTES  ((size_t)32 << 20)
#define MAILBOX_RUNS 501

/* Prints "name": [median, first quartile, third quartile]. */
static inline void print_parameter(const char *name, double *ns, long count)
{
	static bool printed;

	qsort(ns, (size_t)count, sizeof(*ns), compare_doubles);
	printf("%s\n  \"%s\": [%.6g, %.6g, %.6g]", printed ? "," : "", name,
	       ns[count / 2], ns[count / 4], ns[count * 3 / 4]);
	printed = true;
}

/* One thread polls zeros: each read depends on the one before. */
static __global__ void poll_zeros(const unsigned *flag, double *ns)
{
	const unsigned long long start = gpu_ns();
	unsigned at = 0;

	for (int i = 0; i < GPU_STEPS; i++)
		at = load_flag(flag + at);
	*ns = (double)(gpu_ns() - start) / GPU_STEPS + at;
}

/* A warp stores 64 bytes, and a flag behind them if `ordered`. */
static __global__ void store_messages(unsigned *to, unsigned *flag,
				      bool ordered, double *ns)
{
	const unsigned long long start = gpu_ns();

	for (unsigned i = 1; i <= GPU_STEPS; i++) {
		if (threadIdx.x < FLAG_WORDS)
			((volatile unsigned *)to)[threadIdx.x] = i;
		__syncwarp();
		if (ordered && threadIdx.x == 0)
			store_flag(flag, i);
	}
	if (threadIdx.x == 0)
		*ns = (double)(gpu_ns() - start) / GPU_STEPS;
}

static __global__ void sweep(char *to, const char *from, size_t bytes)
{
	move_part(to, from, bytes, blockIdx.x, gridDim.x);
}

static inline void measure_gpu(const struct mailbox *box)
{
	double ns[4][ESTIMATES], *result;

	CHECK(cudaMallocHost((void **)&result, sizeof(*result)));
	clear_flags(box);
	for (int i = 0; i < 4 * ESTIMATES; i++) {
		if (i % 4 < 2)
			poll_zeros<<<1, 1, 0, box->kernels>>>(
			    i % 4 == 0 ? box->answer : box->answer_device,
			    result);
		else
			store_messages<<<1, 32, 0, box->kernels>>>(
			    (unsigned *)box->paths[OUT].to, box->request,
			    i % 4 == 2, result);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(box->kernels));
		ns[i % 4][i / 4] = *result;
	}
	print_parameter("poll_system_ns", ns[0], ESTIMATES);
	print_parameter("poll_device_ns", ns[1], ESTIMATES);
	print_parameter("store_64_ns", ns[2], ESTIMATES);
	print_parameter("post_ns", ns[3], ESTIMATES);
	CHECK(cudaFreeHost(result));
}

/* A host thread reads a flag that does not change. */
static inline void measure_host_poll(const struct mailbox *box)
{
	double ns[ESTIMATES];

	for (int r = 0; r < ESTIMATES; r++) {
		const double start = now_ns();
		unsigned sum = 0;

		for (int i = 0; i < 1000 * GPU_STEPS; i++)
			sum += __atomic_load_n(box->request, __ATOMIC_ACQUIRE);
		ns[r] = (now_ns() - start + (sum == 1)) / (1000 * GPU_STEPS);
	}
	print_parameter("poll_host_ns", ns, ESTIMATES);
}

/* Flags alone, one warp a block: the GPU answers the host. */
static inline void measure_mailbox(const struct mailbox *box, unsigned blocks,
				   bool device)
{
	static double ns[MAILBOX_RUNS];
	char name[32];
	const struct work w = {.to = NULL,
			       .from = NULL,
			       .bytes = 0,
			       .stride = 0,
			       .rounds = MAILBOX_RUNS,
			       .first = 0,
			       .parts = blocks,
			       .shared = false,
			       .answered = true,
			       .request = box->request,
			       .answer =
				   device ? box->answer_device : box->answer,
			       .late = box->late,
			       .stagger_ns = 0};

	clear_flags(box);
	worker<<<blocks, 32, 0, box->kernels>>>(w);
	CHECK(cudaGetLastError());
	for (unsigned i = 1; i <= MAILBOX_RUNS; i++) {
		const double start = now_ns();

		answer_all(box, blocks, i, device);
		wait_requests(box, blocks, i, "mailbox");
		ns[i - 1] = now_ns() - start;
	}
	CHECK(cudaStreamSynchronize(box->kernels));
	snprintf(name, sizeof(name),
		 device ? "mailbox_device_%u_ns" : "mailbox_%u_ns", blocks);
	print_parameter(name, ns + 1, MAILBOX_RUNS - 1);
}

/* One host thread answers all blocks as they ask: its time of a request. */
static inline void measure_proxy(const struct mailbox *box)
{
	double ns[ESTIMATES];
	const struct work w = {.to = NULL,
			       .from = NULL,
			       .bytes = 0,
			       .stride = 0,
			       .rounds = BURST,
			       .first = 0,
			       .parts = BLOCKS_MAX,
			       .shared = false,
			       .answered = true,
			       .request = box->request,
			       .answer = box->answer,
			       .late = box->late,
			       .stagger_ns = 0};

	for (int r = 0; r < ESTIMATES; r++) {
		double start;

		clear_flags(box);
		worker<<<BLOCKS_MAX, 32, 0, box->kernels>>>(w);
		CHECK(cudaGetLastError());
		answer_all(box, BLOCKS_MAX, 1, false);
		wait_requests(box, BLOCKS_MAX, 1, "proxy");
		start = now_ns();
		for (unsigned i = 2; i <= BURST; i++)
			for (unsigned b = 0; b < BLOCKS_MAX; b++) {
				wait_request(box, b, i - 1, "proxy");
				__atomic_store_n(box->answer + b * FLAG_WORDS,
						 i, __ATOMIC_RELEASE);
			}
		wait_requests(box, BLOCKS_MAX, BURST, "proxy");
		ns[r] = (now_ns() - start) / ((BURST - 1) * BLOCKS_MAX);
		CHECK(cudaStreamSynchronize(box->kernels));
	}
	print_parameter("proxy_ns", ns, ESTIMATES);
}

static inline void copy_async(const struct mailbox *box,
			      enum direction direction, size_t offset,
			      size_t bytes)
{
	static const enum cudaMemcpyKind kinds[DIRECTIONS] = {
	    cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault,
	    cudaMemcpyDefault};
	const struct path *path = &box->paths[direction];

	CHECK(cudaMemcpyAsync(path->to + offset, path->from + offset, bytes,
			      kinds[direction], box->copies));
}

/* A copy of 8 bytes: the call, the call with its wait, one of many. */
static inline void measure_copies(const struct mailbox *box,
				  enum direction direction)
{
	static double wait_ns[MAILBOX_RUNS];
	double call_ns[ESTIMATES], each_ns[ESTIMATES];
	const char *way = box->paths[direction].name;
	char name[32];

	for (int i = 0; i < MAILBOX_RUNS; i++) {
		const double start = now_ns();

		copy_async(box, direction, 0, 8);
		CHECK(cudaStreamSynchronize(box->copies));
		wait_ns[i] = now_ns() - start;
	}
	for (int r = 0; r < ESTIMATES; r++) {
		const double start = now_ns();

		for (int i = 0; i < BURST; i++)
			copy_async(box, direction, 0, 8);
		call_ns[r] = (now_ns() - start) / BURST;
		CHECK(cudaStreamSynchronize(box->copies));
		each_ns[r] = (now_ns() - start) / BURST;
	}
	snprintf(name, sizeof(name), "copy_wait_%s_ns", way);
	print_parameter(name, wait_ns, MAILBOX_RUNS);
	snprintf(name, sizeof(name), "call_copy_%s_ns", way);
	print_parameter(name, call_ns, ESTIMATES);
	snprintf(name, sizeof(name), "copy_each_%s_ns", way);
	print_parameter(name, each_ns, ESTIMATES);
}

/* From a launch until the host sees the kernel's flag. */
static inline void measure_launch(const struct mailbox *box)
{
	static double ns[MAILBOX_RUNS];

	clear_flags(box);
	for (unsigned i = 1; i <= MAILBOX_RUNS; i++) {
		const double start = now_ns();

		tell_host<<<1, 1, 0, box->kernels>>>(box->request, i);
		wait_request(box, 0, i, "launch");
		ns[i - 1] = now_ns() - start;
		CHECK(cudaStreamSynchronize(box->kernels));
	}
	print_parameter("launch_signal_ns", ns + 1, MAILBOX_RUNS - 1);
}

/* ns per byte of loads or stores of so many bytes by a number of blocks;
 * 0: copies. */
static inline void measure_rate(const struct mailbox *box, const char *name,
				enum direction direction, unsigned blocks,
				size_t bytes)
{
	const struct path *path = &box->paths[direction];
	double rate[ESTIMATES];
	float ms;
	cudaEvent_t events[2];

	CHECK(cudaEventCreate(&events[0]));
	CHECK(cudaEventCreate(&events[1]));
	for (int r = 0; r < ESTIMATES; r++) {
		CHECK(cudaEventRecord(events[0], box->copies));
		if (blocks == 0)
			copy_async(box, direction, 0, bytes);
		else
			sweep<<<blocks, THREADS, 0, box->copies>>>(
			    path->to, path->from, bytes);
		CHECK(cudaEventRecord(events[1], box->copies));
		CHECK(cudaEventSynchronize(events[1]));
		CHECK(cudaEventElapsedTime(&ms, events[0], events[1]));
		rate[r] = ms * 1e6 / (double)bytes;
	}
	CHECK(cudaEventDestroy(events[0]));
	CHECK(cudaEventDestroy(events[1]));
	print_parameter(name, rate, ESTIMATES);
}

static inline void measure_rates(const struct mailbox *box,
				 enum direction direction)
{
	char name[32];

	for (unsigned blocks = 0; blocks <= BLOCKS_MAX;
	     blocks = blocks ? 2 * blocks : 1) {
		snprintf(name, sizeof(name), blocks ? "G_%s_%u" : "G_%s_copy",
			 box->paths[direction].name, blocks);
		measure_rate(box, name, direction, blocks, SWEEP_BYTES);
	}
}

/* Stores of one block, by the size of what it reads again and again. */
static inline void measure_sources(const struct mailbox *box)
{
	static const unsigned mib[] = {4, 8, 16, 24, 32, 48, 64, 96, 128};
	char name[32];

	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		snprintf(name, sizeof(name), "G_d2h_1_of_%u", mib[i]);
		measure_rate(box, name, OUT, 1, (size_t)mib[i] << 20);
	}
}

static inline void measure_parameters(const struct mailbox *box)
{
	measure_gpu(box);
	measure_host_poll(box);
	for (unsigned blocks = 1; blocks <= BLOCKS_MAX; blocks *= 2) {
		measure_mailbox(box, blocks, false);
		measure_mailbox(box, blocks, true);
	}
	measure_proxy(box);
	measure_launch(box);
	for (int d = IN; d <= OUT; d++) {
		measure_copies(box, (enum direction)d);
		measure_rates(box, (enum direction)d);
	}
	measure_sources(box);
}

#endif
