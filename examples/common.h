/* SPDX-License-Identifier: MIT */
/*
 * Shared by the example programs: error checks, host memory by variant,
 * streams, and common parts of their jobs. C-like C++ for nvcc.
 */
#ifndef XS_EXAMPLES_COMMON_H
#define XS_EXAMPLES_COMMON_H

#include "options.h"

#include <cuda_runtime.h>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

static inline void check(cudaError_t error, const char *call, const char *file,
			 int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
		cudaGetErrorString(error));
	exit(2);
}

/* How host memory was allocated. */
enum memory_kind { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_MAPPED };

static inline enum memory_kind memory_kind_of(enum variant variant)
{
	if (variant == PAGEABLE || variant == PAGEABLE_STREAMS)
		return MEMORY_PAGEABLE;
	return variant == MAPPED || variant == HYBRID ? MEMORY_MAPPED
						      : MEMORY_PINNED;
}

/* Blocks freed by a configuration, kept for the next one: pinning takes longer
 * than many rounds. */
#define KEPT_MAX 16

static struct {
	void *memory;
	size_t bytes;
	enum memory_kind kind;
} kept[KEPT_MAX];

static inline void *take_kept(enum memory_kind kind, size_t bytes)
{
	for (int i = 0; i < KEPT_MAX; i++) {
		void *memory = kept[i].memory;

		if (memory == NULL || kept[i].kind != kind ||
		    kept[i].bytes != bytes)
			continue;
		kept[i].memory = NULL;
		return memory;
	}
	return NULL;
}

static inline void give_back(enum memory_kind kind, void *memory)
{
	if (kind == MEMORY_PAGEABLE)
		free(memory);
	else
		CHECK(cudaFreeHost(memory));
}

/* Host memory as the variant needs it; pageable memory stays untouched. */
static inline void *host_alloc(enum variant variant, size_t bytes)
{
	enum memory_kind kind = memory_kind_of(variant);
	void *memory = take_kept(kind, bytes);

	if (memory != NULL)
		return memory;
	switch (kind) {
	case MEMORY_PAGEABLE:
		memory = malloc(bytes);
		if (memory == NULL) {
			fprintf(stderr, "no memory for %zu bytes\n", bytes);
			exit(2);
		}
		break;
	case MEMORY_MAPPED:
		CHECK(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped));
		break;
	default:
		CHECK(cudaMallocHost(&memory, bytes));
		break;
	}
	return memory;
}

/* Pageable memory is freed at once: whether pages have been touched is part of
 * the measurement. */
static inline void host_free(enum variant variant, void *memory, size_t bytes)
{
	enum memory_kind kind = memory_kind_of(variant);

	for (int i = 0; i < KEPT_MAX && kind != MEMORY_PAGEABLE; i++) {
		if (kept[i].memory != NULL)
			continue;
		kept[i] = {memory, bytes, kind};
		return;
	}
	give_back(kind, memory);
}

/* Frees the kept blocks, all or all but one kind. */
static inline void drop_kept(bool all, enum memory_kind but)
{
	for (int i = 0; i < KEPT_MAX; i++) {
		if (kept[i].memory == NULL || (!all && kept[i].kind == but))
			continue;
		give_back(kept[i].kind, kept[i].memory);
		kept[i].memory = NULL;
	}
}

/*
 * Returns the device address for a host buffer: device memory for copies, or,
 * if `mapped`, the host buffer itself.
 */
static inline void *device_side(void *host, size_t bytes, bool mapped)
{
	void *device = NULL;

	if (mapped) {
		CHECK(cudaHostGetDevicePointer(&device, host, 0));
	} else {
		CHECK(cudaMalloc(&device, bytes));
		CHECK(cudaMemset(device, 0, bytes));
	}
	return device;
}

/* The common part of the programs' jobs, which begin with it. */
struct job_base {
	struct options options;
	long chunks; /* streamed variants: one stream per chunk */
	cudaStream_t *stream;
	void *result; /* the host's results, cleared after the warm-up */
	size_t result_bytes;
};

/* Creates the streams of a job, one per chunk. */
static inline void create_streams(struct job_base *job, long chunks)
{
	job->chunks = chunks;
	job->stream =
	    (cudaStream_t *)calloc((size_t)chunks, sizeof(*job->stream));
	if (job->stream == NULL) {
		fprintf(stderr, "no memory for %ld streams\n", chunks);
		exit(2);
	}
	for (long i = 0; i < chunks; i++)
		CHECK(cudaStreamCreate(&job->stream[i]));
}

static inline void destroy_streams(struct job_base *job)
{
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaStreamDestroy(job->stream[i]));
	free(job->stream);
	job->stream = NULL;
	job->chunks = 0;
}

#endif
