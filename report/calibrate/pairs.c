/* SPDX-License-Identifier: MIT */
/*
 * Kernels on mapped memory, and two kinds of traffic at the same time (van
 * Werkhoven et al. 2014, table II).
 */
#include "report/calibrate/bench.h"

#include <math.h>

/* Item sizes, 32 to 128 MiB if those take some ms. The slope over several
 * sizes omits the fixed cost of launches and copies. */
#define SIZES	   3
#define ITEM_BYTES (128 * XS_MIB)

enum traffic { COPY_IN, COPY_OUT, MAPPED_READ, MAPPED_WRITE, MAPPED_BOTH };

/* Issues an item of one kind. */
static void enqueue(struct xs_bench *bench, enum traffic traffic, size_t bytes,
		    size_t offset, xs_cuda_stream stream)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_address to = bench->mapped[XS_BENCH_OUT] + offset;
	xs_cuda_address from = bench->mapped[XS_BENCH_IN] + offset;

	switch (traffic) {
	case COPY_IN:
		xs_bench_copy_async(bench, XS_BENCH_IN, offset, bytes, stream);
		break;
	case COPY_OUT:
		xs_bench_copy_async(bench, XS_BENCH_OUT, offset, bytes, stream);
		break;
	case MAPPED_READ:
		xs_cuda_sweep(gpu, XS_KERNEL_READ, bench->device[XS_BENCH_IN],
			      from, bytes, bench->sweep_blocks, stream);
		break;
	case MAPPED_WRITE:
		xs_cuda_sweep(gpu, XS_KERNEL_WRITE, to, 0, bytes,
			      bench->sweep_blocks, stream);
		break;
	case MAPPED_BOTH:
		xs_cuda_sweep(gpu, XS_KERNEL_COPY, to, from, bytes,
			      bench->sweep_blocks, stream);
		break;
	}
}

static size_t largest(const struct xs_bench *bench, enum traffic traffic)
{
	if (traffic != COPY_IN && traffic != COPY_OUT)
		return bench->mapped_bytes;
	return bench->copy_bytes < ITEM_BYTES ? bench->copy_bytes : ITEM_BYTES;
}

/* Time of an item alone; successive ones use different memory. */
static double alone_ns(struct xs_bench *bench, const void *traffic,
		       size_t bytes)
{
	const enum traffic kind = *(const enum traffic *)traffic;
	const size_t least = largest(bench, kind) >> (SIZES - 1);

	xs_bench_begin(bench, bench->stream[0]);
	enqueue(bench, kind, bytes, bytes - least, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

static struct xs_samples measure_alone(struct xs_bench *bench,
				       enum traffic traffic)
{
	const struct xs_sweep sweep = {alone_ns, &traffic,
				       largest(bench, traffic), SIZES};

	return xs_bench_slopes(bench, &sweep, 12);
}

void xs_bench_mapped(struct xs_bench *bench)
{
	struct xs_samples read = measure_alone(bench, MAPPED_READ);
	struct xs_samples write = measure_alone(bench, MAPPED_WRITE);
	/* One kernel moves as many bytes in both directions. */
	struct xs_samples both = measure_alone(bench, MAPPED_BOTH);

	xs_bench_set(bench, XS_PARAM_mapped_read, &read);
	xs_bench_set(bench, XS_PARAM_mapped_write, &write);
	xs_bench_set(bench, XS_PARAM_mapped_both_read, &both);
	xs_bench_set(bench, XS_PARAM_mapped_both_write, &both);
}

/* Items per lane, with an event before each and one at the end. */
#define ITEMS 8
#define MARKS (ITEMS + 1)

_Static_assert(2 * MARKS <= XS_BENCH_EVENTS, "two lanes must find events");

/* Mean time of the items of a lane that ran while the other lane was busy. The
 * first item is omitted, since the other lane may not be at full speed. */
static double covered_ns(const double *lane, const double *other)
{
	double sum = 0;
	int count = 0;

	for (int i = 1; i < ITEMS; i++)
		if (lane[i] >= other[0] && lane[i + 1] <= other[ITEMS]) {
			sum += lane[i + 1] - lane[i];
			count++;
		}
	return count > 0 ? sum / count : NAN;
}

/*
 * Mean time in ns of an item of `bytes` of the first kind while the second
 * kind keeps the link busy; NAN if too few items ran in that time.
 */
static double item_under(struct xs_bench *bench, const void *what, size_t bytes)
{
	const enum traffic *kinds = what;
	const size_t sizes[2] = {bytes, largest(bench, kinds[1])};
	struct xs_cuda_device *gpu = &bench->gpu;
	double marks[2][MARKS];

	for (size_t i = 0; i < MARKS; i++)
		for (size_t lane = 0; lane < 2; lane++) {
			XS_CUDA(gpu, cuEventRecord,
				bench->event[lane * MARKS + i],
				bench->stream[lane]);
			if (i < ITEMS)
				enqueue(bench, kinds[lane], sizes[lane],
					i * sizes[lane] % XS_BENCH_BYTES,
					bench->stream[lane]);
		}
	XS_CUDA(gpu, cuCtxSynchronize);
	for (size_t lane = 0; lane < 2; lane++)
		for (size_t i = 0; i < MARKS; i++)
			marks[lane][i] =
			    xs_cuda_elapsed_ns(gpu, bench->event[0],
					       bench->event[lane * MARKS + i]);
	return covered_ns(marks[0], marks[1]);
}

/*
 * G of one kind of traffic during another. One may starve the other: read
 * requests of copies queue behind mapped writes, which leave them little of
 * the link. So the items shrink until several fit into the other traffic.
 */
static void measure_under(struct xs_bench *bench, enum traffic kind,
			  enum traffic cover, enum xs_param_id id)
{
	const enum traffic kinds[2] = {kind, cover};
	struct xs_sweep sweep = {item_under, kinds, largest(bench, kind),
				 SIZES};
	struct xs_samples samples = {0};

	for (; sweep.most >= largest(bench, kind) / 64 && samples.count == 0;
	     sweep.most /= 4)
		samples = xs_bench_slopes(bench, &sweep, 5);
	xs_bench_set(bench, id, &samples);
}

void xs_bench_both_ways(struct xs_bench *bench)
{
	measure_under(bench, COPY_IN, COPY_OUT, XS_PARAM_G_both_h2d);
}

void xs_bench_mapped_against(struct xs_bench *bench)
{
	measure_under(bench, MAPPED_READ, COPY_OUT,
		      XS_PARAM_mapped_read_vs_d2h);
	measure_under(bench, COPY_OUT, MAPPED_READ,
		      XS_PARAM_d2h_vs_mapped_read);
}
