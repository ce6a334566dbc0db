/* SPDX-License-Identifier: MIT */
/* What the launch functions of the runtime and of the driver have in common. */
#pragma once

#include "preload/api/functions.h"

/* Arguments of the driver's launches, as CUPTI passes them to a callback. */
struct xs_args_driver_launch {
	const void *function; /* CUfunction, or CUkernel */
	unsigned grid[3], block[3], shared_bytes;
	void *stream;
	void **params, **extra; /* no `extra` if cooperative */
};
struct xs_args_driver_launch_ex {
	const void *config, *function;
	void **params, **extra;
};

struct xs_launch_arguments {
	const void *function; /* CUfunction or CUkernel; NULL for the runtime's
			       * functions, which may have the kernel's stub on
			       * the host */
	void **params;	      /* one address for each parameter; or NULL */
	void **extra;	      /* CU_LAUNCH_PARAM_...; or NULL */
};

/* Reads a launch that has succeeded. Returns false for other functions. */
bool xs_launch_arguments_read(enum xs_function fn, const void *arguments,
			      struct xs_launch_arguments *launch);
