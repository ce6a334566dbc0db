/* SPDX-License-Identifier: MIT */
/*
 * c = a + b for n floats: each round copies a and b in, adds, and copies c
 * out. Every variant moves 2n floats in and n out.
 *
 *   ./vecadd --variant streams --n 10000000 --streams 8
 */
#include "measure.h"

__global__ void vecadd_kernel(const float *a, const float *b, float *c,
			      size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		c[i] = a[i] + b[i];
}

struct job : job_base {
	size_t bytes;			       /* of one vector */
	float *a, *b, *c;		       /* the host's */
	float *kernel_a, *kernel_b, *kernel_c; /* what the kernel uses */
	long chunk;			       /* elements of a chunk */
};

static void launch(const struct job *job, size_t first, size_t count,
		   cudaStream_t stream)
{
	const unsigned block = 256;
	unsigned grid = (unsigned)((count + block - 1) / block);

	vecadd_kernel<<<grid, block, 0, stream>>>(job->kernel_a + first,
						  job->kernel_b + first,
						  job->kernel_c + first, count);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_a, job->a, job->bytes,
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(job->kernel_b, job->b, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, 0, job->options.n, 0);
	CHECK(cudaMemcpy(job->c, job->kernel_c, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, 0, job->options.n, 0);
	CHECK(cudaDeviceSynchronize());
}

static size_t chunk_count(const struct job *job, long i)
{
	long left = job->options.n - i * job->chunk;

	return left < job->chunk ? left : job->chunk;
}

static void chunk_in(const struct job *job, long i)
{
	size_t at = i * job->chunk;
	size_t bytes = chunk_count(job, i) * sizeof(float);

	CHECK(cudaMemcpyAsync(job->kernel_a + at, job->a + at, bytes,
			      cudaMemcpyHostToDevice, job->stream[i]));
	CHECK(cudaMemcpyAsync(job->kernel_b + at, job->b + at, bytes,
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, i * job->chunk, chunk_count(job, i), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	size_t at = i * job->chunk;

	if (job->options.variant == HYBRID)
		return;
	CHECK(cudaMemcpyAsync(job->c + at, job->kernel_c + at,
			      chunk_count(job, i) * sizeof(float),
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	bool mapped = options->variant == MAPPED;

	job->bytes = (size_t)options->n * sizeof(float);
	job->a = (float *)host_alloc(options->variant, job->bytes);
	job->b = (float *)host_alloc(options->variant, job->bytes);
	job->c = (float *)host_alloc(options->variant, job->bytes);
	for (long i = 0; i < options->n; i++) {
		job->a[i] = (float)(i % 1009) + 1;
		job->b[i] = (float)(i % 4093) / 4;
	}
	if (options->touch)
		memset(job->c, 0, job->bytes);
	job->result = job->c;
	job->result_bytes = job->bytes;

	job->kernel_a = (float *)device_side(job->a, job->bytes, mapped);
	job->kernel_b = (float *)device_side(job->b, job->bytes, mapped);
	job->kernel_c = (float *)device_side(
	    job->c, job->bytes, mapped || options->variant == HYBRID);

	if (!uses_streams(options->variant))
		return;
	job->chunk = chunk_items(options, options->n);
	create_streams(job, (options->n + job->chunk - 1) / job->chunk);
}

static void tear_down(struct job *job)
{
	enum variant variant = job->options.variant;

	destroy_streams(job);
	if (variant != MAPPED) {
		CHECK(cudaFree(job->kernel_a));
		CHECK(cudaFree(job->kernel_b));
	}
	if (variant != MAPPED && variant != HYBRID)
		CHECK(cudaFree(job->kernel_c));
	host_free(variant, job->a, job->bytes);
	host_free(variant, job->b, job->bytes);
	host_free(variant, job->c, job->bytes);
}

static bool is_right(const struct job *job)
{
	for (long i = 0; i < job->options.n; i++)
		if (job->c[i] != job->a[i] + job->b[i])
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct job job = {};
	struct choices choices;

	job.options.n = 10000000;
	job.options.rounds = 20;
	job.options.streams = 8;
	job.options.touch = true;
	parse_options(argc, argv, &job.options, &choices);

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};

	return measure_all(&program, "vecadd", &choices, &job);
}
