/* SPDX-License-Identifier: MIT */
/* Host time of pinned allocation, registration, first touch and allocation of
 * device memory. */
#include "report/calibrate/bench.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* Sizes of a sweep: 64 KiB, 1, 4, 16 and 64 MiB. */
#define SIZES 5

static const size_t sizes[SIZES] = {XS_PIN_LEAST_BYTES, XS_MIB, 4 * XS_MIB,
				    16 * XS_MIB, 64 * XS_MIB};

static double pin_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *memory = NULL;
	double ns = -xs_bench_now_ns();

	XS_CUDA(gpu, cuMemHostAlloc, &memory, bytes, 0);
	ns += xs_bench_now_ns();
	XS_CUDA(gpu, cuMemFreeHost, memory);
	return ns;
}

/* Returns untouched pages, NULL after setting a failure. */
static void *map_pages(struct xs_bench *bench, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	xs_cuda_fail(&bench->gpu, "cannot allocate host memory");
	return NULL;
}

static double register_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *memory = map_pages(bench, bytes);
	double ns;

	if (memory == NULL)
		return NAN;
	memset(memory, 1, bytes);
	ns = -xs_bench_now_ns();
	XS_CUDA(gpu, cuMemHostRegister, memory, bytes, 0);
	ns += xs_bench_now_ns();
	XS_CUDA(gpu, cuMemHostUnregister, memory);
	munmap(memory, bytes);
	return ns;
}

/* Host time to allocate device memory, and to free it. */
static double allocating_ns(struct xs_bench *bench, size_t bytes,
			    double *free_ns)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_address memory = 0;
	double start = xs_bench_now_ns(), made;

	XS_CUDA(gpu, cuMemAlloc, &memory, bytes);
	made = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemFree, memory);
	*free_ns = xs_bench_now_ns() - made;
	return made - start;
}

static double allocate_ns(struct xs_bench *bench, size_t bytes)
{
	double free_ns;

	return allocating_ns(bench, bytes, &free_ns);
}

static double free_ns(struct xs_bench *bench, size_t bytes)
{
	double ns;

	allocating_ns(bench, bytes, &ns);
	return ns;
}

/* Sets a fixed time and a time per byte, the slope over the sizes: the fixed
 * one is the smallest size's time without its bytes. */
static void measure(struct xs_bench *bench,
		    double (*time_ns)(struct xs_bench *, size_t),
		    enum xs_param_id fixed_id, enum xs_param_id byte_id)
{
	struct xs_samples fixed = {0}, byte = {0};
	struct xs_repeats repeats = xs_bench_repeats(7);
	double bytes[SIZES], ns[SIZES], slope;

	time_ns(bench, sizes[SIZES - 1]);
	while (xs_bench_repeat(&repeats)) {
		for (int i = 0; i < SIZES; i++) {
			bytes[i] = (double)sizes[i];
			ns[i] = time_ns(bench, sizes[i]);
		}
		slope = xs_stats_fit(bytes, ns, SIZES).slope;
		xs_samples_add(&byte, slope);
		xs_samples_add(&fixed, fmax(ns[0] - slope * bytes[0], 0));
	}
	xs_bench_set(bench, fixed_id, &fixed);
	xs_bench_set(bench, byte_id, &byte);
}

void xs_bench_pin(struct xs_bench *bench)
{
	measure(bench, pin_ns, XS_PARAM_pin_fixed_ns, XS_PARAM_pin_byte_ns);
}

void xs_bench_register(struct xs_bench *bench)
{
	measure(bench, register_ns, XS_PARAM_register_fixed_ns,
		XS_PARAM_register_byte_ns);
}

void xs_bench_allocate(struct xs_bench *bench)
{
	measure(bench, allocate_ns, XS_PARAM_device_alloc_fixed_ns,
		XS_PARAM_device_alloc_byte_ns);
	measure(bench, free_ns, XS_PARAM_device_free_fixed_ns,
		XS_PARAM_device_free_byte_ns);
}

/* Additional time of a copy out to untouched pages, compared with touched
 * ones. */
void xs_bench_touch(struct xs_bench *bench)
{
	const size_t bytes = 64 * XS_MIB;
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(12);

	while (xs_bench_repeat(&repeats)) {
		void *memory = map_pages(bench, bytes);

		if (memory == NULL)
			return;

		double first =
		    xs_bench_blocking_ns(bench, XS_BENCH_OUT, memory, bytes);
		double again =
		    xs_bench_blocking_ns(bench, XS_BENCH_OUT, memory, bytes);

		munmap(memory, bytes);
		xs_samples_add(&samples,
			       fmax(first - again, 0) / (double)bytes);
	}
	xs_bench_set(bench, XS_PARAM_touch_byte_ns, &samples);
}
