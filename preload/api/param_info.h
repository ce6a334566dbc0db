/* SPDX-License-Identifier: MIT */
/* Asks the driver where the parameters of a kernel lie. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernels have at most 32,764 bytes of parameters (CUDA 12.1 and later). */
#define XS_PARAM_INFO_MOST 32768u

/* A parameter, in bytes. */
struct xs_kernel_param {
	size_t offset, bytes;
};

/* Looks the driver's functions up. Returns false if it has none: they exist
 * since CUDA 12.4. Takes the loader's lock. */
bool xs_param_info_start(void);

/* Stores the parameters of a CUfunction or CUkernel, and their number. Returns
 * false if they are unknown, or more than `room`. Call only if
 * xs_param_info_start() returned true. */
bool xs_param_info_of_handle(const void *handle, struct xs_kernel_param *params,
			     size_t room, size_t *count);
