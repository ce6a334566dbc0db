/* SPDX-License-Identifier: MIT */
/*
 * Residency: each round copies a state in, advances it and copies it out, and
 * the host looks at its beginning. The next round begins with the same state.
 */
#include "pattern.h"

#define SEEN 4096 /* ints that the host looks at */

struct job : arrays {
	mutable long rounds;
	mutable unsigned seen;
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
	steps_kernel<<<blocks_of(job->count), THREADS>>>(
	    job->kernel_in, job->kernel_in, job->count, one_step, job->work);
	CHECK(cudaGetLastError());
	job->rounds++;
	if (job->options.variant == RESIDENT_THROUGHOUT)
		return;
	CHECK(cudaMemcpy(job->in, job->kernel_in, job->bytes,
			 cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < SEEN && i < job->count; i++)
		job->seen += job->in[i];
}

static void set_up(struct job *job)
{
	job->in = host_array(job, job->count, true);
	job->kernel_in = kernel_array(job->in, job->count, false);
	job->result = job->in; /* the state: not cleared */
	job->result_bytes = 0;
	job->rounds = 0;
	if (is_resident(job))
		CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
				 cudaMemcpyHostToDevice));
}

static void tear_down(struct job *job)
{
	CHECK(cudaFree(job->kernel_in));
	host_free(memory_of(job), job->in, job->bytes);
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work * (int)job->rounds);

	if (job->options.variant == RESIDENT_THROUGHOUT)
		CHECK(cudaMemcpy(job->in, job->kernel_in, job->bytes,
				 cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < job->count; i++)
		if (job->in[i] != take_steps((unsigned)i * 2654435761u, all, 1))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, NULL, NULL, NULL, NULL,
		    is_right
	};
	struct job job = {};

	job.baseline = PINNED;
	job.options.n = 32 << 20;
	job.work = 200;
	return run_pattern(argc, argv, "carried", &job,
			   OFFERS(RESIDENT) | OFFERS(RESIDENT_THROUGHOUT),
			   &program);
}
