/* SPDX-License-Identifier: MIT */
/*
 * Nearest neighbour, after the pattern of Rodinia's nn: 334 KiB of records are
 * copied in, a kernel reads each once, and 167 KiB of distances are copied out,
 * of which the host takes the least.
 */
#include "rounds.h"

#include <cmath>

#define RECORDS 42764u

static float2 *device_in, *host_in;
static float *device_out, *host_out;
static unsigned found;

static __device__ void measure_all(float *out, const float2 *in, unsigned round)
{
	const unsigned threads = gridDim.x * blockDim.x;
	const float x = (float)(round % 90), y = (float)(round % 180);

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < RECORDS;
	     i += threads) {
		const float2 at = fetch(in + i);

		out[i] =
		    sqrtf((at.x - x) * (at.x - x) + (at.y - y) * (at.y - y));
	}
}

static __global__ void once(float *out, const float2 *in, unsigned round)
{
	measure_all(out, in, round);
}

static __global__ void staying(struct flags f, unsigned rounds, float *out,
			       const float2 *in)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (!begin_round(&f, round))
			return;
		measure_all(out, in, round);
		if (is_last(&f, round))
			end_round(&f, round);
	}
}

static void set_up(void)
{
	unsigned random = 1;

	device_in = device_array<float2>(RECORDS);
	device_out = device_array<float>(RECORDS);
	host_in = host_array<float2>(RECORDS);
	host_out = host_array<float>(RECORDS);
	for (unsigned i = 0; i < RECORDS; i++) {
		random = random * 1664525u + 1013904223u;
		host_in[i].x = (float)(random >> 16 & 127);
		host_in[i].y = (float)(random >> 8 & 255);
	}
}

/* One record moves. */
static void before(unsigned round)
{
	host_in[round % RECORDS].x = (float)(round % 90);
	host_in[round % RECORDS].y = (float)(round % 180) + 0.25f;
}

static void copies(unsigned round, cudaStream_t stream)
{
	CHECK(cudaMemcpyAsync(device_in, host_in, RECORDS * sizeof(*host_in),
			      cudaMemcpyHostToDevice, stream));
	once<<<staying_blocks(RECORDS), ROUND_THREADS, 0, stream>>>(
	    device_out, device_in, round);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(host_out, device_out, RECORDS * sizeof(*host_out),
			      cudaMemcpyDeviceToHost, stream));
}

static void stay(const struct flags *f, unsigned rounds, cudaStream_t stream)
{
	staying<<<staying_blocks(RECORDS), ROUND_THREADS, 0, stream>>>(
	    *f, rounds, host_out, host_in);
	CHECK(cudaGetLastError());
}

static float distance(unsigned i, unsigned round)
{
	const float dx = host_in[i].x - (float)(round % 90);
	const float dy = host_in[i].y - (float)(round % 180);

	return std::sqrt(dx * dx + dy * dy);
}

static bool after(unsigned round)
{
	unsigned least = 0;

	for (unsigned i = 1; i < RECORDS; i++)
		if (host_out[i] < host_out[least])
			least = i;
	found += std::fabs(host_out[least] - distance(least, round)) < 1e-3f &&
		 host_out[least] <= host_out[round % RECORDS];
	return true;
}

/* Each round found the least, and all distances of the last one are right. */
static bool is_right(unsigned rounds)
{
	for (unsigned i = 0; i < RECORDS; i++)
		if (std::fabs(host_out[i] - distance(i, rounds)) > 1e-3f)
			return false;
	return found == rounds;
}

int main(int argc, char **argv)
{
	struct workload work = {"nearest", 500,	 set_up, before,
				copies,	   stay, after,	 is_right};

	return run_workload(&work, argc, argv);
}
