/* SPDX-License-Identifier: MIT */
/* Starts CUDA and does nothing else. */
#include <cuda_runtime_api.h>

int main()
{
	return cudaFree(0) == cudaSuccess ? 0 : 2;
}
