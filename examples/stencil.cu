/* SPDX-License-Identifier: MIT */
/*
 * A 7-point stencil on n^3 ints, after chapter 4 of Yellapragada's thesis
 * (2022): each round copies the grid in, computes every point but the halo,
 * and copies the grid out. Every variant moves n^3 ints each way.
 *
 *   ./stencil --variant streams --n 512 --chunk 32
 */
#include "measure.h"

#include <vector>

/* One thread computes a pencil along z, planes first to last - 1, and keeps
 * the three points of its pencil in registers as it goes. */
__global__ void stencil_kernel(const int *in, int *out, int n, int first,
			       int last)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
	int y = blockIdx.y * blockDim.y + threadIdx.y + 1;

	if (x >= n - 1 || y >= n - 1)
		return;

	size_t plane = (size_t)n * n;
	size_t at = first * plane + (size_t)y * n + x;
	int below = in[at - plane];
	int current = in[at];

	for (int z = first; z < last; z++) {
		int above = in[at + plane];

		out[at] = -6 * current + below + above + in[at - 1] +
			  in[at + 1] + in[at - n] + in[at + n];
		below = current;
		current = above;
		at += plane;
	}
}

struct job : job_base {
	size_t plane, bytes; /* points of a plane; bytes of the grid */
	int *in, *out;	     /* the host's */
	int *kernel_in;	     /* what the kernel reads: a device buffer, or */
	int *kernel_out;     /* the host's own memory where mapped */
	long chunk;	     /* planes of a chunk */
	cudaEvent_t *copied; /* all planes up to this chunk's have arrived */
};

static void launch(const struct job *job, long first, long last,
		   cudaStream_t stream)
{
	int n = (int)job->options.n;
	dim3 block(64, 4);
	dim3 grid((n - 2 + block.x - 1) / block.x,
		  (n - 2 + block.y - 1) / block.y);

	stencil_kernel<<<grid, block, 0, stream>>>(
	    job->kernel_in, job->kernel_out, n, (int)first, (int)last);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, 1, job->options.n - 1, 0);
	CHECK(cudaMemcpy(job->out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, 1, job->options.n - 1, 0);
	CHECK(cudaDeviceSynchronize());
}

/* The inner planes of chunk i: first to *last - 1. */
static long chunk_planes(const struct job *job, long i, long *last)
{
	long first = 1 + i * job->chunk;

	*last = first + job->chunk;
	if (*last > job->options.n - 1)
		*last = job->options.n - 1;
	return first;
}

/* Copies in the planes of chunk i that earlier chunks did not copy: its own and
 * the halo above, for the first chunk also the halo below. Chunk i + 1 needs
 * planes of chunk i, so each stream waits for the one before, and does so
 * before its own copy: a copy engine does not run the copies of many streams in
 * the order of issue, and chunks would wait for late ones. */
static void chunk_in(const struct job *job, long i)
{
	long last;
	long from = i == 0 ? 0 : chunk_planes(job, i, &last) + 1;

	chunk_planes(job, i, &last);
	size_t at = from * job->plane;
	size_t bytes = (last + 1 - from) * job->plane * sizeof(int);

	if (i > 0)
		CHECK(
		    cudaStreamWaitEvent(job->stream[i], job->copied[i - 1], 0));
	CHECK(cudaMemcpyAsync(job->kernel_in + at, job->in + at, bytes,
			      cudaMemcpyHostToDevice, job->stream[i]));
	CHECK(cudaEventRecord(job->copied[i], job->stream[i]));
}

static void chunk_compute(const struct job *job, long i)
{
	long last, first = chunk_planes(job, i, &last);

	launch(job, first, last, job->stream[i]);
}

/* Copies out the chunk's planes; the outermost chunks add the halo planes. */
static void chunk_out(const struct job *job, long i)
{
	long last, first = chunk_planes(job, i, &last);

	if (job->options.variant == HYBRID)
		return;
	if (i == 0)
		first = 0;
	if (i == job->chunks - 1)
		last = job->options.n;
	size_t at = first * job->plane;

	CHECK(cudaMemcpyAsync(job->out + at, job->kernel_out + at,
			      (last - first) * job->plane * sizeof(int),
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	long n = options->n;

	job->plane = (size_t)n * n;
	job->bytes = job->plane * n * sizeof(int);
	job->in = (int *)host_alloc(options->variant, job->bytes);
	job->out = (int *)host_alloc(options->variant, job->bytes);
	for (size_t i = 0; i < job->plane * n; i++)
		job->in[i] = (int)((unsigned)i * 2654435761u >> 12);
	if (options->touch)
		memset(job->out, 0, job->bytes);
	job->result = job->out;
	job->result_bytes = job->bytes;

	job->kernel_in =
	    (int *)device_side(job->in, job->bytes, options->variant == MAPPED);
	job->kernel_out = (int *)device_side(job->out, job->bytes,
					     options->variant == MAPPED ||
						 options->variant == HYBRID);

	if (!uses_streams(options->variant))
		return;
	job->chunk = chunk_items(options, n - 2);
	create_streams(job, (n - 2 + job->chunk - 1) / job->chunk);
	job->copied = (cudaEvent_t *)calloc(job->chunks, sizeof(*job->copied));
	if (job->copied == NULL) {
		fprintf(stderr, "no memory for %ld events\n", job->chunks);
		exit(2);
	}
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventCreateWithFlags(&job->copied[i],
					       cudaEventDisableTiming));
}

static void tear_down(struct job *job)
{
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventDestroy(job->copied[i]));
	free(job->copied);
	destroy_streams(job);
	if (job->options.variant != MAPPED)
		CHECK(cudaFree(job->kernel_in));
	if (job->options.variant != MAPPED && job->options.variant != HYBRID)
		CHECK(cudaFree(job->kernel_out));
	host_free(job->options.variant, job->in, job->bytes);
	host_free(job->options.variant, job->out, job->bytes);
}

/* The CPU's grid, made once: all configurations have the same input. Its halo
 * stays zero. */
static const int *reference(const struct job *job)
{
	static std::vector<int> grid;
	const long n = job->options.n;
	const long plane = (long)job->plane;

	if (!grid.empty())
		return grid.data();
	grid.resize(job->plane * n);
	for (long z = 1; z < n - 1; z++)
		for (long y = 1; y < n - 1; y++)
			for (long x = 1; x < n - 1; x++) {
				const long at = z * plane + y * n + x;
				const int *p = job->in + at;

				grid[at] = -6 * p[0] + p[-plane] + p[plane] +
					   p[-1] + p[1] + p[-n] + p[n];
			}
	return grid.data();
}

static bool is_right(const struct job *job)
{
	return memcmp(job->out, reference(job), job->bytes) == 0;
}

int main(int argc, char **argv)
{
	struct job job = {};
	struct choices choices;

	job.options.n = 512;
	job.options.rounds = 10;
	job.options.streams = 16;
	job.options.touch = true;
	parse_options(argc, argv, &job.options, &choices);
	if (job.options.n < 3 || job.options.n > 1290) {
		fprintf(stderr, "--n: between 3 and 1290 for a stencil\n");
		return 1;
	}

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};

	return measure_all(&program, "stencil", &choices, &job);
}
