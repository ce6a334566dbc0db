/* SPDX-License-Identifier: MIT */
/*
 * Flags between a kernel and the host, and the kernel that moves data by loads
 * and stores between them. Each block has its own pair of flags: it sets
 * `request`, the host sets `answer`. Every poll has a deadline.
 */
#ifndef XS_EXAMPLES_PUTGET_MAILBOX_H
#define XS_EXAMPLES_PUTGET_MAILBOX_H

#include "flags.h"

#define BLOCKS_MAX   32
#define THREADS	     512
#define FLAG_WORDS   16 /* a line of 64 bytes for each flag */
#define FLAGS_BYTES  ((size_t)BLOCKS_MAX * FLAG_WORDS * sizeof(unsigned))
#define BUFFER_BYTES ((size_t)64 << 20)
#define SOURCE_BYTES (2 * BUFFER_BYTES) /* of stores: beyond the L2 cache */
#define STAGGER_NS   4096		/* more than a message of 8 KiB takes */
#define IN_BYTE	     0x35		/* fills what moves to the GPU */
#define OUT_BYTE     0x53		/* and what moves from it */

/* Between the GPU and the host, or by it to and from another GPU. */
enum direction { IN, OUT, PUT, GET, DIRECTIONS };

/* Where messages of a direction lie. */
struct path {
	const char *name;
	char *to, *from;
	char byte; /* fills `from` */
};

struct mailbox {
	unsigned *request;	 /* host memory */
	unsigned *answer;	 /* host memory */
	unsigned *answer_device; /* device memory; written by a copy */
	unsigned *late;		 /* host memory: the GPU gave up */
	struct path paths[DIRECTIONS];
	cudaStream_t kernels, copies;
	cudaStream_t each[BLOCKS_MAX]; /* of kernels of one block */
};

/* The work of a kernel. */
struct work {
	char *to; /* NULL: flags only */
	const char *from;
	size_t bytes;	       /* of a message */
	size_t stride;	       /* from one block's message to the next's */
	unsigned rounds;       /* messages */
	unsigned first, parts; /* of the blocks of all kernels */
	bool shared; /* all blocks move one message; else each moves its own */
	bool answered; /* each message waits for an answer, else the first */
	unsigned *request, *answer, *late;
	unsigned stagger_ns; /* of a block to the one before, for the first */
};

/* Messages of two blocks share no line. */
static inline size_t stride_of(size_t bytes)
{
	const size_t line = FLAG_WORDS * sizeof(unsigned);

	return bytes < line ? line : bytes;
}

/* Moves one of the parts of a message, by all threads of the block. Loads use
 * no cache: each message is moved anew. */
static __device__ inline void move_part(char *to, const char *from,
					size_t bytes, unsigned part,
					unsigned parts)
{
	const size_t at = (size_t)part * blockDim.x + threadIdx.x;
	const size_t step = (size_t)parts * blockDim.x;

	if (bytes % sizeof(int4) != 0) {
		for (size_t i = at; i < bytes / sizeof(int2); i += step)
			((int2 *)to)[i] = __ldcv((const int2 *)from + i);
		return;
	}
	for (size_t i = at; i < bytes / sizeof(int4); i += step)
		((int4 *)to)[i] = __ldcv((const int4 *)from + i);
}

/* Blocks wait for each other's loads in their fences, by when they began. */
static __device__ inline void stagger(const struct work *w, unsigned block)
{
	const unsigned long long ns = block * w->stagger_ns % STAGGER_NS;
	const unsigned long long start = gpu_ns();

	while (gpu_ns() - start < ns)
		;
}

static __global__ void worker(struct work w)
{
	__shared__ bool stop;
	const unsigned block = w.first + blockIdx.x;
	const unsigned part = w.shared ? block : 0;
	const unsigned parts = w.shared ? w.parts : 1;
	const size_t offset = w.shared ? 0 : block * w.stride;
	const unsigned mine = block * FLAG_WORDS;

	for (unsigned i = 1; i <= w.rounds; i++) {
		if (threadIdx.x == 0)
			stop = (w.answered || i == 1) &&
			       !wait_for(w.answer + mine, i, w.late);
		if (threadIdx.x == 0 && i == 1)
			stagger(&w, block);
		__syncthreads();
		if (stop)
			return;
		if (w.to != NULL)
			move_part(w.to + offset, w.from + offset, w.bytes, part,
				  parts);
		__syncthreads();
		if (threadIdx.x == 0)
			store_flag(w.request + mine, i);
	}
}

/* Tells the host that a kernel runs. */
static __global__ void tell_host(unsigned *request, unsigned value)
{
	store_flag(request, value);
}

static inline void no_answer(const char *what)
{
	fprintf(stderr,
		"putget: %s: the GPU did not set its flag within %.0f s; is "
		"the GPU in use?\n",
		what, HOST_DEADLINE_NS / 1e9);
	exit(EXIT_NO_ANSWER);
}

/* Waits until the block has set its flag to a value, or exits. */
static inline void wait_request(const struct mailbox *box, unsigned block,
				unsigned value, const char *what)
{
	const unsigned *flag = box->request + block * FLAG_WORDS;
	double start = 0;

	for (unsigned polls = 1;; polls++) {
		if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) >= value)
			return;
		if (polls % POLLS_A_DEADLINE != 0)
			continue;
		if (start == 0)
			start = now_ns();
		if (now_ns() - start > HOST_DEADLINE_NS ||
		    __atomic_load_n(box->late, __ATOMIC_RELAXED) != 0)
			no_answer(what);
	}
}

static inline void wait_requests(const struct mailbox *box, unsigned blocks,
				 unsigned value, const char *what)
{
	for (unsigned b = 0; b < blocks; b++)
		wait_request(box, b, value, what);
}

/* Answers all blocks: by stores to host memory, or by a copy to the device. */
static inline void answer_all(const struct mailbox *box, unsigned blocks,
			      unsigned value, bool device)
{
	for (unsigned b = 0; b < blocks; b++)
		__atomic_store_n(box->answer + b * FLAG_WORDS, value,
				 __ATOMIC_RELEASE);
	if (device)
		CHECK(cudaMemcpyAsync(box->answer_device, box->answer,
				      blocks * FLAG_WORDS * sizeof(unsigned),
				      cudaMemcpyHostToDevice, box->copies));
}

/* Clears all flags; no kernel may run. */
static inline void clear_flags(const struct mailbox *box)
{
	memset(box->request, 0, FLAGS_BYTES);
	memset(box->answer, 0, FLAGS_BYTES);
	CHECK(cudaMemset(box->answer_device, 0, FLAGS_BYTES));
	CHECK(cudaDeviceSynchronize());
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

static inline void open_paths(struct path paths[DIRECTIONS])
{
	struct path *in = &paths[IN], *out = &paths[OUT];

	*in = {"h2d", NULL, NULL, IN_BYTE};
	*out = {"d2h", NULL, NULL, OUT_BYTE};
	CHECK(cudaMallocHost((void **)&in->from, BUFFER_BYTES));
	CHECK(cudaMalloc((void **)&in->to, BUFFER_BYTES));
	CHECK(cudaMalloc((void **)&out->from, SOURCE_BYTES));
	CHECK(cudaMallocHost((void **)&out->to, SOURCE_BYTES));
	memset(in->from, IN_BYTE, BUFFER_BYTES);
	CHECK(cudaMemset(out->from, OUT_BYTE, SOURCE_BYTES));
}

/* The second GPU's memory. Returns false without one, or without access. */
static inline bool open_peer(struct path paths[DIRECTIONS])
{
	struct path *put = &paths[PUT], *get = &paths[GET];
	int count = 0, can = 0;

	CHECK(cudaGetDeviceCount(&count));
	if (count > 1)
		CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
	if (!can)
		return false;
	*put = {"put", NULL, paths[OUT].from, OUT_BYTE};
	*get = {"get", paths[IN].to, NULL, IN_BYTE};
	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc((void **)&put->to, BUFFER_BYTES));
	CHECK(cudaMalloc((void **)&get->from, BUFFER_BYTES));
	CHECK(cudaMemset(get->from, IN_BYTE, BUFFER_BYTES));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaSetDevice(0));
	CHECK(cudaDeviceEnablePeerAccess(1, 0));
	return true;
}

static inline void open_mailbox(struct mailbox *box)
{
	CHECK(cudaMallocHost((void **)&box->request, FLAGS_BYTES));
	CHECK(cudaMallocHost((void **)&box->answer, FLAGS_BYTES));
	CHECK(cudaMalloc((void **)&box->answer_device, FLAGS_BYTES));
	CHECK(cudaMallocHost((void **)&box->late, sizeof(*box->late)));
	*box->late = 0;
	open_paths(box->paths);
	CHECK(cudaStreamCreateWithFlags(&box->kernels, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&box->copies, cudaStreamNonBlocking));
	for (int i = 0; i < BLOCKS_MAX; i++)
		CHECK(cudaStreamCreateWithFlags(&box->each[i],
						cudaStreamNonBlocking));
	clear_flags(box);
}

#endif
