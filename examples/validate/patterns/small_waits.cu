/* SPDX-License-Identifier: MIT */
/*
 * Small copies with waits: a round sets a few parameters, each by a copy that
 * the host waits for, and has a short kernel.
 */
#include "pattern.h"

#define PARAMETERS 24

static void round_serial(const struct arrays *job)
{
	const long copies = job->options.variant == BATCH ? 1 : PARAMETERS;

	for (long i = 0; i < copies; i++) {
		copy_in(job, piece_of(job, i, copies), 0);
		CHECK(cudaStreamSynchronize(0));
	}
	launch_steps(job, {0, job->count}, 0);
	copy_out(job, {0, job->count}, 0);
	CHECK(cudaStreamSynchronize(0));
}

int main(int argc, char **argv)
{
	const struct program<struct arrays> program = {
		arrays_set_up, arrays_tear_down, round_serial, arrays_mapped,
		    arrays_in, arrays_compute, arrays_out, NULL,
		    arrays_are_right
	};
	struct arrays job = {};

	job.baseline = PINNED;
	job.options.n = PARAMETERS * 2048;
	job.work = 100;
	return run_pattern(argc, argv, "small_waits", &job,
			   OFFERS(BATCH) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}
