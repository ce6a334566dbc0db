/* SPDX-License-Identifier: MIT */
/*
 * Copies and kernels that depend on each other, as in a streamed round. There
 * the gap between copies is larger than between copies alone, because
 * dependencies must be signalled.
 */
#include "report/calibrate/bench.h"

#include <math.h>

/* Bytes of each chunk that its kernel processes if the whole chunk is copied
 * out: few, so that the copy is never late. */
#define KERNEL_BYTES ((size_t)64 << 10)
#define TINY_BYTES   ((size_t)256)
#define PIECES	     32
#define SIZES	     5

/* IN_AND_OUT copies whole chunks out, the others almost nothing. In IN_CHAINED
 * each copy in waits for the event of the previous one. */
enum kind { IN_ALONE, IN_AND_OUT, IN_CHAINED };

/* Host time of `count` chunks, each copied in, processed and copied out on its
 * own stream. */
static double pieces_ns(struct xs_bench *bench, size_t bytes, enum kind kind,
			unsigned pieces)
{
	bool all_out = kind == IN_AND_OUT, chained = kind == IN_CHAINED;
	size_t worked = all_out && KERNEL_BYTES < bytes ? KERNEL_BYTES : bytes;
	size_t out = all_out ? bytes : TINY_BYTES;
	double start = xs_bench_now_ns();

	for (unsigned i = 0; i < pieces; i++) {
		xs_cuda_stream stream = bench->stream[i];
		size_t at = i * bytes;

		if (chained && i > 0)
			XS_CUDA(&bench->gpu, cuStreamWaitEvent, stream,
				bench->order[i % 2], 0);
		xs_bench_copy_async(bench, XS_BENCH_IN, at, bytes, stream);
		if (chained)
			XS_CUDA(&bench->gpu, cuEventRecord,
				bench->order[(i + 1) % 2], stream);
		xs_cuda_per_element(
		    &bench->gpu, bench->device[XS_BENCH_OUT] + at,
		    bench->device[XS_BENCH_IN] + at, worked / 4, 1, stream);
		xs_bench_copy_async(bench, XS_BENCH_OUT, at, out, stream);
	}
	XS_CUDA(&bench->gpu, cuCtxSynchronize);
	return xs_bench_now_ns() - start;
}

/*
 * Time of a chunk. Of the line over its size, the intercept is g, and the slope
 * the time per byte. If both engines work, that is the time of copies out,
 * which wait for the kernels and are slower.
 */
static double chunk_ns(struct xs_bench *bench, const void *kind, size_t bytes)
{
	const enum kind of = *(const enum kind *)kind;

	return (pieces_ns(bench, bytes, of, PIECES) -
		pieces_ns(bench, bytes, of, PIECES / 2)) /
	       (PIECES / 2);
}

static void measure_gap(struct xs_bench *bench, enum kind kind,
			enum xs_param_id id)
{
	struct xs_samples gaps = {0}, rates = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);
	const struct xs_sweep sweep = {chunk_ns, &kind,
				       bench->copy_bytes / PIECES / 2, SIZES};

	xs_bench_line(bench, &sweep); /* streams not used before */
	while (xs_bench_repeat(&repeats)) {
		const struct xs_line line = xs_bench_line(bench, &sweep);

		xs_samples_add(&gaps, fmax(line.intercept, 0));
		xs_samples_add(&rates,
			       fmax(line.slope, bench->machine->G_d2h.value));
	}
	xs_bench_set(bench, id, &gaps);
	if (kind == IN_AND_OUT)
		xs_bench_set(bench, XS_PARAM_G_both_d2h, &rates);
}

void xs_bench_pipeline(struct xs_bench *bench)
{
	measure_gap(bench, IN_AND_OUT, XS_PARAM_g_both_ns);
	measure_gap(bench, IN_ALONE, XS_PARAM_g_kernel_ns);
	measure_gap(bench, IN_CHAINED, XS_PARAM_g_event_ns);
}

/* Time from the end of a small copy to the end of an empty kernel after it,
 * while the engine continues with a copy of another stream, as in a pipeline.
 * It is several times longer than on an idle engine. */
static double kernel_after_copy_ns(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	xs_cuda_stream stream = bench->stream[0];

	xs_bench_copy_async(bench, XS_BENCH_IN, 0, KERNEL_BYTES, stream);
	XS_CUDA(gpu, cuEventRecord, bench->event[0], stream);
	xs_cuda_launch_empty(gpu, stream);
	XS_CUDA(gpu, cuEventRecord, bench->event[1], stream);
	xs_bench_copy_async(bench, XS_BENCH_IN, KERNEL_BYTES, 4 * KERNEL_BYTES,
			    bench->stream[1]);
	XS_CUDA(gpu, cuCtxSynchronize);
	return xs_cuda_elapsed_ns(gpu, bench->event[0], bench->event[1]);
}

void xs_bench_copy_to_kernel(struct xs_bench *bench)
{
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(150);

	kernel_after_copy_ns(bench);
	while (xs_bench_repeat(&repeats))
		xs_samples_add(&samples, kernel_after_copy_ns(bench));
	xs_bench_set(bench, XS_PARAM_copy_to_kernel_ns, &samples);
}
