/* SPDX-License-Identifier: MIT */
/* What a launch tells of its kernel, where CUPTI does not. */
#ifndef XS_PRELOAD_EVENTS_LAUNCH_H
#define XS_PRELOAD_EVENTS_LAUNCH_H

#include "preload/api/functions.h"
#include "preload/trace/gpu_records.h"

/*
 * The kernel's name, grid, block and dynamic shared memory, from the arguments
 * of a launch that succeeded and that returned to `address`. The name is that
 * of the driver or of the runtime, else of the stub that nvcc made, else a
 * place in a module. What is not known is 0.
 */
void xs_launch_read(enum xs_function fn, uintptr_t address,
		    const void *arguments, struct xs_gpu_shape *shape);

#endif
