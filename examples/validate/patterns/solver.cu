/* SPDX-License-Identifier: MIT */
/*
 * Residency throughout: an iterative solver, each of whose iterations copies
 * the grid in, replaces each inner cell by the mean of its neighbours, and
 * copies the grid out.
 */
#include "pattern.h"

#define WIDTH 1024

__host__ __device__ static inline unsigned relaxed(const unsigned *in, size_t i,
						   size_t count)
{
	size_t x = i % WIDTH;

	if (x == 0 || x == WIDTH - 1 || i < WIDTH || i + WIDTH >= count)
		return in[i];
	return (in[i - 1] + in[i + 1] + in[i - WIDTH] + in[i + WIDTH]) / 4;
}

__global__ void relax_kernel(const unsigned *in, unsigned *out, size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = relaxed(in, i, count);
}

struct job : arrays {
	mutable long rounds;
};

static bool is_resident(const struct job *job)
{
	return job->options.variant == RESIDENT ||
	       job->options.variant == RESIDENT_THROUGHOUT;
}

static void round_serial(const struct job *job)
{
	if (!is_resident(job))
		CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
				 cudaMemcpyHostToDevice));
	relax_kernel<<<blocks_of(job->count), THREADS>>>(
	    job->kernel_in, job->kernel_out, job->count);
	CHECK(cudaGetLastError());
	job->rounds++;
	if (job->options.variant != RESIDENT_THROUGHOUT)
		CHECK(cudaMemcpy(job->in, job->kernel_out, job->bytes,
				 cudaMemcpyDeviceToHost));
	if (is_resident(job)) { /* the next iteration starts from it */
		unsigned *result = job->kernel_out;

		job->kernel_out = job->kernel_in;
		job->kernel_in = result;
	}
}

static void set_up(struct job *job)
{
	job->in = host_array(job, job->count, true);
	job->kernel_in = kernel_array(job->in, job->count, false);
	job->kernel_out = kernel_array(job->in, job->count, false);
	job->result = job->in; /* the next input: not cleared */
	job->result_bytes = 0;
	job->rounds = 0;
	if (is_resident(job))
		CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
				 cudaMemcpyHostToDevice));
}

static void tear_down(struct job *job)
{
	CHECK(cudaFree(job->kernel_in));
	CHECK(cudaFree(job->kernel_out));
	host_free(memory_of(job), job->in, job->bytes);
}

static bool is_right(const struct job *job)
{
	unsigned *grid = (unsigned *)malloc(2 * job->bytes);
	unsigned *next = grid + job->count, *other;
	bool right = grid != NULL;

	if (job->options.variant == RESIDENT_THROUGHOUT)
		CHECK(cudaMemcpy(job->in, job->kernel_in, job->bytes,
				 cudaMemcpyDeviceToHost));
	for (size_t i = 0; right && i < job->count; i++)
		grid[i] = (unsigned)i * 2654435761u;
	other = grid;
	for (long round = 0; right && round < job->rounds; round++) {
		unsigned *from = other;

		for (size_t i = 0; i < job->count; i++)
			next[i] = relaxed(from, i, job->count);
		other = next;
		next = from;
	}
	right = right && memcmp(other, job->in, job->bytes) == 0;
	free(grid);
	return right;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, NULL, NULL, NULL, NULL,
		    is_right
	};
	struct job job = {};

	job.baseline = PAGEABLE;
	job.options.n = 8 << 20;
	return run_pattern(argc, argv, "solver", &job,
			   OFFERS(PINNED) | OFFERS(RESIDENT) |
			       OFFERS(RESIDENT_THROUGHOUT),
			   &program);
}
