/* SPDX-License-Identifier: MIT */
/* A convergence test: after each iteration the host reads 4 bytes, which say
 * how many numbers are still above a limit. */
#include "rounds.h"

#define COUNT (64u << 10)

static unsigned *data, *above, *out; /* out: host memory */
static const unsigned first = COUNT;

/* above: of this round and of the next one, by turns. */
static __device__ void iterate(unsigned *data, unsigned *above, unsigned round)
{
	const unsigned step = gridDim.x * blockDim.x;
	unsigned count = 0;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT;
	     i += step) {
		data[i] -= data[i] > 0;
		count += data[i] > 0;
	}
	/* one addition for a warp: they would wait for each other */
	for (unsigned lanes = 16; lanes > 0; lanes /= 2)
		count += __shfl_down_sync(~0u, count, lanes);
	if (threadIdx.x % 32 == 0 && count > 0)
		atomicAdd(&above[round % 2], count);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		above[(round + 1) % 2] = 0;
}

static __global__ void once(unsigned *data, unsigned *above, unsigned round)
{
	iterate(data, above, round);
}

static __global__ void staying(struct flags f, unsigned rounds, unsigned *data,
			       unsigned *above, unsigned *out)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (!begin_round(&f, round))
			return;
		iterate(data, above, round);
		if (is_last(&f, round)) {
			*out = fetch(&above[round % 2]);
			end_round(&f, round);
		}
	}
}

static __global__ void fill(unsigned *data)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	data[i] = i;
}

static void set_up(void)
{
	data = device_array<unsigned>(COUNT);
	above = device_array<unsigned>(2);
	out = host_array<unsigned>(1);
	fill<<<blocks_for(COUNT), ROUND_THREADS>>>(data);
	CHECK(cudaGetLastError());
}

static void before(unsigned)
{
}

static void copies(unsigned round, cudaStream_t stream)
{
	once<<<staying_blocks(COUNT), ROUND_THREADS, 0, stream>>>(data, above,
								  round);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(out, &above[round % 2], sizeof(*out),
			      cudaMemcpyDeviceToHost, stream));
}

static void stay(const struct flags *f, unsigned rounds, cudaStream_t stream)
{
	staying<<<staying_blocks(COUNT), ROUND_THREADS, 0, stream>>>(
	    *f, rounds, data, above, out);
	CHECK(cudaGetLastError());
}

static bool after(unsigned)
{
	return *out > 0;
}

/* In each round, one number more than in the last becomes zero. */
static bool is_right(unsigned rounds)
{
	return *out == first - 1 - rounds;
}

int main(int argc, char **argv)
{
	struct workload work = {"convergence", 1000, set_up, before,
				copies,	       stay, after,  is_right};

	return run_workload(&work, argc, argv);
}
