/* SPDX-License-Identifier: MIT */
/*
 * Prefetch: a round goes through layers, whose weights stay on the host. Each
 * is copied in and then used; the next copy waits for the kernel that uses the
 * same buffer. With prefetch there are two buffers and two streams.
 */
#include "pattern.h"

#define LAYERS 8

__global__ void layer_kernel(const unsigned *weights, unsigned *state,
			     size_t count, struct step step, int work,
			     bool is_first)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		state[i] = take_steps(weights[i] ^ (is_first ? 0 : state[i]),
				      step, work);
}

struct job : arrays { /* in: the weights of all layers */
	unsigned *buffer[2];
	cudaStream_t copies, kernels;
	cudaEvent_t copied[2], used[2];
};

static void copy_layer(const struct job *job, int layer, unsigned *buffer,
		       cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(buffer, job->in + layer * job->count, job->bytes,
			      cudaMemcpyHostToDevice, stream));
}

static void use_layer(const struct job *job, int layer, const unsigned *buffer,
		      cudaStream_t stream)
{
	layer_kernel<<<blocks_of(job->count), THREADS, 0, stream>>>(
	    buffer, job->kernel_out, job->count, one_step, job->work,
	    layer == 0);
	CHECK(cudaGetLastError());
}

static void issue_in_turn(const struct job *job, cudaStream_t stream)
{
	for (int layer = 0; layer < LAYERS; layer++) {
		copy_layer(job, layer, job->buffer[0], stream);
		use_layer(job, layer, job->buffer[0], stream);
	}
	copy_out(job, {0, job->count}, stream);
}

static void issue_prefetched(const struct job *job)
{
	for (int layer = 0; layer < LAYERS; layer++) {
		const int b = layer % 2;

		if (layer >= 2)
			CHECK(
			    cudaStreamWaitEvent(job->copies, job->used[b], 0));
		copy_layer(job, layer, job->buffer[b], job->copies);
		CHECK(cudaEventRecord(job->copied[b], job->copies));
		CHECK(cudaStreamWaitEvent(job->kernels, job->copied[b], 0));
		use_layer(job, layer, job->buffer[b], job->kernels);
		CHECK(cudaEventRecord(job->used[b], job->kernels));
	}
	copy_out(job, {0, job->count}, job->kernels);
}

static void round_serial(const struct job *job)
{
	if (job->options.variant == PREFETCH)
		issue_prefetched(job);
	else
		issue_in_turn(job, job->kernels);
	CHECK(cudaStreamSynchronize(job->kernels));
}

static void issue(const struct job *job) /* double-buffer */
{
	issue_in_turn(job, job->stream[0]);
}

static void set_up(struct job *job)
{
	arrays_set_up_host(job);
	host_free(memory_of(job), job->in, job->bytes);
	job->in = host_array(job, LAYERS * job->count, true);
	job->kernel_out = kernel_array(job->out, job->count, false);
	CHECK(cudaStreamCreate(&job->copies));
	CHECK(cudaStreamCreate(&job->kernels));
	for (int b = 0; b < 2; b++) {
		CHECK(cudaMalloc(&job->buffer[b], job->bytes));
		CHECK(cudaEventCreateWithFlags(&job->copied[b],
					       cudaEventDisableTiming));
		CHECK(cudaEventCreateWithFlags(&job->used[b],
					       cudaEventDisableTiming));
	}
}

static void tear_down(struct job *job)
{
	for (int b = 0; b < 2; b++) {
		CHECK(cudaFree(job->buffer[b]));
		CHECK(cudaEventDestroy(job->copied[b]));
		CHECK(cudaEventDestroy(job->used[b]));
	}
	CHECK(cudaStreamDestroy(job->copies));
	CHECK(cudaStreamDestroy(job->kernels));
	CHECK(cudaFree(job->kernel_out));
	host_free(memory_of(job), job->in, LAYERS * job->bytes);
	host_free(memory_of(job), job->out, job->bytes);
	destroy_streams(job);
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work);

	for (size_t i = 0; i < job->count; i++) {
		unsigned x = 0;

		for (int layer = 0; layer < LAYERS; layer++)
			x = take_steps(job->in[layer * job->count + i] ^ x, all,
				       1);
		if (job->out[i] != x)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, NULL, NULL, NULL, NULL,
		    is_right, issue
	};
	struct job job = {};

	job.baseline = PINNED;
	job.options.n = 8 << 20;
	job.work = 1000;
	return run_pattern(argc, argv, "layers", &job,
			   OFFERS(PREFETCH) | OFFERS(DOUBLE_BUFFER), &program);
}
