/* SPDX-License-Identifier: MIT */
/* Reads a kernel's name and launch configuration from a launch's arguments, for
 * use without CUPTI. */
#pragma once

#include "preload/api/functions.h"
#include "preload/trace/gpu_records.h"

/*
 * Fills *shape with the name, grid, block and dynamic shared memory of a launch
 * that succeeded and returned to `address`. The name comes from the driver or
 * the runtime; else from the symbol of the stub that nvcc generates; else it is
 * an address in an object. Unknown fields are 0.
 */
void xs_launch_read(enum xs_function fn, uintptr_t address,
		    const void *arguments, struct xs_rec_shape *shape);
