/* SPDX-License-Identifier: MIT */
/* A CUDA runtime whose functions only return, to test what the preloaded
 * library does to a process. It has only the functions that app.c calls. */
#include <driver_types.h>
#include <errno.h>
#include <stdint.h>
#include <vector_types.h>

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes,
		       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
			     void **arguments, size_t shared,
			     cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamQuery(cudaStream_t stream);

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
	if (bytes > 1u << 30)
		return cudaErrorMemoryAllocation;
	*pointer = (void *)(uintptr_t)(0x7000000 + bytes);
	return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
	(void)pointer;
	return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes,
		       enum cudaMemcpyKind kind)
{
	(void)dst, (void)src, (void)bytes, (void)kind;
	errno = ERANGE; /* a runtime may change errno */
	return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return p ? cudaSuccess : cudaErrorInvalidValue;
}

/* Checks that each argument arrives: 6 structs and pointers, some of them on
 * the stack. */
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
			     void **arguments, size_t shared,
			     cudaStream_t stream)
{
	return function && grid.x == 1 && grid.y == 2 && grid.z == 3 &&
		       block.x == 4 && block.y == 5 && block.z == 6 &&
		       arguments && shared == 7 && stream == (cudaStream_t)8
		   ? cudaSuccess
		   : cudaErrorLaunchFailure;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return cudaSuccess;
}

/* The work never ends. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	(void)stream;
	return cudaErrorNotReady;
}
