/* SPDX-License-Identifier: MIT */
/*
 * The experiment of Gomez-Luna et al. 2011, section 3.1: simpleStreams of the
 * CUDA SDK with copies both ways. An array of 15 MiB is copied in, each int
 * goes through `work` steps of arithmetic, and the array is copied out; so the
 * kernel's time can be swept from far below to far above the transfers'. With
 * --in-mb and --out-mb the two directions differ (their sum was 24 MB), and
 * the kernel works on as many ints as the larger has.
 *
 *   ./sweep --work 500 --variant streams --streams 16
 *   ./sweep --in-mb 3 --out-mb 21 --variant pinned
 */
#include "../measure.h"
#include "arguments.h"
#include "steps.h"

#define THREADS 512 /* of a block, as in simpleStreams */

/* Reads beyond the input give 0; writes beyond the output go to `rest` on the
 * device, so that every element's work is done. */
__global__ void sweep_kernel(const unsigned *in, size_t in_count, unsigned *out,
			     size_t out_count, unsigned *rest, struct step step,
			     int work)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x = i < in_count ? in[i] : 0;

	if (i >= in_count && i >= out_count)
		return;
	x = take_steps(x, step, work);
	if (i < out_count)
		out[i] = x;
	else
		rest[i - out_count] = x;
}

struct job : job_base {
	int work;
	size_t in_count, out_count, items; /* items: the larger */
	unsigned *in, *out;		   /* the host's */
	unsigned *kernel_in, *kernel_out;  /* what the kernel uses */
	unsigned *rest;			   /* the device's, always */
};

/* One piece: an equal part of both arrays. */
struct piece {
	size_t in_first, in_count, out_first, out_count;
};

static struct piece piece_of(const struct job *job, long i, long pieces)
{
	size_t in_first = job->in_count * i / pieces;
	size_t out_first = job->out_count * i / pieces;

	return {in_first, job->in_count * (i + 1) / pieces - in_first,
		out_first, job->out_count * (i + 1) / pieces - out_first};
}

static void chunk_in(const struct job *job, long i)
{
	struct piece p = piece_of(job, i, job->chunks);

	CHECK(cudaMemcpyAsync(job->kernel_in + p.in_first, job->in + p.in_first,
			      p.in_count * sizeof(unsigned),
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void launch(const struct job *job, const struct piece *p,
		   cudaStream_t stream)
{
	size_t items = p->in_count > p->out_count ? p->in_count : p->out_count;
	unsigned grid = (unsigned)((items + THREADS - 1) / THREADS);
	/* Used only if more goes in than out, and then not negative. */
	size_t rest_first = p->in_first - p->out_first;

	sweep_kernel<<<grid, THREADS, 0, stream>>>(
	    job->kernel_in + p->in_first, p->in_count,
	    job->kernel_out + p->out_first, p->out_count,
	    job->rest + rest_first, one_step, job->work);
	CHECK(cudaGetLastError());
}

static void chunk_compute(const struct job *job, long i)
{
	struct piece p = piece_of(job, i, job->chunks);

	launch(job, &p, job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	struct piece p = piece_of(job, i, job->chunks);

	if (job->options.variant == HYBRID)
		return;
	CHECK(cudaMemcpyAsync(job->out + p.out_first,
			      job->kernel_out + p.out_first,
			      p.out_count * sizeof(unsigned),
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

static void round_serial(const struct job *job)
{
	struct piece all = piece_of(job, 0, 1);

	CHECK(cudaMemcpy(job->kernel_in, job->in,
			 job->in_count * sizeof(unsigned),
			 cudaMemcpyHostToDevice));
	launch(job, &all, 0);
	CHECK(cudaMemcpy(job->out, job->kernel_out,
			 job->out_count * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	struct piece all = piece_of(job, 0, 1);

	launch(job, &all, 0);
	CHECK(cudaDeviceSynchronize());
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	bool mapped = options->variant == MAPPED;
	size_t in_bytes = job->in_count * sizeof(unsigned);
	size_t out_bytes = job->out_count * sizeof(unsigned);

	job->in = (unsigned *)host_alloc(options->variant, in_bytes);
	job->out = (unsigned *)host_alloc(options->variant, out_bytes);
	for (size_t i = 0; i < job->in_count; i++)
		job->in[i] = (unsigned)i * 2654435761u;
	if (options->touch)
		memset(job->out, 0, out_bytes);
	job->result = job->out;
	job->result_bytes = out_bytes;

	job->kernel_in = (unsigned *)device_side(job->in, in_bytes, mapped);
	job->kernel_out = (unsigned *)device_side(
	    job->out, out_bytes, mapped || options->variant == HYBRID);
	if (job->in_count > job->out_count)
		CHECK(cudaMalloc(&job->rest, in_bytes - out_bytes));

	if (!uses_streams(options->variant))
		return;
	long chunk = chunk_items(options, (long)job->items);

	create_streams(job, ((long)job->items + chunk - 1) / chunk);
}

static void tear_down(struct job *job)
{
	enum variant variant = job->options.variant;

	destroy_streams(job);
	if (variant != MAPPED)
		CHECK(cudaFree(job->kernel_in));
	if (variant != MAPPED && variant != HYBRID)
		CHECK(cudaFree(job->kernel_out));
	CHECK(cudaFree(job->rest));
	job->rest = NULL;
	host_free(variant, job->in, job->in_count * sizeof(unsigned));
	host_free(variant, job->out, job->out_count * sizeof(unsigned));
}

static bool is_right(const struct job *job)
{
	const struct step all = all_steps(job->work);
	const long pieces = job->chunks > 0 ? job->chunks : 1;

	for (long piece = 0; piece < pieces; piece++) {
		struct piece p = piece_of(job, piece, pieces);

		for (size_t i = 0; i < p.out_count; i++) {
			unsigned x =
			    i < p.in_count ? job->in[p.in_first + i] : 0;

			if (job->out[p.out_first + i] != take_steps(x, all, 1))
				return false;
		}
	}
	return true;
}

/* Computes the sizes of both arrays and the name of the workload. */
static void choose_sizes(struct job *job, long in_mb, long out_mb, char *name,
			 size_t name_bytes)
{
	if (in_mb > 0) {
		job->in_count = (size_t)in_mb * (1 << 20) / sizeof(unsigned);
		job->out_count = (size_t)out_mb * (1 << 20) / sizeof(unsigned);
		job->options.n = (in_mb + out_mb) << 20;
		snprintf(name, name_bytes, "asymmetric-in%ld-out%ld", in_mb,
			 out_mb);
	} else {
		job->in_count = job->options.n / sizeof(unsigned);
		job->out_count = job->in_count;
		snprintf(name, name_bytes, "sweep-w%d", job->work);
	}
	job->items =
	    job->in_count > job->out_count ? job->in_count : job->out_count;
}

int main(int argc, char **argv)
{
	const char *work = take_argument(&argc, argv, "--work");
	const char *in_mb = take_argument(&argc, argv, "--in-mb");
	const char *out_mb = take_argument(&argc, argv, "--out-mb");
	struct job job = {};
	struct choices choices;
	char name[64];

	job.options.n = 15 << 20;
	job.options.rounds = 20;
	job.options.streams = 16;
	job.options.touch = true;
	parse_options(argc, argv, &job.options, &choices);
	job.work = work != NULL ? (int)parse_count(work, "work") : 500;
	if ((in_mb == NULL) != (out_mb == NULL)) {
		fprintf(stderr, "--in-mb and --out-mb go together\n");
		return 1;
	}
	if (job.options.n % (long)sizeof(unsigned) != 0) {
		fprintf(stderr, "--n: the bytes of an array of ints\n");
		return 1;
	}
	choose_sizes(&job, in_mb != NULL ? parse_count(in_mb, "in-mb") : 0,
		     in_mb != NULL ? parse_count(out_mb, "out-mb") : 0, name,
		     sizeof(name));

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};

	return measure_all(&program, name, &choices, &job);
}
