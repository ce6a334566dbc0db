/* SPDX-License-Identifier: MIT */
/*
 * Shared by the programs with kernels of the ocean model POP: an ocean of n x n
 * columns with temperature and salinity, and its levels, divided over streams.
 * With these kernels, and one stream per level, van Werkhoven et al. evaluated
 * their models of transfers (CCGrid 2014).
 */
#ifndef XS_EXAMPLES_OCEAN_H
#define XS_EXAMPLES_OCEAN_H

#include "../measure.h"
#include "arguments.h"
#include "seawater.h"

#include <atomic>
#include <thread>
#include <vector>

#define THREADS	   256 /* of a block */
#define MAX_N	   16384
#define MAX_LEVELS 1024

/* Arrays begin with the surface, the level 0. */
struct ocean_job : job_base {
	int levels;
	size_t plane;			 /* points of a level */
	size_t bytes;			 /* of an array of all levels */
	double *theta, *s;		 /* the host's */
	double *kernel_theta, *kernel_s; /* what the kernel reads */
	long chunk;			 /* levels of a chunk */
};

/* Levels first to last - 1. */
struct range {
	long first, last;
};

static inline struct range all_levels(const struct ocean_job *job)
{
	return {0, job->levels};
}

static inline struct range chunk_levels(const struct ocean_job *job, long i)
{
	long last = (i + 1) * job->chunk;

	return {i * job->chunk, last < job->levels ? last : job->levels};
}

/* Copies those levels of an array, within `stream`. */
static inline void copy_levels(const struct ocean_job *job, double *to,
			       const double *from, struct range levels,
			       cudaMemcpyKind kind, cudaStream_t stream)
{
	size_t at = levels.first * job->plane;
	size_t count = (levels.last - levels.first) * job->plane;

	CHECK(cudaMemcpyAsync(to + at, from + at, count * sizeof(double), kind,
			      stream));
}

/* A thread a point: x of the grid goes over a level, y over levels. */
static inline dim3 ocean_grid(const struct ocean_job *job, struct range levels)
{
	return dim3((unsigned)((job->plane + THREADS - 1) / THREADS),
		    (unsigned)(levels.last - levels.first));
}

/* Calls work(k) for each level on all processors; returns if all are true. */
template <class Work> static bool all_of_levels(int levels, Work work)
{
	std::atomic<int> next(0);
	std::atomic<bool> all(true);
	std::vector<std::thread> threads;
	auto run = [&]() {
		for (int k; all && (k = next++) < levels;)
			if (!work(k))
				all = false;
	};

	for (int i = 1;
	     i < levels && i < (int)std::thread::hardware_concurrency(); i++)
		threads.emplace_back(run);
	run();
	for (std::thread &thread : threads)
		thread.join();
	return all;
}

/* Warm with varying salinity at the top, cold and uniform below. */
static inline void fill_level(const struct ocean_job *job, int k)
{
	const double up = 1 - (k + 0.5) / job->levels;
	const size_t first = k * job->plane;

	for (size_t i = first; i < first + job->plane; i++) {
		unsigned random = (unsigned)i * 2654435761u;

		job->theta[i] = 1 + 20 * up * up * up +
				4 * up * (double)(random >> 22) / 1024;
		job->s[i] =
		    34.7 + 2 * up * (double)(random >> 12 & 1023) / 1024;
	}
}

/* Allocates and fills the inputs, creates the streams. One thread touches all,
 * so that pageable memory is near it, as in the other programs. */
static inline void set_up_ocean(struct ocean_job *job)
{
	const struct options *options = &job->options;
	const bool mapped = options->variant == MAPPED;

	job->plane = (size_t)options->n * options->n;
	job->bytes = job->plane * job->levels * sizeof(double);
	job->theta = (double *)host_alloc(options->variant, job->bytes);
	job->s = (double *)host_alloc(options->variant, job->bytes);
	for (int k = 0; k < job->levels; k++)
		fill_level(job, k);
	job->kernel_theta =
	    (double *)device_side(job->theta, job->bytes, mapped);
	job->kernel_s = (double *)device_side(job->s, job->bytes, mapped);

	if (!uses_streams(options->variant))
		return;
	job->chunk = chunk_items(options, job->levels);
	create_streams(job, (job->levels + job->chunk - 1) / job->chunk);
}

static inline void tear_down_ocean(struct ocean_job *job)
{
	destroy_streams(job);
	if (job->options.variant != MAPPED) {
		CHECK(cudaFree(job->kernel_theta));
		CHECK(cudaFree(job->kernel_s));
	}
	host_free(job->options.variant, job->theta, job->bytes);
	host_free(job->options.variant, job->s, job->bytes);
}

/* Allocates the result; returns the kernel's output pointer. */
static inline double *set_up_result(struct ocean_job *job, size_t bytes)
{
	const struct options *options = &job->options;

	job->result = host_alloc(options->variant, bytes);
	job->result_bytes = bytes;
	if (options->touch)
		memset(job->result, 0, bytes);
	return (double *)device_side(job->result, bytes,
				     options->variant == MAPPED ||
					 options->variant == HYBRID);
}

static inline void tear_down_result(struct ocean_job *job, double *kernel_out)
{
	enum variant variant = job->options.variant;

	if (variant != MAPPED && variant != HYBRID)
		CHECK(cudaFree(kernel_out));
	host_free(variant, job->result, job->result_bytes);
}

/* Returns whether each value of a level is within `tolerance`; false for
 * NaN. */
static inline bool is_near(const double *values, const double *wanted,
			   size_t count, double tolerance)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabs(values[i] - wanted[i]) <= tolerance))
			return false;
	return true;
}

/* Parses all options into *job. Exits on wrong use. */
static inline void parse_ocean(int argc, char **argv, struct ocean_job *job,
			       struct choices *choices)
{
	const char *levels = take_argument(&argc, argv, "--levels");
	long count = levels != NULL ? parse_count(levels, "levels") : 42;

	job->options.n = 1024;
	job->options.rounds = 10;
	job->options.streams = 42; /* one a level, as in the paper */
	job->options.touch = true;
	parse_options(argc, argv, &job->options, choices);
	if (job->options.n > MAX_N || count > MAX_LEVELS) {
		fprintf(stderr, "--n: at most %d; --levels: at most %d\n",
			MAX_N, MAX_LEVELS);
		exit(1);
	}
	job->levels = (int)count;
}

#endif
