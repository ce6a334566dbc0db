/* SPDX-License-Identifier: MIT */
/*
 * A halo exchange of small faces: a square of numbers, whose four edges of 2
 * KiB each go to the host after each step, and come in from there before the
 * next. The host plays the four neighbours: each edge comes in at the opposite
 * side.
 */
#include "rounds.h"

#include <vector>

#define SIDE  512u
#define FACES 4 /* west, east, north, south */

static unsigned *square[2]; /* by turns */
static unsigned *device_in, *device_out, *host_in, *host_out;

/* What lies beside (x, y), towards a face: from the square or from a halo. */
static __host__ __device__ inline size_t cell(unsigned x, unsigned y)
{
	return (size_t)y * SIDE + x;
}

static __device__ unsigned relax(const unsigned *from, const unsigned *in,
				 unsigned x, unsigned y)
{
	const unsigned west =
	    x > 0 ? from[cell(x - 1, y)] : __ldcg(in + 0 * SIDE + y);
	const unsigned east =
	    x + 1 < SIDE ? from[cell(x + 1, y)] : __ldcg(in + 1 * SIDE + y);
	const unsigned north =
	    y > 0 ? from[cell(x, y - 1)] : __ldcg(in + 2 * SIDE + x);
	const unsigned south =
	    y + 1 < SIDE ? from[cell(x, y + 1)] : __ldcg(in + 3 * SIDE + x);

	return from[cell(x, y)] * 5 + west + 3 * east + 7 * north + 9 * south;
}

static __device__ void step(unsigned *to, const unsigned *from,
			    const unsigned *in, unsigned *out)
{
	const unsigned threads = gridDim.x * blockDim.x;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	     i < SIDE * SIDE; i += threads) {
		const unsigned x = i % SIDE, y = i / SIDE;
		const unsigned value = relax(from, in, x, y);

		to[i] = value;
		if (x == 0)
			out[0 * SIDE + y] = value;
		if (x == SIDE - 1)
			out[1 * SIDE + y] = value;
		if (y == 0)
			out[2 * SIDE + x] = value;
		if (y == SIDE - 1)
			out[3 * SIDE + x] = value;
	}
}

static __global__ void once(unsigned *to, const unsigned *from,
			    const unsigned *in, unsigned *out)
{
	step(to, from, in, out);
}

/* in: device memory for the faces, which cross the bus once. */
static __global__ void staying(struct flags f, unsigned rounds, unsigned *even,
			       unsigned *odd, unsigned *in,
			       const unsigned *host_in, unsigned *out)
{
	const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;

	for (unsigned round = 1; round <= rounds; round++) {
		if (!begin_round(&f, round))
			return;
		for (unsigned i = me; i < FACES * SIDE;
		     i += gridDim.x * blockDim.x)
			in[i] = fetch(host_in + i);
		if (!meet(&f, 2 * round - 1))
			return;
		step(round % 2 ? odd : even, round % 2 ? even : odd, in, out);
		if (is_last(&f, 2 * round))
			end_round(&f, round);
	}
}

static unsigned initial(size_t i)
{
	return (unsigned)(i * 2654435761u);
}

static void set_up(void)
{
	std::vector<unsigned> start(SIDE * SIDE);

	for (size_t i = 0; i < start.size(); i++)
		start[i] = initial(i);
	for (int i = 0; i < 2; i++)
		square[i] = device_array<unsigned>(SIDE * SIDE);
	CHECK(cudaMemcpy(square[0], start.data(),
			 SIDE * SIDE * sizeof(unsigned),
			 cudaMemcpyHostToDevice));
	device_in = device_array<unsigned>(FACES * SIDE);
	device_out = device_array<unsigned>(FACES * SIDE);
	host_in = host_array<unsigned>(FACES * SIDE);
	host_out = host_array<unsigned>(FACES * SIDE);
}

/* The neighbours' faces of the last step: zeros at first. */
static void before(unsigned)
{
	for (int face = 0; face < FACES; face++)
		memcpy(host_in + (face ^ 1) * SIDE, host_out + face * SIDE,
		       SIDE * sizeof(unsigned));
}

static void copies(unsigned round, cudaStream_t stream)
{
	for (int face = 0; face < FACES; face++)
		CHECK(cudaMemcpyAsync(
		    device_in + face * SIDE, host_in + face * SIDE,
		    SIDE * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
	once<<<staying_blocks(SIDE * SIDE), ROUND_THREADS, 0, stream>>>(
	    square[round % 2], square[(round + 1) % 2], device_in, device_out);
	CHECK(cudaGetLastError());
	for (int face = 0; face < FACES; face++)
		CHECK(cudaMemcpyAsync(
		    host_out + face * SIDE, device_out + face * SIDE,
		    SIDE * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
}

static void stay(const struct flags *f, unsigned rounds, cudaStream_t stream)
{
	staying<<<staying_blocks(SIDE * SIDE), ROUND_THREADS, 0, stream>>>(
	    *f, rounds, square[0], square[1], device_in, host_in, host_out);
	CHECK(cudaGetLastError());
}

static bool after(unsigned)
{
	return true;
}

static unsigned neighbour(const std::vector<unsigned> &from, bool first,
			  unsigned x, unsigned y, int dx, int dy)
{
	const unsigned nx = (x + SIDE + (unsigned)dx) % SIDE;
	const unsigned ny = (y + SIDE + (unsigned)dy) % SIDE;
	const bool outside = (dx < 0 && x == 0) || (dx > 0 && x + 1 == SIDE) ||
			     (dy < 0 && y == 0) || (dy > 0 && y + 1 == SIDE);

	return outside && first ? 0 : from[cell(nx, ny)];
}

/* The same on the host: a torus, but for the zeros at first. */
static bool is_right(unsigned rounds)
{
	std::vector<unsigned> now(SIDE * SIDE), next(SIDE * SIDE), got(now);

	for (size_t i = 0; i < now.size(); i++)
		now[i] = initial(i);
	for (unsigned round = 1; round <= rounds; round++) {
		const bool f = round == 1;

		for (unsigned y = 0; y < SIDE; y++)
			for (unsigned x = 0; x < SIDE; x++)
				next[cell(x, y)] =
				    now[cell(x, y)] * 5 +
				    neighbour(now, f, x, y, -1, 0) +
				    3 * neighbour(now, f, x, y, 1, 0) +
				    7 * neighbour(now, f, x, y, 0, -1) +
				    9 * neighbour(now, f, x, y, 0, 1);
		now.swap(next);
	}
	CHECK(cudaMemcpy(got.data(), square[rounds % 2],
			 SIDE * SIDE * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
	return got == now;
}

int main(int argc, char **argv)
{
	struct workload work = {"halo", 300,  set_up, before,
				copies, stay, after,  is_right};

	return run_workload(&work, argc, argv);
}
