/* SPDX-License-Identifier: MIT */
/*
 * Host work between copies: each round prepares its input on the host, copies
 * it in, computes, copies out, and sums up the result on the host. With async
 * there are two sets of arrays, and the host works on one while the GPU works
 * on the other.
 */
#include "pattern.h"

struct job : arrays {
	unsigned *raw;
	mutable unsigned round, sum;
};

static long sets_of(const struct job *job)
{
	return job->options.variant == ASYNC ? 2 : 1;
}

static void prepare(const struct job *job, long set)
{
	unsigned *in = job->in + set * job->count;

	job->round++;
	for (size_t i = 0; i < job->count; i++)
		in[i] = job->raw[i] ^ job->round;
}

static void sum_up(const struct job *job, long set)
{
	const unsigned *out = job->out + set * job->count;

	for (size_t i = 0; i < job->count; i++)
		job->sum += out[i] >> 16;
}

static void round_async(const struct job *job)
{
	const long set = job->round % 2; /* was prepared in the round before */
	const struct piece all = {set * job->count, job->count};

	copy_in(job, all, 0);
	launch_steps(job, all, 0);
	copy_out(job, all, 0);
	sum_up(job, 1 - set);
	prepare(job, 1 - set);
	CHECK(cudaStreamSynchronize(0));
}

static void round_serial(const struct job *job)
{
	const struct piece all = {0, job->count};

	if (job->options.variant == ASYNC) {
		round_async(job);
		return;
	}
	prepare(job, 0);
	copy_in(job, all, 0);
	launch_steps(job, all, 0);
	copy_out(job, all, 0);
	CHECK(cudaStreamSynchronize(0));
	sum_up(job, 0);
}

static void chunk_in(const struct job *job, long i)
{
	if (i == 0)
		prepare(job, 0);
	arrays_in(job, i);
}

static void finish(const struct job *job)
{
	if (uses_streams(job->options.variant))
		sum_up(job, 0);
}

static void set_up(struct job *job)
{
	const long sets = sets_of(job);
	struct arrays all = *job;

	all.count *= sets;
	all.bytes *= sets;
	arrays_set_up(&all);
	(struct arrays &)*job = all;
	job->count /= sets;
	job->bytes /= sets;
	job->raw = (unsigned *)malloc(job->bytes);
	if (job->raw == NULL)
		exit(2);
	memcpy(job->raw, job->in, job->bytes);
	job->round = 0;
	if (sets == 2)
		prepare(job, 1); /* the first round's */
}

static void tear_down(struct job *job)
{
	free(job->raw);
	job->bytes *= sets_of(job);
	arrays_tear_down(job);
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work);
	/* with async, the last round's input was prepared before this one's */
	const unsigned round = job->round - (sets_of(job) - 1);
	const unsigned *out = job->out;

	if (sets_of(job) == 2)
		out += round % 2 * job->count;
	for (size_t i = 0; i < job->count; i++)
		if (out[i] != take_steps(job->raw[i] ^ round, all, 1))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, chunk_in, arrays_compute,
		    arrays_out, finish, is_right
	};
	struct job job = {};

	job.baseline = PINNED;
	job.options.n = 8 << 20;
	job.work = 1000;
	return run_pattern(
	    argc, argv, "host_between", &job,
	    OFFERS(ASYNC) | OFFERS(STREAMS) | OFFERS(DOUBLE_BUFFER), &program);
}
