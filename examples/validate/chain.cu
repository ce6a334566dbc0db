/* SPDX-License-Identifier: MIT */
/*
 * Three kernels in sequence: each round copies n bytes of ints in, the first
 * kernel takes one step with each int, the middle one `work` steps, the last
 * one a step again, and n bytes are copied out. --middle selects the output of
 * the middle kernel:
 *
 *   each  an int for each int, so that pieces are independent
 *   all   the sum of all ints, which the last kernel multiplies with: the
 *         middle kernel is launched once, after all pieces of the first
 *
 *   ./chain --variant streams --streams 16
 *   ./chain --middle all --work 2000 --variant streams --order breadth
 */
#include "../measure.h"
#include "arguments.h"
#include "steps.h"

#define THREADS 256

/* `sum`: what the middle kernel adds to, or NULL. */
__global__ void first_kernel(const unsigned *in, unsigned *out, size_t count,
			     struct step step, unsigned *sum)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i == 0 && sum != NULL)
		*sum = 0;
	if (i < count)
		out[i] = take_steps(in[i], step, 1);
}

__global__ void middle_kernel(unsigned *data, size_t count, struct step step,
			      int work)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		data[i] = take_steps(data[i], step, work);
}

__global__ void sum_kernel(const unsigned *in, unsigned *sum, size_t count,
			   struct step step, int work)
{
	__shared__ unsigned part[THREADS];
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = i < count ? take_steps(in[i], step, work) : 0;
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(sum, part[0]);
}

__global__ void last_kernel(const unsigned *in, unsigned *out, size_t count,
			    struct step step, const unsigned *sum)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (sum != NULL)
		step.factor = *sum;
	if (i < count)
		out[i] = take_steps(in[i], step, 1);
}

struct job : job_base {
	int work;
	bool needs_all;
	size_t count, bytes;
	unsigned *in, *out; /* the host's */
	/* Input, intermediate and output of the kernels. Except mapped memory,
	 * all are one block of device memory, so a round that does not wait for
	 * its own copy cannot find the results of the one before. */
	unsigned *kernel_in, *data, *kernel_out;
	unsigned *sum;	   /* the device's; NULL if nothing is summed up */
	cudaEvent_t *done; /* of each chunk, for the others */
};

struct piece {
	size_t first, count;
};

static struct piece piece_of(const struct job *job, long i, long pieces)
{
	size_t first = job->count * i / pieces;

	return {first, job->count * (i + 1) / pieces - first};
}

static unsigned grid_of(struct piece p)
{
	return (unsigned)((p.count + THREADS - 1) / THREADS);
}

static void launch_first(const struct job *job, struct piece p,
			 cudaStream_t stream)
{
	first_kernel<<<grid_of(p), THREADS, 0, stream>>>(
	    job->kernel_in + p.first, job->data + p.first, p.count, one_step,
	    p.first == 0 ? job->sum : NULL);
	CHECK(cudaGetLastError());
}

static void launch_middle(const struct job *job, struct piece p,
			  cudaStream_t stream)
{
	unsigned *data = job->data + p.first;

	if (job->needs_all)
		sum_kernel<<<grid_of(p), THREADS, 0, stream>>>(
		    data, job->sum, p.count, one_step, job->work);
	else
		middle_kernel<<<grid_of(p), THREADS, 0, stream>>>(
		    data, p.count, one_step, job->work);
	CHECK(cudaGetLastError());
}

static void launch_last(const struct job *job, struct piece p,
			cudaStream_t stream)
{
	last_kernel<<<grid_of(p), THREADS, 0, stream>>>(
	    job->data + p.first, job->kernel_out + p.first, p.count, one_step,
	    job->sum);
	CHECK(cudaGetLastError());
}

static void launch_all(const struct job *job)
{
	const struct piece all = piece_of(job, 0, 1);

	launch_first(job, all, 0);
	launch_middle(job, all, 0);
	launch_last(job, all, 0);
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch_all(job);
	CHECK(cudaMemcpy(job->out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch_all(job);
	CHECK(cudaDeviceSynchronize());
}

/* A step of a chunk, in this order. */
typedef void chunk_fn(const struct job *job, long i);

static void chunk_in(const struct job *job, long i)
{
	struct piece p = piece_of(job, i, job->chunks);

	CHECK(cudaMemcpyAsync(job->kernel_in + p.first, job->in + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void chunk_first(const struct job *job, long i)
{
	launch_first(job, piece_of(job, i, job->chunks), job->stream[i]);
}

static void chunk_middle(const struct job *job, long i)
{
	launch_middle(job, piece_of(job, i, job->chunks), job->stream[i]);
}

static void chunk_last(const struct job *job, long i)
{
	launch_last(job, piece_of(job, i, job->chunks), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	struct piece p = piece_of(job, i, job->chunks);

	if (job->options.variant == HYBRID)
		return;
	CHECK(cudaMemcpyAsync(job->out + p.first, job->kernel_out + p.first,
			      p.count * sizeof(unsigned),
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

/* Issues `count` steps of all chunks, in the requested order. */
static void issue_steps(const struct job *job, chunk_fn *const steps[],
			int count)
{
	const long all = job->chunks * count;

	for (long i = 0; i < all; i++)
		if (job->options.breadth)
			steps[i / job->chunks](job, i % job->chunks);
		else
			steps[i % count](job, i / count);
}

/* The first stream waits for all others. */
static void gather(const struct job *job)
{
	for (long i = 1; i < job->chunks; i++) {
		CHECK(cudaEventRecord(job->done[i], job->stream[i]));
		CHECK(cudaStreamWaitEvent(job->stream[0], job->done[i], 0));
	}
}

/* The others wait for it. */
static void scatter(const struct job *job)
{
	if (job->chunks > 1)
		CHECK(cudaEventRecord(job->done[0], job->stream[0]));
	for (long i = 1; i < job->chunks; i++)
		CHECK(cudaStreamWaitEvent(job->stream[i], job->done[0], 0));
}

static void issue(const struct job *job)
{
	static chunk_fn *const steps[] = {chunk_in, chunk_first, chunk_middle,
					  chunk_last, chunk_out};

	if (!job->needs_all) {
		issue_steps(job, steps, 5);
		return;
	}
	issue_steps(job, steps, 2);
	gather(job);
	launch_middle(job, piece_of(job, 0, 1), job->stream[0]);
	scatter(job);
	issue_steps(job, steps + 3, 2);
}

static void create_events(struct job *job)
{
	job->done = (cudaEvent_t *)calloc(job->chunks, sizeof(*job->done));
	if (job->done == NULL) {
		fprintf(stderr, "no memory for %ld events\n", job->chunks);
		exit(2);
	}
	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventCreateWithFlags(&job->done[i],
					       cudaEventDisableTiming));
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	const bool mapped = options->variant == MAPPED;

	job->in = (unsigned *)host_alloc(options->variant, job->bytes);
	job->out = (unsigned *)host_alloc(options->variant, job->bytes);
	for (size_t i = 0; i < job->count; i++)
		job->in[i] = (unsigned)i * 2654435761u;
	if (options->touch)
		memset(job->out, 0, job->bytes);
	job->result = job->out;
	job->result_bytes = job->bytes;

	job->kernel_in = (unsigned *)device_side(job->in, job->bytes, mapped);
	job->data = job->kernel_in;
	if (mapped)
		CHECK(cudaMalloc(&job->data, job->bytes));
	job->kernel_out = job->data;
	if (mapped || options->variant == HYBRID)
		job->kernel_out =
		    (unsigned *)device_side(job->out, job->bytes, true);
	if (job->needs_all)
		CHECK(cudaMalloc(&job->sum, sizeof(*job->sum)));

	if (!uses_streams(options->variant))
		return;
	long chunk = chunk_items(options, (long)job->count);

	create_streams(job, ((long)job->count + chunk - 1) / chunk);
	create_events(job);
}

static void tear_down(struct job *job)
{
	const enum variant variant = job->options.variant;

	for (long i = 0; i < job->chunks; i++)
		CHECK(cudaEventDestroy(job->done[i]));
	free(job->done);
	job->done = NULL;
	destroy_streams(job);
	CHECK(cudaFree(job->data));
	CHECK(cudaFree(job->sum));
	host_free(variant, job->in, job->bytes);
	host_free(variant, job->out, job->bytes);
}

/* The factor of the last kernel if the middle one sums up. */
static unsigned sum_of(const struct job *job)
{
	const struct step both = all_steps(1 + job->work);
	unsigned sum = 0;

	for (size_t i = 0; i < job->count; i++)
		sum += take_steps(job->in[i], both, 1);
	return sum;
}

static bool is_right(const struct job *job)
{
	const struct step before =
	    all_steps(job->needs_all ? 1 : 1 + job->work);
	struct step last = one_step;

	if (job->needs_all)
		last.factor = sum_of(job);
	for (size_t i = 0; i < job->count; i++)
		if (job->out[i] !=
		    take_steps(take_steps(job->in[i], before, 1), last, 1))
			return false;
	return true;
}

/* Returns whether --middle is "all"; exits if it is invalid. */
static bool parse_middle(const char *text)
{
	if (strcmp(text, "each") != 0 && strcmp(text, "all") != 0) {
		fprintf(stderr, "--middle: each or all, not '%s'\n", text);
		exit(1);
	}
	return strcmp(text, "all") == 0;
}

int main(int argc, char **argv)
{
	const char *work = take_argument(&argc, argv, "--work");
	const char *middle = take_argument(&argc, argv, "--middle");
	struct job job = {};
	struct choices choices;

	job.options.n = 16 << 20;
	job.options.rounds = 20;
	job.options.streams = 16;
	job.options.touch = true;
	parse_options(argc, argv, &job.options, &choices);
	/* takes as long as a copy, on an H200 */
	job.work = work != NULL ? (int)parse_count(work, "work") : 1000;
	job.needs_all = middle != NULL && parse_middle(middle);
	if (job.options.n % (long)sizeof(unsigned) != 0) {
		fprintf(stderr, "--n: the bytes of an array of ints\n");
		return 1;
	}
	job.bytes = job.options.n;
	job.count = job.bytes / sizeof(unsigned);

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, NULL, NULL, NULL,
		    NULL, is_right, issue
	};

	return measure_all(&program, job.needs_all ? "chain-all" : "chain",
			   &choices, &job);
}
