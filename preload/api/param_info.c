/* SPDX-License-Identifier: MIT */
#include "preload/api/param_info.h"
#include "preload/api/real.h"
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

static size_t ask_all(ask_fn ask, const void *handle,
		      struct xs_kernel_param *params, size_t room)
{
	struct xs_kernel_param param;
	size_t count = 0;
	int result = SUCCESS;

	while (ask && result == SUCCESS) {
		result = ask(handle, count, &param.offset, &param.bytes);
		if (result != SUCCESS)
			break;
		if (count == room)
			return 0;
		params[count++] = param;
	}
	return result == INVALID_VALUE ? count : 0;
}

/* The handle of a launch may be a CUkernel, also in a CUfunction's place. */
size_t xs_param_info_of_handle(const void *handle,
			       struct xs_kernel_param *params, size_t room)
{
	static _Atomic(ask_fn) of_function, of_kernel;
	const size_t count = ask_all(find(&of_function, "cuFuncGetParamInfo"),
				     handle, params, room);

	return count ? count
		     : ask_all(find(&of_kernel, "cuKernelGetParamInfo"), handle,
			       params, room);
}

const void *xs_param_info_function(const void *symbol, uintptr_t address)
{
	cudaError_t (*by_symbol)(const void **function, const void *symbol);
	cudaError_t (*peek)(void), (*last)(void);
	const void *function = NULL;
	const struct {
		void *slot;
		const char *name;
	} needed[] = {{&by_symbol, "cudaGetFuncBySymbol"},
		      {&peek, "cudaPeekAtLastError"},
		      {&last, "cudaGetLastError"}};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		void *found =
		    xs_real_symbol(XS_CUDART_LIBRARY, needed[i].name, address);

		if (!found)
			return NULL;
		memcpy(needed[i].slot, &found, sizeof(found));
	}
	if (peek() != cudaSuccess)
		return NULL; /* the application's error must stay */
	if (by_symbol(&function, symbol) == cudaSuccess)
		return function;
	last();
	return NULL;
}
