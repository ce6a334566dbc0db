/* SPDX-License-Identifier: MIT */
/*
 * Mapped memory with bad access: records of three ints in, and of two ints out,
 * of which the kernel writes one. A warp's accesses are strided, and its writes
 * fill half of each sector.
 */
#include "pattern.h"

#define FIELDS_IN  3
#define FIELDS_OUT 2

__global__ void records_kernel(const unsigned *in, unsigned *out, size_t count,
			       struct step step, int work)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned *record = in + i * FIELDS_IN;

	if (i < count)
		out[i * FIELDS_OUT] =
		    take_steps(record[0] + record[1] + record[2], step, work);
}

static void launch(const struct arrays *job, struct piece p,
		   cudaStream_t stream)
{
	records_kernel<<<blocks_of(p.count), THREADS, 0, stream>>>(
	    job->kernel_in + p.first * FIELDS_IN,
	    job->kernel_out + p.first * FIELDS_OUT, p.count, one_step,
	    job->work);
	CHECK(cudaGetLastError());
}

static void records_in(const struct arrays *job, struct piece p,
		       cudaStream_t stream)
{
	copy_in(job, {p.first * FIELDS_IN, p.count * FIELDS_IN}, stream);
}

static void records_out(const struct arrays *job, struct piece p,
			cudaStream_t stream)
{
	copy_out(job, {p.first * FIELDS_OUT, p.count * FIELDS_OUT}, stream);
}

static void round_serial(const struct arrays *job)
{
	const struct piece all = {0, job->count};

	records_in(job, all, 0);
	launch(job, all, 0);
	records_out(job, all, 0);
	CHECK(cudaStreamSynchronize(0));
}

static void round_mapped(const struct arrays *job)
{
	launch(job, {0, job->count}, 0);
	CHECK(cudaDeviceSynchronize());
}

static void chunk_in(const struct arrays *job, long i)
{
	records_in(job, chunk_of(job, i), job->stream[i]);
}

static void chunk_compute(const struct arrays *job, long i)
{
	launch(job, chunk_of(job, i), job->stream[i]);
}

static void chunk_out(const struct arrays *job, long i)
{
	if (job->options.variant != HYBRID)
		records_out(job, chunk_of(job, i), job->stream[i]);
}

static void set_up(struct arrays *job)
{
	size_t in_count = job->count * FIELDS_IN;
	size_t out_count = job->count * FIELDS_OUT;

	job->in = host_array(job, in_count, true);
	job->out = host_array(job, out_count, false);
	job->kernel_in = kernel_array(job->in, in_count, reads_mapped(job));
	job->kernel_out = kernel_array(job->out, out_count, writes_mapped(job));
	job->result = job->out;
	job->result_bytes = job->bytes * FIELDS_OUT;
	if (uses_streams(job->options.variant))
		create_streams(job, chunks_of(job));
}

static void tear_down(struct arrays *job)
{
	if (!reads_mapped(job))
		CHECK(cudaFree(job->kernel_in));
	if (!writes_mapped(job))
		CHECK(cudaFree(job->kernel_out));
	host_free(memory_of(job), job->in, job->bytes * FIELDS_IN);
	host_free(memory_of(job), job->out, job->bytes * FIELDS_OUT);
	destroy_streams(job);
}

static bool is_right(const struct arrays *job)
{
	const struct step all = all_steps(job->work);

	for (size_t i = 0; i < job->count; i++) {
		const unsigned *record = job->in + i * FIELDS_IN;

		if (job->out[i * FIELDS_OUT] !=
		    take_steps(record[0] + record[1] + record[2], all, 1))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct arrays> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};
	struct arrays job = {};

	job.baseline = PINNED;
	job.options.n = 16 << 20;
	job.work = 50;
	return run_pattern(argc, argv, "strided", &job,
			   OFFERS(STREAMS) | OFFERS(MAPPED) | OFFERS(HYBRID) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}
