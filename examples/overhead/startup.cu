/* SPDX-License-Identifier: MIT */
/* A program that starts CUDA and does nothing else. */
#include <cuda_runtime_api.h>

int main()
{
	return cudaFree(0) == cudaSuccess ? 0 : 2;
}
