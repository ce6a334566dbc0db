/* SPDX-License-Identifier: MIT */
/* Asks the driver where the parameters of a kernel lie. */
#ifndef XS_PRELOAD_API_PARAM_INFO_H
#define XS_PRELOAD_API_PARAM_INFO_H

#include <stddef.h>
#include <stdint.h>

/* Kernels have at most 32,764 bytes of parameters (CUDA 12.1 and later). */
#define XS_PARAM_INFO_MOST 32768u

/* A parameter, in bytes. */
struct xs_kernel_param {
	size_t offset, bytes;
};

/*
 * Stores the parameters of a CUfunction or CUkernel. Returns their number, 0 if
 * it has none or they are unknown: the functions that tell exist since CUDA
 * 12.4. At most `room` are stored; if there are more, returns 0. Takes the
 * loader's lock.
 */
size_t xs_param_info_of_handle(const void *handle,
			       struct xs_kernel_param *params, size_t room);

/*
 * Returns the CUfunction of a kernel's stub on the host, NULL if the runtime
 * that a call returning to `address` would have reached does not know it. Does
 * not change what cudaGetLastError() returns. Takes the loader's lock.
 */
const void *xs_param_info_function(const void *symbol, uintptr_t address);

#endif
