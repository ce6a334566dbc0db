/* SPDX-License-Identifier: MIT */
/* What an extension of Python may be: a library that calls the runtime. */
#include <cuda_runtime_api.h>

cudaError_t wrapped_upload(void *device, const void *host, size_t bytes);

cudaError_t wrapped_upload(void *device, const void *host, size_t bytes)
{
	return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}
