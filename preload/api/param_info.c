/* SPDX-License-Identifier: MIT */
#include "preload/api/param_info.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define SUCCESS	      0
#define INVALID_VALUE 1 /* CUDA_ERROR_INVALID_VALUE: no such parameter */

/* By symbol name, with CUresult as int: older headers lack both. */
typedef int (*ask_fn)(const void *handle, size_t index, size_t *offset,
		      size_t *bytes);

/* Looks it up until it is found. The reference is kept: the driver must stay
 * loaded. */
static ask_fn find(_Atomic(ask_fn) *known, const char *name)
{
	ask_fn ask = atomic_load(known);
	void *library, *symbol;

	if (ask)
		return ask;
	library = xs_objects_driver();
	symbol = library ? dlsym(library, name) : NULL;
	memcpy(&ask, &symbol, sizeof(ask));
	atomic_store(known, ask);
	return ask;
}

static bool ask_all(ask_fn ask, const void *handle,
		    struct xs_kernel_param *params, size_t room, size_t *count)
{
	struct xs_kernel_param param;
	int result = SUCCESS;

	*count = 0;
	while (ask && result == SUCCESS && *count <= room) {
		result = ask(handle, *count, &param.offset, &param.bytes);
		if (result == SUCCESS && *count < room)
			params[*count] = param;
		*count += result == SUCCESS;
	}
	if (result == INVALID_VALUE)
		return true;
	*count = 0;
	return false;
}

/* The handle of a launch may be a CUkernel, also in a CUfunction's place. */
bool xs_param_info_of_handle(const void *handle, struct xs_kernel_param *params,
			     size_t room, size_t *count)
{
	static _Atomic(ask_fn) of_function, of_kernel;
	const bool known = ask_all(find(&of_function, "cuFuncGetParamInfo"),
				   handle, params, room, count);

	return (known && *count) ||
	       ask_all(find(&of_kernel, "cuKernelGetParamInfo"), handle, params,
		       room, count) ||
	       known;
}
