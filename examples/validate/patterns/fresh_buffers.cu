/* SPDX-License-Identifier: MIT */
/*
 * Allocation in rounds: each round allocates device memory, copies in,
 * computes, copies out and frees it again, as a function that keeps nothing
 * does.
 */
#include "pattern.h"

static bool allocates(const struct arrays *job)
{
	return job->options.variant == PINNED ||
	       job->options.variant == STREAMS;
}

static void allocate(const struct arrays *job)
{
	CHECK(cudaMalloc(&job->kernel_in, job->bytes));
	CHECK(cudaMalloc(&job->kernel_out, job->bytes));
}

static void release(const struct arrays *job)
{
	CHECK(cudaFree(job->kernel_in));
	CHECK(cudaFree(job->kernel_out));
}

static void round_serial(const struct arrays *job)
{
	if (allocates(job))
		allocate(job);
	arrays_serial(job);
}

static void chunk_in(const struct arrays *job, long i)
{
	if (allocates(job) && i == 0)
		allocate(job);
	arrays_in(job, i);
}

static void finish(const struct arrays *job)
{
	if (allocates(job))
		release(job);
}

static void set_up(struct arrays *job)
{
	if (allocates(job))
		arrays_set_up_host(job);
	else
		arrays_set_up(job);
}

static void tear_down(struct arrays *job)
{
	if (allocates(job))
		arrays_tear_down_host(job);
	else
		arrays_tear_down(job);
}

int main(int argc, char **argv)
{
	const struct program<struct arrays> program = {
		set_up, tear_down, round_serial, arrays_mapped, chunk_in,
		    arrays_compute, arrays_out, finish, arrays_are_right
	};
	struct arrays job = {};

	job.baseline = PINNED;
	job.options.n = 64 << 20;
	job.work = 100;
	return run_pattern(argc, argv, "fresh_buffers", &job,
			   OFFERS(REUSE) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}
