/* SPDX-License-Identifier: MIT */
/*
 * C = A * B for n x n floats: each round copies A and B in, multiplies, and
 * copies C out. The naive kernel reads every element from memory for each
 * product; the tiled one reads it once for each tile of C that needs it.
 *
 *   ./matmul --kernel tiled --variant streams --n 2048 --streams 8
 */
#include "../measure.h"
#include "arguments.h"

#define TILE  32    /* a block computes TILE x TILE elements of C */
#define MAX_N 16384 /* for the check, whose numbers are then below 2^53 */

/* Both kernels compute `rows` rows of C from as many of A and all of B. */
__global__ void naive_kernel(const float *a, const float *b, float *c, int rows,
			     int n)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	if (x >= n || y >= rows)
		return;
	for (int k = 0; k < n; k++)
		sum += a[(size_t)y * n + k] * b[(size_t)k * n + x];
	c[(size_t)y * n + x] = sum;
}

__global__ void tiled_kernel(const float *a, const float *b, float *c, int rows,
			     int n)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	float sum = 0;

	for (int first = 0; first < n; first += TILE) {
		bool in_a = y < rows && first + tx < n;
		bool in_b = first + ty < n && x < n;

		tile_a[ty][tx] = in_a ? a[(size_t)y * n + first + tx] : 0;
		tile_b[ty][tx] = in_b ? b[(size_t)(first + ty) * n + x] : 0;
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += tile_a[ty][k] * tile_b[k][tx];
		__syncthreads();
	}
	if (x < n && y < rows)
		c[(size_t)y * n + x] = sum;
}

typedef void kernel_fn(const float *, const float *, float *, int, int);

struct job : job_base {
	kernel_fn *kernel;
	size_t bytes;			       /* of one matrix */
	float *a, *b, *c;		       /* the host's */
	float *kernel_a, *kernel_b, *kernel_c; /* what the kernel uses */
	long chunk;			       /* rows of a chunk */
	cudaEvent_t b_copied;
};

static void launch(const struct job *job, long first, long rows,
		   cudaStream_t stream)
{
	const long n = job->options.n;
	const size_t at = (size_t)first * n;
	dim3 block(TILE, TILE);
	dim3 grid((unsigned)((n + TILE - 1) / TILE),
		  (unsigned)((rows + TILE - 1) / TILE));

	job->kernel<<<grid, block, 0, stream>>>(
	    job->kernel_a + at, job->kernel_b, job->kernel_c + at, (int)rows,
	    (int)n);
	CHECK(cudaGetLastError());
}

static void round_serial(const struct job *job)
{
	CHECK(cudaMemcpy(job->kernel_a, job->a, job->bytes,
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(job->kernel_b, job->b, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, 0, job->options.n, 0);
	CHECK(cudaMemcpy(job->c, job->kernel_c, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct job *job)
{
	launch(job, 0, job->options.n, 0);
	CHECK(cudaDeviceSynchronize());
}

static long chunk_rows(const struct job *job, long i)
{
	long left = job->options.n - i * job->chunk;

	return left < job->chunk ? left : job->chunk;
}

/*
 * A chunk is a block of rows of C: it needs the same rows of A, and all of B.
 * So B is copied first and every stream waits for it. Only A is copied in
 * pieces, and no kernel hides B's copy. Dividing B by columns, too, would let
 * the first kernel start sooner, but needs strided copies and n * n kernels.
 */
static void chunk_in(const struct job *job, long i)
{
	size_t at = (size_t)i * job->chunk * job->options.n;
	size_t bytes = chunk_rows(job, i) * job->options.n * sizeof(float);

	if (i == 0) {
		CHECK(cudaMemcpyAsync(job->kernel_b, job->b, job->bytes,
				      cudaMemcpyHostToDevice, job->stream[0]));
		CHECK(cudaEventRecord(job->b_copied, job->stream[0]));
	} else {
		CHECK(cudaStreamWaitEvent(job->stream[i], job->b_copied, 0));
	}
	CHECK(cudaMemcpyAsync(job->kernel_a + at, job->a + at, bytes,
			      cudaMemcpyHostToDevice, job->stream[i]));
}

static void chunk_compute(const struct job *job, long i)
{
	launch(job, i * job->chunk, chunk_rows(job, i), job->stream[i]);
}

static void chunk_out(const struct job *job, long i)
{
	size_t at = (size_t)i * job->chunk * job->options.n;
	size_t bytes = chunk_rows(job, i) * job->options.n * sizeof(float);

	if (job->options.variant == HYBRID)
		return;
	CHECK(cudaMemcpyAsync(job->c + at, job->kernel_c + at, bytes,
			      cudaMemcpyDeviceToHost, job->stream[i]));
}

/*
 * C x = A (B x) for a vector x: takes n^2 steps where the product takes n^3.
 * A wrong C passes only where its error is orthogonal to x, which no error
 * here knows (Freivalds 1977). All numbers are whole and below 2^53, so that
 * sums are exact in any order.
 */
static double product(const float *row, const double *x, long n)
{
	double sum = 0;

	for (long k = 0; k < n; k++)
		sum += row[k] * x[k];
	return sum;
}

static bool is_right(const struct job *job)
{
	const long n = job->options.n;
	double *x = (double *)malloc(2 * n * sizeof(*x)), *bx = x + n;
	bool right = x != NULL;

	for (long i = 0; right && i < n; i++)
		x[i] = (double)((unsigned)(i + 1) * 2654435761u >> 12);
	for (long i = 0; right && i < n; i++)
		bx[i] = product(job->b + i * n, x, n);
	for (long i = 0; right && i < n; i++)
		right = product(job->c + i * n, x, n) ==
			product(job->a + i * n, bx, n);
	free(x);
	return right;
}

static void set_up(struct job *job)
{
	const struct options *options = &job->options;
	bool mapped = options->variant == MAPPED;
	long n = options->n;

	job->bytes = (size_t)n * n * sizeof(float);
	job->a = (float *)host_alloc(options->variant, job->bytes);
	job->b = (float *)host_alloc(options->variant, job->bytes);
	job->c = (float *)host_alloc(options->variant, job->bytes);
	for (long i = 0; i < n * n; i++) {
		job->a[i] = (float)((unsigned)i * 2654435761u >> 30);
		job->b[i] = (float)((unsigned)i * 2246822519u >> 30);
	}
	if (options->touch)
		memset(job->c, 0, job->bytes);
	job->result = job->c;
	job->result_bytes = job->bytes;

	job->kernel_a = (float *)device_side(job->a, job->bytes, mapped);
	job->kernel_b = (float *)device_side(job->b, job->bytes, mapped);
	job->kernel_c = (float *)device_side(
	    job->c, job->bytes, mapped || options->variant == HYBRID);

	if (!uses_streams(options->variant))
		return;
	job->chunk = chunk_items(options, (n + TILE - 1) / TILE) * TILE;
	create_streams(job, (n + job->chunk - 1) / job->chunk);
	CHECK(cudaEventCreateWithFlags(&job->b_copied, cudaEventDisableTiming));
}

static void tear_down(struct job *job)
{
	enum variant variant = job->options.variant;

	if (uses_streams(variant))
		CHECK(cudaEventDestroy(job->b_copied));
	destroy_streams(job);
	if (variant != MAPPED) {
		CHECK(cudaFree(job->kernel_a));
		CHECK(cudaFree(job->kernel_b));
	}
	if (variant != MAPPED && variant != HYBRID)
		CHECK(cudaFree(job->kernel_c));
	host_free(variant, job->a, job->bytes);
	host_free(variant, job->b, job->bytes);
	host_free(variant, job->c, job->bytes);
}

int main(int argc, char **argv)
{
	const char *kernel = take_argument(&argc, argv, "--kernel");
	struct job job = {};
	struct choices choices;
	bool naive = kernel != NULL && strcmp(kernel, "naive") == 0;

	if (kernel != NULL && !naive && strcmp(kernel, "tiled") != 0) {
		fprintf(stderr, "--kernel: naive or tiled, not '%s'\n", kernel);
		return 1;
	}
	job.kernel = naive ? naive_kernel : tiled_kernel;
	job.options.n = 2048;
	job.options.rounds = 10;
	job.options.streams = 8;
	job.options.touch = true;
	parse_options(argc, argv, &job.options, &choices);
	if (job.options.n > MAX_N) {
		fprintf(stderr, "--n: at most %d\n", MAX_N);
		return 1;
	}

	const struct program<struct job> program = {
		set_up, tear_down, round_serial, round_mapped, chunk_in,
		    chunk_compute, chunk_out, NULL, is_right
	};

	return measure_all(&program, naive ? "matmul-naive" : "matmul-tiled",
			   &choices, &job);
}
