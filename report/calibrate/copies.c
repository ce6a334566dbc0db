/* SPDX-License-Identifier: MIT */
/*
 * Copies in one direction at a time: L+o, G and g of van Werkhoven et al.
 * 2014, section V, and blocking copies of pageable memory.
 */
#include "report/calibrate/bench.h"

#include <stdlib.h>
#include <string.h>

/* GPU time of one pinned copy. way: an int. */
static double copy_ns(struct xs_bench *bench, const void *way, size_t bytes)
{
	xs_bench_begin(bench, bench->stream[0]);
	xs_bench_copy_async(bench, *(const int *)way, 0, bytes,
			    bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

/*
 * L+o: "approximated by measuring the transfer time of a single byte" (section
 * V-A), on an idle stream, so that it includes the host's part o.
 */
static void measure_latency(struct xs_bench *bench, int way,
			    enum xs_param_id id)
{
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(150);

	for (int i = 0; i < 20; i++)
		copy_ns(bench, &way, 1);
	while (xs_bench_repeat(&repeats))
		xs_samples_add(&samples, copy_ns(bench, &way, 1));
	xs_bench_set(bench, id, &samples);
}

void xs_bench_latency(struct xs_bench *bench)
{
	measure_latency(bench, XS_BENCH_IN, XS_PARAM_lo_h2d_ns);
	measure_latency(bench, XS_BENCH_OUT, XS_PARAM_lo_d2h_ns);
}

/* Measures it both ways. */
static void measure_slopes(struct xs_bench *bench, struct xs_sweep sweep,
			   int repeats,
			   const enum xs_param_id ids[XS_BENCH_WAYS])
{
	for (int way = 0; way < XS_BENCH_WAYS; way++) {
		sweep.what = &way;
		xs_bench_set_slope(bench, ids[way], &sweep, repeats);
	}
}

/* G: slope of time over size, up to 256 MiB or up to what takes some ms. */
void xs_bench_bandwidth(struct xs_bench *bench)
{
	static const enum xs_param_id ids[] = {XS_PARAM_G_h2d, XS_PARAM_G_d2h};

	measure_slopes(bench,
		       (struct xs_sweep){copy_ns, NULL, bench->copy_bytes, 9},
		       15, ids);
}

/* Host time of 16 MiB, less on a slow link, in `chunks` copies in one
 * direction, each on its own stream. */
static double chunked_ns(struct xs_bench *bench, const void *way, size_t chunks)
{
	const size_t bytes = bench->copy_bytes / 16 / chunks;
	double start = xs_bench_now_ns();

	for (size_t i = 0; i < chunks; i++)
		xs_bench_copy_async(bench, *(const int *)way, i * bytes, bytes,
				    bench->stream[i]);
	XS_CUDA(&bench->gpu, cuCtxSynchronize);
	return xs_bench_now_ns() - start;
}

/*
 * g: time that each further chunk adds, for L+o + k*G + g*(n-1) (section V);
 * slope of time over 1 to 32 chunks.
 */
void xs_bench_gap(struct xs_bench *bench)
{
	static const enum xs_param_id ids[] = {XS_PARAM_g_h2d_ns,
					       XS_PARAM_g_d2h_ns};

	measure_slopes(
	    bench, (struct xs_sweep){chunked_ns, NULL, XS_BENCH_STREAMS / 2, 6},
	    25, ids);
}

double xs_bench_blocking_ns(struct xs_bench *bench, int way, void *host,
			    size_t bytes)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	double start = xs_bench_now_ns();

	if (way == XS_BENCH_IN)
		XS_CUDA(gpu, cuMemcpyHtoD, bench->device[way], host, bytes);
	else
		XS_CUDA(gpu, cuMemcpyDtoH, host, bench->device[way], bytes);
	return xs_bench_now_ns() - start;
}

/* Sizes from 4 KiB to 256 MiB. */
#define CURVE_SIZES 17

_Static_assert(4096ull << (CURVE_SIZES - 1) == XS_BENCH_BYTES,
	       "the curve ends with a whole buffer");

/* Small copies vary more and cost less, so each sweep has more of them. */
static void add_sweep(struct xs_bench *bench, int way,
		      struct xs_samples samples[CURVE_SIZES])
{
	for (int i = 0; i < CURVE_SIZES; i++) {
		size_t bytes = (size_t)4096 << i;
		int repeats = bytes < 4 * XS_MIB ? 10 : 1;

		while (repeats-- > 0)
			xs_samples_add(&samples[i],
				       xs_bench_blocking_ns(
					   bench, way, bench->pageable, bytes));
	}
}

static void measure_curve(struct xs_bench *bench, int way)
{
	struct xs_samples samples[CURVE_SIZES] = {0};
	struct xs_repeats repeats = xs_bench_repeats(5);

	xs_bench_blocking_ns(bench, way, bench->pageable, bench->copy_bytes);
	while (xs_bench_repeat(&repeats))
		add_sweep(bench, way, samples);
	for (size_t i = 0; i < CURVE_SIZES; i++)
		xs_bench_set_point(bench, way, i, (size_t)4096 << i,
				   &samples[i]);
}

/* Uses other pages than the last pass, which are held until then: the rate
 * depends on their location. */
static void move_memory(struct xs_bench *bench)
{
	unsigned char *fresh = malloc(XS_BENCH_BYTES);

	if (fresh == NULL)
		return; /* the same pages are used again */
	memset(fresh, 1, XS_BENCH_BYTES);
	free(bench->pageable);
	bench->pageable = fresh;
}

void xs_bench_pageable(struct xs_bench *bench)
{
	move_memory(bench);
	measure_curve(bench, XS_BENCH_IN);
	measure_curve(bench, XS_BENCH_OUT);
}
