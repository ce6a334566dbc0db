/* SPDX-License-Identifier: MIT */
/*
 * Allocation in rounds: each round pins host memory for its copies, moves the
 * application's data through it, and frees it again.
 */
#include "pattern.h"

struct job : arrays {
	mutable unsigned *pinned_in, *pinned_out;
};

static void allocate(const struct job *job)
{
	CHECK(cudaMallocHost(&job->pinned_in, job->bytes));
	CHECK(cudaMallocHost(&job->pinned_out, job->bytes));
}

static void release(const struct job *job)
{
	CHECK(cudaFreeHost(job->pinned_in));
	CHECK(cudaFreeHost(job->pinned_out));
}

static bool allocates(const struct job *job)
{
	return job->options.variant == PINNED ||
	       job->options.variant == STREAMS;
}

static void begin(const struct job *job)
{
	if (allocates(job))
		allocate(job);
	memcpy(job->pinned_in, job->in, job->bytes);
}

static void finish(const struct job *job)
{
	memcpy(job->out, job->pinned_out, job->bytes);
	if (allocates(job))
		release(job);
}

static void round_serial(const struct job *job)
{
	begin(job);
	CHECK(cudaMemcpy(job->kernel_in, job->pinned_in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch_steps(job, {0, job->count}, 0);
	CHECK(cudaMemcpy(job->pinned_out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void chunk_in(const struct job *job, long i)
{
	struct piece p = chunk_of(job, i);

	if (i == 0)
		begin(job);
	CHECK(cudaMemcpyAsync(job->kernel_in + p.first,
			      job->pinned_in + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void chunk_out(const struct job *job, long i)
{
	struct piece p = chunk_of(job, i);

	CHECK(cudaMemcpyAsync(job->pinned_out + p.first,
			      job->kernel_out + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

static void set_up(struct job *job)
{
	arrays_set_up(job);
	if (!allocates(job))
		allocate(job);
}

static void tear_down(struct job *job)
{
	if (!allocates(job))
		release(job);
	arrays_tear_down(job);
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, chunk_in, arrays_compute,
		    chunk_out, finish, arrays_are_right
	};
	struct job job = {};

	job.baseline = PINNED;
	job.options.n = 16 << 20;
	job.work = 100;
	return run_pattern(
	    argc, argv, "fresh_pinned", &job,
	    OFFERS(REUSE) | OFFERS(STREAMS) | OFFERS(DOUBLE_BUFFER), &program);
}
