/* SPDX-License-Identifier: MIT */
/*
 * Sums an array of 128 MiB that the host streams in pieces, on two streams: a
 * copy in and a kernel for each piece. Pieces of 64 KiB are 2,048 copies a
 * round.
 *
 *   ./pieces2048 [KIB_OF_A_PIECE [ROUNDS [MIB_OF_THE_ARRAY]]]
 */
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void sum_kernel(const float *in, long count, float *sum)
{
	float mine = 0;

	for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count;
	     i += (long)gridDim.x * blockDim.x)
		mine += in[i];
	for (int lane = 16; lane; lane /= 2)
		mine += __shfl_down_sync(~0u, mine, lane);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

int main(int argc, char **argv)
{
	const long piece = (argc > 1 ? atol(argv[1]) : 64) << 10;
	const int rounds = argc > 2 ? atoi(argv[2]) : 10;
	const long bytes = (argc > 3 ? atol(argv[3]) : 128) << 20;
	cudaStream_t streams[2];
	float *host, *device, *sum, total = 0;

	cudaMallocHost(&host, bytes);
	cudaMalloc(&device, bytes);
	cudaMalloc(&sum, sizeof *sum);
	for (cudaStream_t &stream : streams)
		cudaStreamCreate(&stream);
	for (long i = 0; i < bytes / 4; i++)
		host[i] = 1;
	for (int round = 0; round < rounds; round++) {
		auto begin = std::chrono::steady_clock::now();

		cudaMemset(sum, 0, sizeof *sum);
		for (long at = 0, i = 0; at < bytes; at += piece, i++) {
			cudaMemcpyAsync((char *)device + at, (char *)host + at,
					piece, cudaMemcpyHostToDevice,
					streams[i % 2]);
			sum_kernel<<<32, 256, 0, streams[i % 2]>>>(
			    device + at / 4, piece / 4, sum);
		}
		cudaDeviceSynchronize();
		cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
		printf("%s%.4f", round ? ", " : "[",
		       std::chrono::duration<double, std::milli>(
			   std::chrono::steady_clock::now() - begin)
			   .count());
	}
	printf("]\n");
	return total != bytes / 4 || cudaGetLastError() != cudaSuccess;
}
