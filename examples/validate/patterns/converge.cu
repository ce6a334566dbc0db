/* SPDX-License-Identifier: MIT */
/*
 * A convergence test: the data stays on the device, and after each iteration
 * the host reads 4 bytes, which say whether any number is still above a limit.
 */
#include "pattern.h"

#define LIMIT 16

__global__ void iterate_kernel(unsigned *data, size_t count, struct step step,
			       int work, unsigned *is_above)
{
	__shared__ unsigned any;
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		any = 0;
	__syncthreads();
	if (i < count) {
		unsigned x = take_steps(data[i], step, work);

		data[i] = x;
		if (x > LIMIT)
			any = 1;
	}
	__syncthreads();
	if (threadIdx.x == 0 && any != 0)
		*is_above = 1;
}

struct job : arrays { /* in: the start; out: the host's 4 bytes */
	cudaStream_t captured;
	cudaGraphExec_t graph;
	mutable int rounds, rounds_above;
};

static void launch(const struct job *job, cudaStream_t stream)
{
	iterate_kernel<<<blocks_of(job->count), THREADS, 0, stream>>>(
	    job->kernel_in, job->count, one_step, job->work, job->kernel_out);
	CHECK(cudaGetLastError());
}

static void issue_iteration(const struct job *job, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(job->kernel_out, 0, sizeof(unsigned), stream));
	launch(job, stream);
	CHECK(cudaMemcpyAsync(job->out, job->kernel_out, sizeof(unsigned),
			      cudaMemcpyDeviceToHost, stream));
}

static void round_serial(const struct job *job)
{
	if (job->options.variant == GRAPH)
		CHECK(cudaGraphLaunch(job->graph, job->captured));
	else
		issue_iteration(job, job->captured);
	CHECK(cudaStreamSynchronize(job->captured));
}

static void round_mapped(const struct job *job)
{
	*job->out = 0;
	launch(job, job->captured);
	CHECK(cudaStreamSynchronize(job->captured));
}

static void finish(const struct job *job)
{
	job->rounds++;
	job->rounds_above += *job->out != 0;
}

static void capture(struct job *job)
{
	cudaGraph_t graph;

	CHECK(
	    cudaStreamBeginCapture(job->captured, cudaStreamCaptureModeGlobal));
	issue_iteration(job, job->captured);
	CHECK(cudaStreamEndCapture(job->captured, &graph));
	CHECK(cudaGraphInstantiate(&job->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static void set_up(struct job *job)
{
	job->in = host_array(job, job->count, true);
	job->out = host_array(job, 1, false);
	job->kernel_in = kernel_array(job->in, job->count, false);
	job->kernel_out = kernel_array(job->out, 1, writes_mapped(job));
	job->result = job->out;
	job->result_bytes = sizeof(unsigned);
	job->rounds = job->rounds_above = 0;
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	CHECK(cudaStreamCreate(&job->captured));
	if (job->options.variant == GRAPH)
		capture(job);
}

static void tear_down(struct job *job)
{
	if (job->options.variant == GRAPH)
		CHECK(cudaGraphExecDestroy(job->graph));
	CHECK(cudaStreamDestroy(job->captured));
	CHECK(cudaFree(job->kernel_in));
	if (!writes_mapped(job))
		CHECK(cudaFree(job->kernel_out));
	host_free(memory_of(job), job->in, job->bytes);
	host_free(memory_of(job), job->out, sizeof(unsigned));
}

/* In each round some number was above the limit. */
static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work * job->rounds);
	unsigned *data = (unsigned *)malloc(job->bytes);
	bool right = data != NULL && job->rounds_above == job->rounds;

	if (right)
		CHECK(cudaMemcpy(data, job->kernel_in, job->bytes,
				 cudaMemcpyDeviceToHost));
	for (size_t i = 0; right && i < job->count; i++)
		right = data[i] == take_steps(job->in[i], all, 1);
	free(data);
	return right;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, NULL, NULL, NULL,
		    finish, is_right
	};
	struct job job = {};

	job.baseline = PAGEABLE;
	job.options.n = 16 << 20;
	job.work = 100;
	return run_pattern(argc, argv, "converge", &job,
			   OFFERS(PINNED) | OFFERS(MAPPED) | OFFERS(GRAPH),
			   &program);
}
