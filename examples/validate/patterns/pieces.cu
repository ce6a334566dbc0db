/* SPDX-License-Identifier: MIT */
/*
 * Batching: the input is in pieces that are scattered in host memory, and each
 * is copied by a call of its own. --by: batch gathers them on the host, copies
 * them by one call, or has a kernel read them.
 *
 *   ./pieces --piece-kb 4 --n 2097152 --by host|call|kernel
 */
#include "pattern.h"

#include <vector>

#define GAP 1024 /* ints between two pieces */

struct job : arrays {
	size_t piece; /* ints */
	long pieces;
	unsigned *scattered;
	const char *by;
	cudaStream_t batch_stream; /* a batch of copies needs one */
};

static const unsigned *piece_at(const struct job *job, long i)
{
	return job->scattered + i * (job->piece + GAP);
}

static void gather(const struct job *job)
{
	for (long i = 0; i < job->pieces; i++)
		memcpy(job->in + i * job->piece, piece_at(job, i),
		       job->piece * sizeof(unsigned));
}

static void copy_batch(const struct job *job, cudaStream_t stream)
{
	const std::vector<size_t> bytes(job->pieces,
					job->piece * sizeof(unsigned));
	std::vector<const void *> from(job->pieces);
	std::vector<void *> to(job->pieces);
	cudaMemcpyAttributes attributes = {};

	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	for (long i = 0; i < job->pieces; i++) {
		from[i] = piece_at(job, i);
		to[i] = job->kernel_in + i * job->piece;
	}
	CHECK(cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(),
				   job->pieces, attributes, stream));
}

__global__ void gather_kernel(uint4 *to, const uint4 *scattered, size_t piece,
			      size_t gap, size_t count)
{
	const size_t threads = (size_t)gridDim.x * blockDim.x;
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < count; i += threads)
		to[i] = scattered[i / piece * (piece + gap) + i % piece];
}

/* Pinned memory has the same address on the device. */
static void read_pieces(const struct job *job, cudaStream_t stream)
{
	gather_kernel<<<512, THREADS, 0, stream>>>(
	    (uint4 *)job->kernel_in, (const uint4 *)job->scattered,
	    job->piece / 4, GAP / 4, job->count / 4);
	CHECK(cudaGetLastError());
}

static void batch_in(const struct job *job, struct piece all,
		     cudaStream_t stream)
{
	if (!strcmp(job->by, "call")) {
		copy_batch(job, stream);
	} else if (!strcmp(job->by, "kernel")) {
		read_pieces(job, stream);
	} else {
		gather(job);
		copy_in(job, all, stream);
	}
}

static void copy_pieces(const struct job *job, long first, long end,
			cudaStream_t stream)
{
	for (long i = first; i < end; i++)
		CHECK(cudaMemcpyAsync(job->kernel_in + i * job->piece,
				      piece_at(job, i),
				      job->piece * sizeof(unsigned),
				      cudaMemcpyHostToDevice, stream));
}

static void round_serial(const struct job *job)
{
	const struct piece all = {0, job->count};
	const cudaStream_t stream = job->batch_stream;

	if (job->options.variant == BATCH)
		batch_in(job, all, stream);
	else
		copy_pieces(job, 0, job->pieces, stream);
	launch_steps(job, all, stream);
	copy_out(job, all, stream);
	CHECK(cudaStreamSynchronize(stream));
}

/* A chunk has whole pieces. */
static struct piece pieces_of(const struct job *job, long i)
{
	size_t first = job->pieces * i / job->chunks;

	return {first, job->pieces * (i + 1) / job->chunks - first};
}

static struct piece ints_of(const struct job *job, long i)
{
	struct piece p = pieces_of(job, i);

	return {p.first * job->piece, p.count * job->piece};
}

static void chunk_in(const struct job *job, long i)
{
	struct piece p = pieces_of(job, i);

	copy_pieces(job, p.first, p.first + p.count, job->stream[i]);
}

static void chunk_compute(const struct job *job, long i)
{
	launch_steps(job, ints_of(job, i), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	copy_out(job, ints_of(job, i), job->stream[i]);
}

static size_t scattered_count(const struct job *job)
{
	return job->pieces * (job->piece + GAP);
}

static void set_up(struct job *job)
{
	job->pieces = (long)(job->count / job->piece);
	job->count = job->pieces * job->piece;
	job->bytes = job->count * sizeof(unsigned);
	arrays_set_up(job);
	job->scattered = host_array(job, scattered_count(job), true);
	if (!strcmp(job->by, "call"))
		CHECK(cudaStreamCreate(&job->batch_stream));
}

static void tear_down(struct job *job)
{
	if (job->batch_stream)
		CHECK(cudaStreamDestroy(job->batch_stream));
	job->batch_stream = 0;
	host_free(memory_of(job), job->scattered,
		  scattered_count(job) * sizeof(unsigned));
	arrays_tear_down(job);
}

static bool is_right(const struct job *job)
{
	gather(job);
	return arrays_are_right(job);
}

int main(int argc, char **argv)
{
	const char *kb = take_argument(&argc, argv, "--piece-kb");
	const char *by = take_argument(&argc, argv, "--by");
	const struct program<struct job> program = {
		set_up, tear_down, round_serial, NULL, chunk_in, chunk_compute,
		    chunk_out, NULL, is_right
	};
	long piece_kb = kb != NULL ? parse_count(kb, "piece-kb") : 320;
	struct job job = {};
	char name[64];

	snprintf(name, sizeof(name), "pieces-%ldk", piece_kb);
	job.piece = piece_kb * 1024 / sizeof(unsigned);
	job.by = by != NULL ? by : "host";
	job.baseline = PINNED;
	job.options.n = 20 << 20;
	job.work = 100;
	return run_pattern(
	    argc, argv, name, &job,
	    OFFERS(BATCH) | OFFERS(STREAMS) | OFFERS(DOUBLE_BUFFER), &program);
}
