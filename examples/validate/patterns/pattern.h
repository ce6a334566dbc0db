/* SPDX-License-Identifier: MIT */
/*
 * What most programs of this folder share: an array of ints in, one out, and a
 * kernel that takes steps with each int. A program adds its pattern.
 */
#ifndef XS_EXAMPLES_PATTERN_H
#define XS_EXAMPLES_PATTERN_H

#include "../../measure.h"
#include "../arguments.h"
#include "../steps.h"

#define THREADS		256
#define OFFERS(variant) (1u << (variant))

struct arrays : job_base {
	enum variant baseline;
	int work;
	size_t count, bytes; /* of each array */
	unsigned *in, *out;  /* the host's */
	/* What the kernel uses; some programs allocate or swap it in rounds. */
	mutable unsigned *kernel_in, *kernel_out;
};

__global__ void steps_kernel(const unsigned *in, unsigned *out, size_t count,
			     struct step step, int work)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = take_steps(in[i], step, work);
}

static inline unsigned blocks_of(size_t threads)
{
	return (unsigned)((threads + THREADS - 1) / THREADS);
}

/* Part of the arrays, in whole warps. */
struct piece {
	size_t first, count;
};

static inline struct piece piece_of(const struct arrays *job, long i,
				    long pieces)
{
	const size_t warp = 32, warps = (job->count + warp - 1) / warp;
	size_t first = warps * i / pieces * warp;
	size_t end = warps * (i + 1) / pieces * warp;

	end = end < job->count ? end : job->count;
	return {first, end - first};
}

static inline struct piece chunk_of(const struct arrays *job, long i)
{
	return piece_of(job, i, job->chunks > 0 ? job->chunks : 1);
}

/* The chunks of a variant with streams: no more than there are warps. */
static inline long chunks_of(const struct arrays *job)
{
	const long warps = (long)(job->count + 31) / 32;
	const long streams = job->options.streams;

	if (job->options.variant == DOUBLE_BUFFER)
		return 1;
	return streams < warps ? streams : warps;
}

/* The host memory of a variant: that of the baseline, unless the strategy asks
 * for another. */
static inline enum variant memory_of(const struct arrays *job)
{
	enum variant variant = job->options.variant;

	switch (variant) {
	case REUSE:
	case RESIDENT:
	case RESIDENT_THROUGHOUT:
		return job->baseline;
	case BATCH:
	case PREFETCH:
	case ASYNC:
	case GRAPH:
		return PINNED;
	default:
		return variant;
	}
}

static inline bool reads_mapped(const struct arrays *job)
{
	return job->options.variant == MAPPED;
}

static inline bool writes_mapped(const struct arrays *job)
{
	return job->options.variant == MAPPED || job->options.variant == HYBRID;
}

/* Host memory, filled with numbers if `fills`, otherwise with 0. */
static inline unsigned *host_array(const struct arrays *job, size_t count,
				   bool fills)
{
	unsigned *array =
	    (unsigned *)host_alloc(memory_of(job), count * sizeof(unsigned));

	for (size_t i = 0; i < count; i++)
		array[i] = fills ? (unsigned)i * 2654435761u : 0;
	return array;
}

/* What the kernel uses for it: the host's memory, if mapped. Device memory is
 * not set: that would be a round of the trace. */
static inline unsigned *kernel_array(unsigned *host, size_t count, bool mapped)
{
	void *array = NULL;

	if (mapped)
		CHECK(cudaHostGetDevicePointer(&array, host, 0));
	else
		CHECK(cudaMalloc(&array, count * sizeof(unsigned)));
	return (unsigned *)array;
}

/* Creates the host's arrays and the streams. */
template <class Job> static void arrays_set_up_host(Job *job)
{
	job->in = host_array(job, job->count, true);
	job->out = host_array(job, job->count, false);
	job->result = job->out;
	job->result_bytes = job->bytes;
	if (uses_streams(job->options.variant))
		create_streams(job, chunks_of(job));
}

template <class Job> static void arrays_set_up(Job *job)
{
	arrays_set_up_host(job);
	job->kernel_in = kernel_array(job->in, job->count, reads_mapped(job));
	job->kernel_out =
	    kernel_array(job->out, job->count, writes_mapped(job));
}

template <class Job> static void arrays_tear_down_host(Job *job)
{
	destroy_streams(job);
	host_free(memory_of(job), job->in, job->bytes);
	host_free(memory_of(job), job->out, job->bytes);
}

template <class Job> static void arrays_tear_down(Job *job)
{
	if (!reads_mapped(job))
		CHECK(cudaFree(job->kernel_in));
	if (!writes_mapped(job))
		CHECK(cudaFree(job->kernel_out));
	arrays_tear_down_host(job);
}

static inline void copy_in(const struct arrays *job, struct piece p,
			   cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(job->kernel_in + p.first, job->in + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyHostToDevice, stream));
}

static inline void copy_out(const struct arrays *job, struct piece p,
			    cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(job->out + p.first, job->kernel_out + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyDeviceToHost, stream));
}

static inline void launch_steps(const struct arrays *job, struct piece p,
				cudaStream_t stream)
{
	steps_kernel<<<blocks_of(p.count), THREADS, 0, stream>>>(
	    job->kernel_in + p.first, job->kernel_out + p.first, p.count,
	    one_step, job->work);
	CHECK(cudaGetLastError());
}

template <class Job> static void arrays_in(const Job *job, long i)
{
	copy_in(job, chunk_of(job, i), job->stream[i]);
}

template <class Job> static void arrays_compute(const Job *job, long i)
{
	launch_steps(job, chunk_of(job, i), job->stream[i]);
}

template <class Job> static void arrays_out(const Job *job, long i)
{
	if (job->options.variant != HYBRID)
		copy_out(job, chunk_of(job, i), job->stream[i]);
}

/* Blocking copies around one kernel. */
template <class Job> static void arrays_serial(const Job *job)
{
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch_steps(job, {0, job->count}, 0);
	CHECK(cudaMemcpy(job->out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

template <class Job> static void arrays_mapped(const Job *job)
{
	launch_steps(job, {0, job->count}, 0);
	CHECK(cudaDeviceSynchronize());
}

template <class Job> static bool arrays_are_right(const Job *job)
{
	const struct step all = all_steps(job->work);

	for (size_t i = 0; i < job->count; i++)
		if (job->out[i] != take_steps(job->in[i], all, 1))
			return false;
	return true;
}

/* Parses the options, with n bytes in each array, and measures. offered: the
 * variants besides the baseline. Returns the program's exit code. */
template <class Job>
static int run_pattern(int argc, char **argv, const char *name, Job *job,
		       unsigned offered, const struct program<Job> *program)
{
	struct choices choices;

	job->options.variant = job->baseline;
	job->options.offered = OFFERS(job->baseline) | offered;
	job->options.rounds = 20;
	job->options.streams = 4;
	parse_options(argc, argv, &job->options, &choices);
	if (job->options.n % (long)sizeof(unsigned) != 0) {
		fprintf(stderr, "--n: the bytes of an array of ints\n");
		return 1;
	}
	job->count = job->options.n / sizeof(unsigned);
	job->bytes = job->options.n;
	return measure_all(program, name, &choices, job);
}

#endif
