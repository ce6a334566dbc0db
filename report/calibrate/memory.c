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

/* Host time to make something and to end it. */
struct both_ns {
	double make, end;
};

static struct both_ns pin_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *memory = NULL;
	double start = xs_bench_now_ns(), made;

	XS_CUDA(gpu, cuMemHostAlloc, &memory, bytes, 0);
	made = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemFreeHost, memory);
	return (struct both_ns){made - start, xs_bench_now_ns() - made};
}

static struct both_ns allocate_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_address memory = 0;
	double start = xs_bench_now_ns(), made;

	XS_CUDA(gpu, cuMemAlloc, &memory, bytes);
	made = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemFree, memory);
	return (struct both_ns){made - start, xs_bench_now_ns() - made};
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

static struct both_ns register_ns(struct xs_bench *bench, size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	void *memory = map_pages(bench, bytes);
	double start, made;

	if (memory == NULL)
		return (struct both_ns){NAN, NAN};
	memset(memory, 1, bytes);
	start = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemHostRegister, memory, bytes, 0);
	made = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemHostUnregister, memory);
	munmap(memory, bytes);
	return (struct both_ns){made - start, xs_bench_now_ns() - made};
}

/* A fixed time and a time per byte. */
struct cost {
	struct xs_samples fixed, byte;
};

/* The time per byte is the slope over the sizes; the fixed time is the
 * smallest size's time without its bytes. */
static void add_cost(struct cost *cost, const double *ns)
{
	double bytes[SIZES], slope;

	for (int i = 0; i < SIZES; i++)
		bytes[i] = (double)sizes[i];
	slope = xs_stats_fit(bytes, ns, SIZES).slope;
	xs_samples_add(&cost->byte, slope);
	xs_samples_add(&cost->fixed, fmax(ns[0] - slope * bytes[0], 0));
}

static void measure_sweep(struct xs_bench *bench,
			  struct both_ns (*measure)(struct xs_bench *, size_t),
			  struct cost *make, struct cost *end)
{
	struct xs_repeats repeats = xs_bench_repeats(7);
	double make_ns[SIZES], end_ns[SIZES];

	measure(bench, sizes[SIZES - 1]);
	while (xs_bench_repeat(&repeats)) {
		for (int i = 0; i < SIZES; i++) {
			struct both_ns ns = measure(bench, sizes[i]);

			make_ns[i] = ns.make;
			end_ns[i] = ns.end;
		}
		add_cost(make, make_ns);
		add_cost(end, end_ns);
	}
}

void xs_bench_pin(struct xs_bench *bench, struct xs_machine *machine)
{
	struct cost make = {0}, end = {0};

	measure_sweep(bench, pin_ns, &make, &end);
	xs_bench_set(bench, machine, XS_PARAM_pin_fixed_ns, &make.fixed);
	xs_bench_set(bench, machine, XS_PARAM_pin_byte_ns, &make.byte);
}

void xs_bench_register(struct xs_bench *bench, struct xs_machine *machine)
{
	struct cost make = {0}, end = {0};

	measure_sweep(bench, register_ns, &make, &end);
	xs_bench_set(bench, machine, XS_PARAM_register_fixed_ns, &make.fixed);
	xs_bench_set(bench, machine, XS_PARAM_register_byte_ns, &make.byte);
}

void xs_bench_allocate(struct xs_bench *bench, struct xs_machine *machine)
{
	struct cost make = {0}, end = {0};

	measure_sweep(bench, allocate_ns, &make, &end);
	xs_bench_set(bench, machine, XS_PARAM_device_alloc_fixed_ns,
		     &make.fixed);
	xs_bench_set(bench, machine, XS_PARAM_device_alloc_byte_ns, &make.byte);
	xs_bench_set(bench, machine, XS_PARAM_device_free_fixed_ns, &end.fixed);
	xs_bench_set(bench, machine, XS_PARAM_device_free_byte_ns, &end.byte);
}

/* Additional time of a copy out to untouched pages, compared with touched
 * ones. */
void xs_bench_touch(struct xs_bench *bench, struct xs_machine *machine)
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
	xs_bench_set(bench, machine, XS_PARAM_touch_byte_ns, &samples);
}
