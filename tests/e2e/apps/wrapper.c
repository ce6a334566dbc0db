/* SPDX-License-Identifier: MIT */
/* Like an extension of Python: a library that calls the runtime. */
#include <cuda_runtime_api.h>

cudaError_t wrapped_upload(void *device, const void *host, size_t bytes);

cudaError_t wrapped_upload(void *device, const void *host, size_t bytes)
{
	return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}
