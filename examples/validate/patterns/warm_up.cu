/* SPDX-License-Identifier: MIT */
/*
 * Warm-up: the first rounds differ. Each of them allocates scratch memory and
 * tries the kernel in blocks of several sizes, as libraries do that tune
 * themselves.
 */
#include "pattern.h"

#define TUNING_ROUNDS 3

struct job : arrays {
	mutable long rounds;
	mutable unsigned *scratch[TUNING_ROUNDS];
};

static void tune(const struct job *job)
{
	const long round = job->rounds++;

	if (round >= TUNING_ROUNDS)
		return;
	CHECK(cudaMalloc(&job->scratch[round], job->bytes));
	for (unsigned threads = 64; threads <= 512; threads *= 2) {
		unsigned blocks =
		    (unsigned)((job->count + threads - 1) / threads);

		steps_kernel<<<blocks, threads>>>(
		    job->kernel_in, job->scratch[round], job->count, one_step,
		    job->work);
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize());
	}
}

static void round_serial(const struct job *job)
{
	tune(job);
	arrays_serial(job);
}

static void round_mapped(const struct job *job)
{
	tune(job);
	arrays_mapped(job);
}

static void chunk_in(const struct job *job, long i)
{
	if (i == 0)
		tune(job);
	arrays_in(job, i);
}

static void set_up(struct job *job)
{
	arrays_set_up(job);
	job->rounds = 0;
}

static void tear_down(struct job *job)
{
	for (int i = 0; i < TUNING_ROUNDS; i++) {
		CHECK(cudaFree(job->scratch[i]));
		job->scratch[i] = NULL;
	}
	arrays_tear_down(job);
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    arrays_compute, arrays_out, NULL, arrays_are_right
	};
	struct job job = {};

	job.baseline = PAGEABLE;
	job.options.n = 16 << 20;
	job.work = 200;
	return run_pattern(argc, argv, "warm_up", &job,
			   OFFERS(PINNED) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}
