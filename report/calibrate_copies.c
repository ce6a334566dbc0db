/* SPDX-License-Identifier: MIT */
/*
 * Copies, one direction at a time: L+o, G and g of van Werkhoven et al. 2014,
 * section V, and blocking copies of pageable memory.
 */
#include "report/calibrate_bench.h"

#include <math.h>

/* The GPU's time of one pinned copy, between events around it. */
static double copy_ns(struct xs_bench *bench, int way, size_t bytes)
{
	struct xs_gpu *gpu = &bench->gpu;
	xs_gpu_stream stream = bench->stream[0];

	XS_GPU(gpu, cuEventRecord, bench->event[0], stream);
	xs_bench_copy_async(bench, way, 0, bytes, stream);
	XS_GPU(gpu, cuEventRecord, bench->event[1], stream);
	XS_GPU(gpu, cuEventSynchronize, bench->event[1]);
	return xs_gpu_elapsed_ns(gpu, bench->event[0], bench->event[1]);
}

/*
 * L+o: "approximated by measuring the transfer time of a single byte"
 * (section V-A), on an idle stream, so that o, the host's part, is in it.
 */
static void measure_latency(struct xs_bench *bench, int way,
			    struct xs_param *param)
{
	struct xs_samples samples = {0};

	for (int i = 0; i < 20; i++)
		copy_ns(bench, way, 1);
	for (int i = 0; i < 400; i++)
		xs_samples_add(&samples, copy_ns(bench, way, 1));
	xs_bench_set(bench, param, &samples);
}

void xs_bench_latency(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_latency(bench, XS_BENCH_IN, &machine->lo_h2d_ns);
	measure_latency(bench, XS_BENCH_OUT, &machine->lo_d2h_ns);
}

/* G: the slope of time over size, 1 to 256 MiB; one estimate a sweep. */
static void measure_bandwidth(struct xs_bench *bench, int way,
			      struct xs_param *param)
{
	struct xs_samples samples = {0};
	double bytes[9], ns[9];

	copy_ns(bench, way, XS_BENCH_BYTES);
	for (int sweep = 0; sweep < 40; sweep++) {
		for (int i = 0; i < 9; i++) {
			bytes[i] = (double)(XS_MIB << i);
			ns[i] = copy_ns(bench, way, XS_MIB << i);
		}
		xs_samples_add(&samples, xs_stats_fit(bytes, ns, 9).slope);
	}
	xs_bench_set(bench, param, &samples);
}

void xs_bench_bandwidth(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_bandwidth(bench, XS_BENCH_IN, &machine->G_h2d);
	measure_bandwidth(bench, XS_BENCH_OUT, &machine->G_d2h);
}

/* The most chunks of one direction, so that two find streams. */
#define CHUNKS_MAX (XS_BENCH_STREAMS / 2)
#define BOTH_WAYS  -1

/* The host's time of 16 MiB one way, or each way, in `chunks` copies, each on
 * a stream of its own. */
static double chunked_ns(struct xs_bench *bench, int way, size_t chunks)
{
	const size_t bytes = 16 * XS_MIB / chunks;
	double start = xs_bench_now_ns();

	for (size_t i = 0; i < chunks; i++) {
		if (way != XS_BENCH_OUT)
			xs_bench_copy_async(bench, XS_BENCH_IN, i * bytes,
					    bytes, bench->stream[i]);
		if (way != XS_BENCH_IN)
			xs_bench_copy_async(bench, XS_BENCH_OUT, i * bytes,
					    bytes,
					    bench->stream[CHUNKS_MAX + i]);
	}
	XS_GPU(&bench->gpu, cuCtxSynchronize);
	return xs_bench_now_ns() - start;
}

/*
 * g: what each further chunk adds, for L+o + k*G + g*(n-1) (section V): the
 * slope of time over the number of chunks, 1 to 32.
 */
static void measure_gap(struct xs_bench *bench, int way, struct xs_param *param)
{
	struct xs_samples samples = {0};
	double chunks[6], ns[6];

	for (int sweep = -1; sweep < 60; sweep++) {
		for (int i = 0; i < 6; i++) {
			chunks[i] = 1 << i;
			ns[i] = chunked_ns(bench, way, (size_t)1 << i);
		}
		if (sweep >= 0) /* the first touches streams never used */
			xs_samples_add(&samples,
				       xs_stats_fit(chunks, ns, 6).slope);
	}
	xs_bench_set(bench, param, &samples);
}

void xs_bench_gap(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_gap(bench, XS_BENCH_IN, &machine->g_h2d_ns);
	measure_gap(bench, XS_BENCH_OUT, &machine->g_d2h_ns);
	measure_gap(bench, BOTH_WAYS, &machine->g_both_ns);
}

/* The host's time of one blocking copy between warm pages. */
static double pageable_ns(struct xs_bench *bench, int way, size_t bytes)
{
	struct xs_gpu *gpu = &bench->gpu;
	double start = xs_bench_now_ns();

	if (way == XS_BENCH_IN)
		XS_GPU(gpu, cuMemcpyHtoD, bench->device[way], bench->pageable,
		       bytes);
	else
		XS_GPU(gpu, cuMemcpyDtoH, bench->pageable, bench->device[way],
		       bytes);
	return xs_bench_now_ns() - start;
}

static void measure_curve(struct xs_bench *bench, int way,
			  struct xs_curve *curve)
{
	struct xs_curve measured = {0};

	for (size_t bytes = 4096; bytes <= XS_BENCH_BYTES; bytes *= 2) {
		struct xs_samples samples = {0};
		int repeats = bytes < 4 * XS_MIB ? 51 : 9;

		pageable_ns(bench, way, bytes);
		for (int i = 0; i < repeats; i++)
			xs_samples_add(&samples,
				       pageable_ns(bench, way, bytes));
		measured.bytes[measured.count] = (double)bytes;
		measured.ns[measured.count++] = xs_samples_median(&samples);
	}
	if (!xs_gpu_failed(&bench->gpu))
		*curve = measured;
}

void xs_bench_pageable(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_curve(bench, XS_BENCH_IN, &machine->pageable_h2d);
	measure_curve(bench, XS_BENCH_OUT, &machine->pageable_d2h);
}
