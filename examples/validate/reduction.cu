/* SPDX-License-Identifier: MIT */
/*
 * The sum of n ints: each round copies them in, every block of the kernel
 * leaves the sum of its part, and those partial sums, one for each BLOCK_ITEMS
 * ints, are copied out and added by the host. All that matters goes in.
 *
 *   ./reduction --variant streams --n 67108864 --streams 8
 */
#include "../measure.h"

#define THREADS	    256
#define BLOCK_ITEMS (16 * THREADS)

__global__ void reduction_kernel(const int *in, int *partial, size_t count)
{
	__shared__ int sum[THREADS];
	size_t first = (size_t)blockIdx.x * BLOCK_ITEMS;
	int own = 0;

	for (int i = threadIdx.x; i < BLOCK_ITEMS; i += THREADS)
		if (first + i < count)
			own += in[first + i];
	sum[threadIdx.x] = own;
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (threadIdx.x < half)
			sum[threadIdx.x] += sum[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		partial[blockIdx.x] = sum[0];
}

struct job : job_base {
	size_t bytes, partial_bytes;
	long blocks;	     /* as many partial sums */
	int *in, *partial;   /* the host's */
	int *kernel_in;	     /* what the kernel reads and writes: the */
	int *kernel_partial; /* device's, or the host's where mapped */
	long chunk;	     /* blocks of a chunk */
	long long *sum;
};

/* Blocks first to first + count - 1. */
static void launch(const struct job *job, long first, long count,
		   cudaStream_t stream)
{
	size_t at = (size_t)first * BLOCK_ITEMS;

	reduction_kernel<<<(unsigned)count, THREADS, 0, stream>>>(
	    job->kernel_in + at, job->kernel_partial + first,
	    job->options.n - at);
	CHECK(cudaGetLastError());
}

/* The host's part of a round. */
static void add_up(const struct job *job)
{
	long long sum = 0;

	for (long i = 0; i < job->blocks; i++)
		sum += job->partial[i];
	*job->sum = sum;
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, 0, job->blocks, 0);
	CHECK(cudaMemcpy(job->partial, job->kernel_partial, job->partial_bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, 0, job->blocks, 0);
	CHECK(cudaDeviceSynchronize());
}

static long chunk_blocks(const struct job *job, long i, long *first)
{
	*first = i * job->chunk;
	return job->chunk < job->blocks - *first ? job->chunk
						 : job->blocks - *first;
}

static void chunk_in(const struct job *job, long i)
{
	long first, blocks = chunk_blocks(job, i, &first);
	size_t at = (size_t)first * BLOCK_ITEMS;
	size_t left = job->options.n - at;
	size_t count = (size_t)blocks * BLOCK_ITEMS;

	CHECK(cudaMemcpyAsync(job->kernel_in + at, job->in + at,
			      (count < left ? count : left) * sizeof(int),
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void chunk_compute(const struct job *job, long i)
{
	long first, blocks = chunk_blocks(job, i, &first);

	launch(job, first, blocks, job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	long first, blocks = chunk_blocks(job, i, &first);

	if (job->options.variant == HYBRID)
		return;
	CHECK(cudaMemcpyAsync(job->partial + first, job->kernel_partial + first,
			      blocks * sizeof(int), cudaMemcpyDeviceToHost,
			      job->stream[i]));
}

/* Small enough that the sum of a block fits an int. */
static int item(size_t i)
{
	return (int)((unsigned)i * 2654435761u >> 16) - 30000;
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	bool mapped = options->variant == MAPPED;

	job->blocks = (options->n + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
	job->bytes = (size_t)options->n * sizeof(int);
	job->partial_bytes = (size_t)job->blocks * sizeof(int);
	job->in = (int *)host_alloc(options->variant, job->bytes);
	job->partial = (int *)host_alloc(options->variant, job->partial_bytes);
	for (long i = 0; i < options->n; i++)
		job->in[i] = item(i);
	if (options->touch)
		memset(job->partial, 0, job->partial_bytes);
	job->result = job->partial;
	job->result_bytes = job->partial_bytes;

	job->kernel_in = (int *)device_side(job->in, job->bytes, mapped);
	job->kernel_partial =
	    (int *)device_side(job->partial, job->partial_bytes,
			       mapped || options->variant == HYBRID);

	if (!uses_streams(options->variant))
		return;
	job->chunk = chunk_items(options, job->blocks);
	create_streams(job, (job->blocks + job->chunk - 1) / job->chunk);
}

static void tear_down(struct job *job)
{
	enum variant variant = job->options.variant;

	destroy_streams(job);
	if (variant != MAPPED)
		CHECK(cudaFree(job->kernel_in));
	if (variant != MAPPED && variant != HYBRID)
		CHECK(cudaFree(job->kernel_partial));
	host_free(variant, job->in, job->bytes);
	host_free(variant, job->partial, job->partial_bytes);
}

/* The host's sum of the same numbers, generated again. */
static bool is_right(const struct job *job)
{
	static long long sum;
	static long summed;

	for (; summed < job->options.n; summed++)
		sum += item(summed);
	return *job->sum == sum;
}

int main(int argc, char **argv)
{
	struct job job = {};
	struct choices choices;
	long long sum = 0;

	job.options.n = 1 << 26;
	job.options.rounds = 10;
	job.options.streams = 8;
	job.options.touch = true;
	job.sum = &sum;
	parse_options(argc, argv, &job.options, &choices);

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, add_up, is_right
	};

	return measure_all(&program, "reduction", &choices, &job);
}
