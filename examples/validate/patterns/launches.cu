/* SPDX-License-Identifier: MIT */
/*
 * Launch-bound: a round has many short kernels, each of which needs the result
 * of the one before, between two small copies. The host's calls take longer
 * than the GPU's work.
 */
#include "pattern.h"

#define KERNELS 60

struct job : arrays {
	cudaStream_t captured;
	cudaGraphExec_t graph;
};

static void launch_all(const struct job *job, struct piece p,
		       cudaStream_t stream)
{
	unsigned *data = job->kernel_out + p.first;

	launch_steps(job, p, stream);
	for (int i = 1; i < KERNELS; i++) {
		steps_kernel<<<blocks_of(p.count), THREADS, 0, stream>>>(
		    data, data, p.count, one_step, job->work);
		CHECK(cudaGetLastError());
	}
}

static void issue_round(const struct job *job)
{
	const struct piece all = {0, job->count};

	copy_in(job, all, job->captured);
	launch_all(job, all, job->captured);
	copy_out(job, all, job->captured);
}

static void chunk_compute(const struct job *job, long i)
{
	launch_all(job, chunk_of(job, i), job->stream[i]);
}

static void round_serial(const struct job *job)
{
	if (job->options.variant == GRAPH)
		CHECK(cudaGraphLaunch(job->graph, job->captured));
	else
		issue_round(job);
	CHECK(cudaStreamSynchronize(job->captured));
}

static void capture(struct job *job)
{
	cudaGraph_t graph;

	CHECK(
	    cudaStreamBeginCapture(job->captured, cudaStreamCaptureModeGlobal));
	issue_round(job);
	CHECK(cudaStreamEndCapture(job->captured, &graph));
	CHECK(cudaGraphInstantiate(&job->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static void set_up(struct job *job)
{
	arrays_set_up(job);
	CHECK(cudaStreamCreate(&job->captured));
	if (job->options.variant == GRAPH)
		capture(job);
}

static void tear_down(struct job *job)
{
	if (job->options.variant == GRAPH)
		CHECK(cudaGraphExecDestroy(job->graph));
	CHECK(cudaStreamDestroy(job->captured));
	arrays_tear_down(job);
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work * KERNELS);

	for (size_t i = 0; i < job->count; i++)
		if (job->out[i] != take_steps(job->in[i], all, 1))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, arrays_in, chunk_compute,
		    arrays_out, NULL, is_right
	};
	struct job job = {};

	job.baseline = PINNED;
	job.options.n = 64 << 10;
	job.work = 10;
	return run_pattern(
	    argc, argv, "launches", &job,
	    OFFERS(GRAPH) | OFFERS(STREAMS) | OFFERS(DOUBLE_BUFFER), &program);
}
