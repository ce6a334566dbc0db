/* SPDX-License-Identifier: MIT */
#include "preload/api/param_info.h"
#include "preload/util/objects.h"

#define SUCCESS	      0
#define INVALID_VALUE 1 /* CUDA_ERROR_INVALID_VALUE: no such parameter */

/* By symbol name, with CUresult as int: older headers lack both. */
typedef int (*ask_fn)(const void *handle, size_t index, size_t *offset,
		      size_t *bytes);

static ask_fn of_function, of_kernel;

bool xs_param_info_start(void)
{
	static const struct xs_symbol symbols[] = {
	    {&of_function, "cuFuncGetParamInfo", false},
	    {&of_kernel, "cuKernelGetParamInfo", false}};
	/* the reference is kept: the driver must stay loaded */
	void *library = xs_objects_driver();

	return library && !xs_objects_symbols(library, symbols, 2);
}

static bool ask_all(ask_fn ask, const void *handle,
		    struct xs_kernel_param *params, size_t room, size_t *count)
{
	struct xs_kernel_param param;
	int result = SUCCESS;

	*count = 0;
	while (result == SUCCESS && *count <= room) {
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
	const bool known = ask_all(of_function, handle, params, room, count);

	return (known && *count) ||
	       ask_all(of_kernel, handle, params, room, count) || known;
}
