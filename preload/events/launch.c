/* SPDX-License-Identifier: MIT */
#include "preload/events/launch.h"
#include "preload/api/arguments.h"
#include "preload/api/event_api.h"
#include "preload/api/real.h"
#include "preload/sites/object.h"
#include "preload/util/guard.h"
#include "preload/util/intern.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define KNOWN_BITS    10
#define KNOWN_KERNELS (1u << KNOWN_BITS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_intern
    kernels; /* function or handle -> string id of its name */

/* Asks the runtime; CUDA 12.3 or later. */
static const char *name_by_runtime(const void *function, uintptr_t address)
{
	cudaError_t (*ask)(const char **name, const void *function) = NULL;
	void *symbol =
	    xs_real_symbol(XS_CUDART_LIBRARY, "cudaFuncGetName", address);
	const char *name = NULL;

	if (!symbol)
		return NULL;
	memcpy(&ask, &symbol, sizeof(ask));
	return ask(&name, function) == cudaSuccess ? name : NULL;
}

/* nvcc names a kernel's stub like the kernel. */
static const char *name_by_symbol(const void *function)
{
	Dl_info info;

	if (!dladdr(function, &info) || info.dli_saddr != function)
		return NULL;
	return info.dli_sname;
}

static const char *name_by_address(const void *function, char *text,
				   size_t bytes)
{
	struct xs_object module;
	const char *slash;

	if (xs_object_find((uintptr_t)function, &module))
		return "unknown kernel";
	slash = strrchr(module.path, '/');
	snprintf(text, bytes, "unknown kernel at %.200s+0x%zx",
		 slash ? slash + 1 : module.path,
		 (size_t)((uintptr_t)function - module.base));
	return text;
}

struct search {
	const void *kernel;
	bool is_handle;
	uintptr_t address;
	uint32_t name; /* 0: no space */
};

static uint32_t find_name(const struct search *search)
{
	const void *kernel = search->kernel;
	const char *name = NULL;
	char text[256];

	if (!search->is_handle)
		name = name_by_runtime(kernel, search->address);
	else if (xs_event_api.kernel_name &&
		 xs_event_api.kernel_name(&name, kernel) != CUDA_SUCCESS)
		name = NULL;
	if (!name)
		name = name_by_symbol(kernel);
	if (!name)
		name = name_by_address(kernel, text, sizeof(text));
	return xs_gpu_records_name(name);
}

/* Names that were found, for look-ups without a lock. A slot never changes. */
static struct known {
	_Atomic(const void *) kernel;
	uint32_t name;
} known[KNOWN_KERNELS];

static struct known *slot_of(const void *kernel)
{
	const uint64_t hash = (uintptr_t)kernel * 0x9e3779b97f4a7c15u;

	return &known[hash >> (64 - KNOWN_BITS)];
}

/* Caller holds the lock. */
static void remember(const void *kernel, uint32_t name)
{
	struct known *slot = slot_of(kernel);

	if (!name || atomic_load(&slot->kernel))
		return;
	slot->name = name;
	atomic_store(&slot->kernel, kernel);
}

static void look_up(void *data)
{
	struct search *search = data;
	const void *kernel = search->kernel;
	uint32_t *slot;

	pthread_mutex_lock(&lock);
	slot = xs_intern_number(&kernels, &kernel, sizeof(kernel));
	search->name = slot ? *slot : 0;
	pthread_mutex_unlock(&lock);
	if (search->name)
		return;
	search->name = find_name(search);
	pthread_mutex_lock(&lock);
	slot = xs_intern_number(&kernels, &kernel, sizeof(kernel));
	if (slot)
		*slot = search->name;
	remember(kernel, search->name);
	pthread_mutex_unlock(&lock);
}

/* Looks the name up once for each kernel. Returns 0 if there was no space. */
static uint32_t name_of(const void *kernel, bool is_handle, uintptr_t address)
{
	struct search search = {
	    .kernel = kernel, .is_handle = is_handle, .address = address};

	const struct known *slot = slot_of(kernel);

	if (atomic_load_explicit(&slot->kernel, memory_order_acquire) == kernel)
		return slot->name;
	xs_guard_run(look_up, &search);
	return search.name;
}

static void set_extents(struct xs_rec_shape *shape, dim3 grid, dim3 block,
			size_t shared_bytes)
{
	shape->grid_x = grid.x;
	shape->grid_y = grid.y;
	shape->grid_z = grid.z;
	shape->block_x = (uint16_t)block.x;
	shape->block_y = (uint16_t)block.y;
	shape->block_z = (uint16_t)block.z;
	shape->shared_dynamic_bytes = (uint32_t)shared_bytes;
}

void xs_launch_read(enum xs_function fn, uintptr_t address,
		    const void *arguments, struct xs_rec_shape *shape)
{
	const struct xs_args_cudaLaunchKernel *plain = arguments;
	const struct xs_args_cudaLaunchKernelExC *ex = arguments;

	*shape = (struct xs_rec_shape){0};
	switch (fn) {
	case XS_FN___cudaLaunchKernel:
	case XS_FN___cudaLaunchKernel_ptsz:
	case XS_FN_cudaLaunchKernel:
	case XS_FN_cudaLaunchKernel_ptsz:
	case XS_FN_cudaLaunchCooperativeKernel:
	case XS_FN_cudaLaunchCooperativeKernel_ptsz:
		set_extents(shape, plain->grid, plain->block, plain->shared);
		shape->name = name_of(plain->function,
				      fn == XS_FN___cudaLaunchKernel ||
					  fn == XS_FN___cudaLaunchKernel_ptsz,
				      address);
		break;
	case XS_FN_cudaLaunchKernelExC:
	case XS_FN_cudaLaunchKernelExC_ptsz:
		set_extents(shape, ex->config->gridDim, ex->config->blockDim,
			    ex->config->dynamicSmemBytes);
		shape->name = name_of(ex->function, false, address);
		break;
	default:
		break;
	}
}
