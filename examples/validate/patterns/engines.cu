/* SPDX-License-Identifier: MIT */
/*
 * Several copies a round: three arrays in and one out, in two pieces, with one
 * stream for all copies in, one for kernels and one for copies out, ordered by
 * events.
 */
#include "pattern.h"

#define INPUTS 3
#define PIECES 2

__global__ void sum_kernel(const unsigned *a, const unsigned *b,
			   const unsigned *c, unsigned *out, size_t count,
			   struct step step, int work)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = take_steps(a[i] + b[i] + c[i], step, work);
}

struct job : arrays {
	unsigned *host[INPUTS], *device[INPUTS];
	cudaStream_t in_stream, kernels, out_stream;
	cudaEvent_t arrived[PIECES], computed[PIECES];
};

static void copy_inputs(const struct job *job, struct piece p,
			cudaStream_t stream)
{
	for (int i = 0; i < INPUTS; i++)
		CHECK(cudaMemcpyAsync(job->device[i] + p.first,
				      job->host[i] + p.first,
				      p.count * sizeof(unsigned),
				      cudaMemcpyHostToDevice, stream));
}

static void launch(const struct job *job, struct piece p, cudaStream_t stream)
{
	sum_kernel<<<blocks_of(p.count), THREADS, 0, stream>>>(
	    job->device[0] + p.first, job->device[1] + p.first,
	    job->device[2] + p.first, job->kernel_out + p.first, p.count,
	    one_step, job->work);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	for (int i = 0; i < PIECES; i++) {
		struct piece p = piece_of(job, i, PIECES);

		copy_inputs(job, p, job->in_stream);
		CHECK(cudaEventRecord(job->arrived[i], job->in_stream));
		CHECK(cudaStreamWaitEvent(job->kernels, job->arrived[i], 0));
		launch(job, p, job->kernels);
		CHECK(cudaEventRecord(job->computed[i], job->kernels));
		CHECK(
		    cudaStreamWaitEvent(job->out_stream, job->computed[i], 0));
		copy_out(job, p, job->out_stream);
	}
	CHECK(cudaStreamSynchronize(job->out_stream));
}

static void round_mapped(const struct job *job)
{
	launch(job, {0, job->count}, 0);
	CHECK(cudaDeviceSynchronize());
}

static void chunk_in(const struct job *job, long i)
{
	copy_inputs(job, chunk_of(job, i), job->stream[i]);
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, chunk_of(job, i), job->stream[i]);
}

static void set_up(struct job *job)
{
	arrays_set_up(job);
	for (int i = 0; i < INPUTS; i++) {
		job->host[i] = host_array(job, job->count, true);
		job->device[i] =
		    kernel_array(job->host[i], job->count, reads_mapped(job));
	}
	CHECK(cudaStreamCreate(&job->in_stream));
	CHECK(cudaStreamCreate(&job->kernels));
	CHECK(cudaStreamCreate(&job->out_stream));
	for (int i = 0; i < PIECES; i++) {
		CHECK(cudaEventCreateWithFlags(&job->arrived[i],
					       cudaEventDisableTiming));
		CHECK(cudaEventCreateWithFlags(&job->computed[i],
					       cudaEventDisableTiming));
	}
}

static void tear_down(struct job *job)
{
	for (int i = 0; i < INPUTS; i++) {
		if (!reads_mapped(job))
			CHECK(cudaFree(job->device[i]));
		host_free(memory_of(job), job->host[i], job->bytes);
	}
	CHECK(cudaStreamDestroy(job->in_stream));
	CHECK(cudaStreamDestroy(job->kernels));
	CHECK(cudaStreamDestroy(job->out_stream));
	for (int i = 0; i < PIECES; i++) {
		CHECK(cudaEventDestroy(job->arrived[i]));
		CHECK(cudaEventDestroy(job->computed[i]));
	}
	arrays_tear_down(job);
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work);

	for (size_t i = 0; i < job->count; i++)
		if (job->out[i] != take_steps(INPUTS * job->in[i], all, 1))
			return false;
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
	job.options.n = 16 << 20;
	job.work = 500;
	return run_pattern(argc, argv, "engines", &job,
			   OFFERS(PINNED) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}
