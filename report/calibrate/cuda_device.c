/* SPDX-License-Identifier: MIT */
#include "report/calibrate/cuda_device.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STUB_LIBRARY 34 /* CUDA_ERROR_STUB_LIBRARY */

static const char *const kernel_names[XS_KERNELS] = {
    [XS_KERNEL_EMPTY] = "xs_empty",	[XS_KERNEL_SPIN] = "xs_spin",
    [XS_KERNEL_READ] = "xs_read",	[XS_KERNEL_WRITE] = "xs_write",
    [XS_KERNEL_COPY] = "xs_copy",	[XS_KERNEL_PER_ELEMENT] = "xs_each",
    [XS_KERNEL_CHASE] = "xs_chase",	[XS_KERNEL_POLL] = "xs_poll",
    [XS_KERNEL_MESSAGE] = "xs_message", [XS_KERNEL_MAILBOX] = "xs_mailbox",
};

void xs_cuda_clear(struct xs_cuda_device *gpu)
{
	gpu->failure[0] = '\0';
}

void xs_cuda_fail(struct xs_cuda_device *gpu, const char *why)
{
	if (!xs_cuda_failed(gpu))
		snprintf(gpu->failure, sizeof(gpu->failure), "%s", why);
}

void xs_cuda_note(struct xs_cuda_device *gpu, int result, const char *step)
{
	const char *name = NULL;

	if (result == 0 || xs_cuda_failed(gpu))
		return;
	if (result == STUB_LIBRARY)
		name = "libcuda.so.1 is a stub of the toolkit, no driver";
	else if (gpu->api.cuGetErrorName(result, &name) != 0 || name == NULL)
		name = "unknown error";
	snprintf(gpu->failure, sizeof(gpu->failure), "%s: %s (%d)", step, name,
		 result);
}

static const struct {
	const char *symbol;
	size_t offset;
	bool needed;
} functions[] = {
#define XS_CUDA_ROW(function, suffix, parameters)                              \
	{#function suffix, offsetof(struct xs_cuda_api, function), true},
    XS_CUDA_API(XS_CUDA_ROW)
#undef XS_CUDA_ROW
#define XS_CUDA_ROW(function, suffix, parameters)                              \
	{#function suffix, offsetof(struct xs_cuda_api, function), false},
	XS_CUDA_NEWER_API(XS_CUDA_ROW)
#undef XS_CUDA_ROW
};

static void load_api(struct xs_cuda_device *gpu)
{
	char why[120];

	gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (gpu->library == NULL) {
		const char *error = dlerror();
		const bool missing =
		    error == NULL || strstr(error, "No such file") != NULL;

		xs_cuda_fail(gpu, missing ? "there is no NVIDIA driver "
					    "(libcuda.so.1 was not found)"
					  : error);
		return;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *found = dlsym(gpu->library, functions[i].symbol);

		if (found == NULL && functions[i].needed) {
			snprintf(why, sizeof(why), "libcuda.so.1 lacks %s",
				 functions[i].symbol);
			xs_cuda_fail(gpu, why);
			return;
		}
		/* dlsym() returns void *, which C does not convert to a
		 * function. */
		memcpy((char *)&gpu->api + functions[i].offset, &found,
		       sizeof(found));
	}
}

static void parse_device(struct xs_cuda_device *gpu, int ordinal)
{
	int count = 0;
	char why[80];

	XS_CUDA(gpu, cuInit, 0);
	XS_CUDA(gpu, cuDeviceGetCount, &count);
	if (!xs_cuda_failed(gpu) && (ordinal < 0 || ordinal >= count)) {
		snprintf(why, sizeof(why), "device %d of %d does not exist",
			 ordinal, count);
		xs_cuda_fail(gpu, why);
	}
	XS_CUDA(gpu, cuDeviceGet, &gpu->device, ordinal);
	XS_CUDA(gpu, cuDevicePrimaryCtxRetain, &gpu->context, gpu->device);
	gpu->retained = !xs_cuda_failed(gpu);
	XS_CUDA(gpu, cuCtxSetCurrent, gpu->context);
}

int xs_cuda_open(struct xs_cuda_device *gpu, int ordinal)
{
	memset(gpu, 0, sizeof(*gpu));
	load_api(gpu);
	if (!xs_cuda_failed(gpu))
		parse_device(gpu, ordinal);
	XS_CUDA(gpu, cuModuleLoadData, &gpu->module, xs_calibrate_ptx);
	for (int i = 0; i < XS_KERNELS; i++)
		XS_CUDA(gpu, cuModuleGetFunction, &gpu->kernel[i], gpu->module,
			kernel_names[i]);
	return xs_cuda_failed(gpu) ? -ENODEV : 0;
}

void xs_cuda_close(struct xs_cuda_device *gpu)
{
	if (gpu->module != NULL)
		gpu->api.cuModuleUnload(gpu->module);
	if (gpu->retained)
		gpu->api.cuDevicePrimaryCtxRelease(gpu->device);
	/* The driver's threads may still run its code, so it stays loaded. */
	memset(gpu, 0, sizeof(*gpu));
}

int xs_cuda_attribute(struct xs_cuda_device *gpu,
		      enum xs_cuda_attribute attribute)
{
	int value = 0;

	if (gpu->api.cuDeviceGetAttribute(&value, attribute, gpu->device) != 0)
		return 0;
	return value;
}

double xs_cuda_elapsed_ns(struct xs_cuda_device *gpu, xs_cuda_event start,
			  xs_cuda_event end)
{
	float ms = NAN;

	XS_CUDA(gpu, cuEventElapsedTime, &ms, start, end);
	return (double)ms * 1e6;
}

static void launch(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
		   unsigned blocks, unsigned threads, unsigned shared_bytes,
		   xs_cuda_stream stream, void **parameters)
{
	XS_CUDA(gpu, cuLaunchKernel, gpu->kernel[kernel], blocks, 1, 1, threads,
		1, 1, shared_bytes, stream, parameters, NULL);
}

void xs_cuda_launch_empty(struct xs_cuda_device *gpu, xs_cuda_stream stream)
{
	launch(gpu, XS_KERNEL_EMPTY, 1, 1, 0, stream, NULL);
}

void xs_cuda_spin(struct xs_cuda_device *gpu, uint64_t cycles,
		  xs_cuda_address flag, uint32_t value, xs_cuda_stream stream)
{
	void *parameters[] = {&cycles, &flag, &value};

	launch(gpu, XS_KERNEL_SPIN, 1, 1, 0, stream, parameters);
}

/* Shared memory that every GPU offers a block by default. */
#define SHARED_BYTES (48u << 10)

void xs_cuda_spin_all(struct xs_cuda_device *gpu, uint64_t cycles,
		      xs_cuda_stream stream)
{
	xs_cuda_address flag = 0;
	uint32_t value = 0;
	void *parameters[] = {&cycles, &flag, &value};
	unsigned fit = (unsigned)xs_cuda_attribute(gpu, XS_CUDA_SHARED_PER_SM) /
		       (SHARED_BYTES + 1024);
	unsigned blocks = (unsigned)xs_cuda_attribute(gpu, XS_CUDA_SM_COUNT) *
			  (fit > 1 ? fit : 1);

	launch(gpu, XS_KERNEL_SPIN, blocks, 1, SHARED_BYTES, stream,
	       parameters);
}

void xs_cuda_sweep(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
		   xs_cuda_address to, xs_cuda_address from, size_t bytes,
		   unsigned blocks, xs_cuda_stream stream)
{
	xs_cuda_sweep_lines(gpu, kernel, to, from, bytes, XS_CUDA_LINE_BYTES,
			    blocks, stream);
}

void xs_cuda_sweep_lines(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
			 xs_cuda_address to, xs_cuda_address from, size_t bytes,
			 unsigned line_bytes, unsigned blocks,
			 xs_cuda_stream stream)
{
	uint64_t words = bytes / 16;
	uint32_t shift = line_bytes == 32 ? 1 : line_bytes == 64 ? 2 : 3;
	bool in_turn = kernel == XS_KERNEL_READ && line_bytes == 32;
	uint64_t gap = XS_CUDA_LINE_BYTES - (in_turn ? 0 : line_bytes);
	void *parameters[] = {&to, &from, &words, &shift, &gap};

	if (blocks > (words + 255) / 256)
		blocks = (unsigned)((words + 255) / 256);
	launch(gpu, kernel, blocks, 256, 0, stream, parameters);
}

void xs_cuda_per_element(struct xs_cuda_device *gpu, xs_cuda_address to,
			 xs_cuda_address from, size_t elements, size_t stride,
			 xs_cuda_stream stream)
{
	uint64_t words = elements, step = 4 * stride;
	void *parameters[] = {&to, &from, &words, &step};

	launch(gpu, XS_KERNEL_PER_ELEMENT,
	       (unsigned)((elements + XS_CUDA_BLOCK_THREADS - 1) /
			  XS_CUDA_BLOCK_THREADS),
	       XS_CUDA_BLOCK_THREADS, 0, stream, parameters);
}

void xs_cuda_sweep_block(struct xs_cuda_device *gpu, xs_cuda_address to,
			 xs_cuda_address from, size_t bytes,
			 xs_cuda_stream stream)
{
	uint64_t words = bytes / 16;
	void *parameters[] = {&to, &from, &words};

	launch(gpu, XS_KERNEL_COPY, 1, XS_CUDA_LARGE_BLOCK, 0, stream,
	       parameters);
}

void xs_cuda_poll(struct xs_cuda_device *gpu, xs_cuda_address flag,
		  uint32_t count, xs_cuda_stream stream)
{
	void *parameters[] = {&flag, &count};

	launch(gpu, XS_KERNEL_POLL, 1, 1, 0, stream, parameters);
}

void xs_cuda_message(struct xs_cuda_device *gpu, xs_cuda_address to,
		     xs_cuda_address from, xs_cuda_address flag, uint32_t count,
		     unsigned blocks, xs_cuda_stream stream)
{
	void *parameters[] = {&to, &from, &flag, &count};

	launch(gpu, XS_KERNEL_MESSAGE, blocks, 32, 0, stream, parameters);
}

void xs_cuda_mailbox(struct xs_cuda_device *gpu,
		     const struct xs_cuda_mailbox *box, uint32_t turns,
		     unsigned flags, xs_cuda_stream stream)
{
	struct xs_cuda_mailbox b = *box;
	void *parameters[] = {&b.request, &b.answer, &turns, &b.late,
			      &b.most_ns};

	launch(gpu, XS_KERNEL_MAILBOX, 1, 32 * flags, 0, stream, parameters);
}
