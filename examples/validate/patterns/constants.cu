/* SPDX-License-Identifier: MIT */
/*
 * Residency: each round copies weights in, which never change, beside an input
 * that does, and copies a result out.
 */
#include "pattern.h"

#define WARP 32
#define ROWS 8 /* weights of each int of the input */

/* The weights of a warp's ints are beside each other. */
__global__ void weigh_kernel(const unsigned *weights, const unsigned *in,
			     unsigned *out, size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	size_t at = i / WARP * WARP * ROWS + i % WARP;
	unsigned sum;

	if (i >= count)
		return;
	sum = in[i];
	for (int row = 0; row < ROWS; row++)
		sum = sum * 3 + weights[at + row * WARP];
	out[i] = sum;
}

struct job : arrays {
	unsigned *weights, *kernel_weights;
};

/* The weights of a number of ints, in whole warps. */
static size_t weights_of(size_t count)
{
	return (count + WARP - 1) / WARP * WARP * ROWS;
}

static void copy_weights(const struct job *job, struct piece p,
			 cudaStream_t stream)
{
	size_t first = p.first * ROWS;

	CHECK(cudaMemcpyAsync(job->kernel_weights + first, job->weights + first,
			      weights_of(p.count) * sizeof(unsigned),
			      cudaMemcpyHostToDevice, stream));
}

static void launch(const struct job *job, struct piece p, cudaStream_t stream)
{
	weigh_kernel<<<blocks_of(p.count), THREADS, 0, stream>>>(
	    job->kernel_weights + p.first * ROWS, job->kernel_in + p.first,
	    job->kernel_out + p.first, p.count);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	job->in[0]++; /* the next input */
	if (job->options.variant != RESIDENT)
		CHECK(cudaMemcpy(job->kernel_weights, job->weights,
				 weights_of(job->count) * sizeof(unsigned),
				 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, {0, job->count}, 0);
	CHECK(cudaMemcpy(job->out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	job->in[0]++;
	launch(job, {0, job->count}, 0);
	CHECK(cudaDeviceSynchronize());
}

static void chunk_in(const struct job *job, long i)
{
	struct piece p = chunk_of(job, i);

	if (i == 0)
		job->in[0]++;
	copy_weights(job, p, job->stream[i]);
	copy_in(job, p, job->stream[i]);
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, chunk_of(job, i), job->stream[i]);
}

static void set_up(struct job *job)
{
	size_t count = weights_of(job->count);

	arrays_set_up(job);
	job->weights = host_array(job, count, true);
	job->kernel_weights =
	    kernel_array(job->weights, count, reads_mapped(job));
	if (job->options.variant == RESIDENT)
		copy_weights(job, {0, job->count}, 0);
}

static void tear_down(struct job *job)
{
	if (!reads_mapped(job))
		CHECK(cudaFree(job->kernel_weights));
	host_free(memory_of(job), job->weights,
		  weights_of(job->count) * sizeof(unsigned));
	arrays_tear_down(job);
}

static bool is_right(const struct job *job)
{
	for (size_t i = 0; i < job->count; i++) {
		size_t at = i / WARP * WARP * ROWS + i % WARP;
		unsigned sum = job->in[i];

		for (int row = 0; row < ROWS; row++)
			sum = sum * 3 + job->weights[at + row * WARP];
		if (job->out[i] != sum)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, arrays_out, NULL, is_right
	};
	struct job job = {};

	job.baseline = PAGEABLE;
	job.options.n = 4 << 20;
	return run_pattern(argc, argv, "constants", &job,
			   OFFERS(PINNED) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER) | OFFERS(RESIDENT),
			   &program);
}
