/* SPDX-License-Identifier: MIT */
/* Host time of pinned allocation, registration and first touch. */
#include "report/calibrate/bench.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* Sizes of a sweep: 64 KiB, 1, 4, 16 and 64 MiB. */
#define SIZES 5

static const size_t sizes[SIZES] = {XS_MIB / 16, XS_MIB, 4 * XS_MIB,
				    16 * XS_MIB, 64 * XS_MIB};

static double pin_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *memory = NULL;
	double start = xs_bench_now_ns();

	XS_CUDA(gpu, cuMemHostAlloc, &memory, bytes, 0);

	double ns = xs_bench_now_ns() - start;

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

	if (memory == NULL)
		return NAN;
	memset(memory, 1, bytes);

	double start = xs_bench_now_ns();

	XS_CUDA(gpu, cuMemHostRegister, memory, bytes, 0);

	double ns = xs_bench_now_ns() - start;

	XS_CUDA(gpu, cuMemHostUnregister, memory);
	munmap(memory, bytes);
	return ns;
}

/* The time per byte is the slope over the sizes; the fixed time is the
 * smallest size's time without its bytes. */
static void measure_sweep(struct xs_bench *bench,
			  double (*measure)(struct xs_bench *, size_t),
			  struct xs_machine *machine, enum xs_param_id fixed,
			  enum xs_param_id byte)
{
	struct xs_samples fixed_samples = {0}, byte_samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(7);
	double bytes[SIZES], ns[SIZES];

	measure(bench, sizes[SIZES - 1]);
	while (xs_bench_repeat(&repeats)) {
		for (int i = 0; i < SIZES; i++) {
			bytes[i] = (double)sizes[i];
			ns[i] = measure(bench, sizes[i]);
		}

		double slope = xs_stats_fit(bytes, ns, SIZES).slope;

		xs_samples_add(&byte_samples, slope);
		xs_samples_add(&fixed_samples,
			       fmax(ns[0] - slope * bytes[0], 0));
	}
	xs_bench_set(bench, machine, fixed, &fixed_samples);
	xs_bench_set(bench, machine, byte, &byte_samples);
}

void xs_bench_pin(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_sweep(bench, pin_ns, machine, XS_PARAM_pin_fixed_ns,
		      XS_PARAM_pin_byte_ns);
}

void xs_bench_register(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_sweep(bench, register_ns, machine, XS_PARAM_register_fixed_ns,
		      XS_PARAM_register_byte_ns);
}

static double fill_ns(unsigned char *memory, size_t bytes, int value)
{
	double start = xs_bench_now_ns();

	memset(memory, value, bytes);
	/* Keeps the compiler from removing a fill that is never read. */
	__asm__ volatile("" : : "r"(memory) : "memory");
	return xs_bench_now_ns() - start;
}

/* Additional time to fill untouched pages, compared with touched ones. */
void xs_bench_touch(struct xs_bench *bench, struct xs_machine *machine)
{
	const size_t bytes = 64 * XS_MIB;
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(12);

	while (xs_bench_repeat(&repeats)) {
		unsigned char *memory = map_pages(bench, bytes);

		if (memory == NULL)
			return;

		double first = fill_ns(memory, bytes, 1);
		double again = fill_ns(memory, bytes, 2);

		munmap(memory, bytes);
		xs_samples_add(&samples,
			       fmax(first - again, 0) / (double)bytes);
	}
	xs_bench_set(bench, machine, XS_PARAM_touch_byte_ns, &samples);
}
