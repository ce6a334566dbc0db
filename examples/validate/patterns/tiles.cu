/* SPDX-License-Identifier: MIT */
/*
 * Mapped memory with bad access: each cell becomes the sum of the 3 x 3 cells
 * around it. Blocks load tiles into shared memory with one cell more on each
 * side, so that rows of tiles begin within a sector and borders are read twice.
 */
#include "pattern.h"

#define WIDTH  1024
#define TILE_X 32
#define TILE_Y 8

__global__ void tiles_kernel(const unsigned *in, unsigned *out, int rows)
{
	__shared__ unsigned tile[TILE_Y + 2][TILE_X + 2];
	const int left = blockIdx.x * TILE_X - 1;
	const int top = blockIdx.y * TILE_Y - 1;
	const int tx = threadIdx.x, ty = threadIdx.y;
	unsigned sum = 0;

	for (int y = ty; y < TILE_Y + 2; y += TILE_Y)
		for (int x = tx; x < TILE_X + 2; x += TILE_X) {
			bool inside = left + x >= 0 && left + x < WIDTH &&
				      top + y >= 0 && top + y < rows;

			tile[y][x] =
			    inside ? in[(size_t)(top + y) * WIDTH + left + x]
				   : 0;
		}
	__syncthreads();
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 3; x++)
			sum += tile[ty + y][tx + x];
	if (top + 1 + ty < rows)
		out[(size_t)(top + 1 + ty) * WIDTH + left + 1 + tx] = sum;
}

static int rows_of(const struct arrays *job)
{
	return (int)(job->count / WIDTH);
}

static void launch(const struct arrays *job, cudaStream_t stream)
{
	dim3 block(TILE_X, TILE_Y);
	dim3 grid(WIDTH / TILE_X, (rows_of(job) + TILE_Y - 1) / TILE_Y);

	tiles_kernel<<<grid, block, 0, stream>>>(job->kernel_in,
						 job->kernel_out, rows_of(job));
	CHECK(cudaGetLastError());
}

static void round_serial(const struct arrays *job)
{
	CHECK(cudaMemcpy(job->kernel_in, job->in, job->bytes,
			 cudaMemcpyHostToDevice));
	launch(job, 0);
	CHECK(cudaMemcpy(job->out, job->kernel_out, job->bytes,
			 cudaMemcpyDeviceToHost));
}

static void round_mapped(const struct arrays *job)
{
	launch(job, 0);
	CHECK(cudaDeviceSynchronize());
}

/* Whole rounds only: double-buffer. */
static void compute_all(const struct arrays *job, long i)
{
	launch(job, job->stream[i]);
}

static unsigned sum_around(const struct arrays *job, int x, int y)
{
	unsigned sum = 0;

	for (int row = y - 1; row <= y + 1; row++)
		for (int column = x - 1; column <= x + 1; column++)
			if (row >= 0 && row < rows_of(job) && column >= 0 &&
			    column < WIDTH)
				sum += job->in[(size_t)row * WIDTH + column];
	return sum;
}

static bool is_right(const struct arrays *job)
{
	for (int y = 0; y < rows_of(job); y++)
		for (int x = 0; x < WIDTH; x++)
			if (job->out[(size_t)y * WIDTH + x] !=
			    sum_around(job, x, y))
				return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct program<struct arrays> program = {
		arrays_set_up, arrays_tear_down, round_serial, round_mapped,
		    arrays_in, compute_all, arrays_out, NULL, is_right
	};
	struct arrays job = {};

	job.baseline = PINNED;
	job.options.n = 32 << 20;
	return run_pattern(argc, argv, "tiles", &job,
			   OFFERS(MAPPED) | OFFERS(DOUBLE_BUFFER), &program);
}
