/* SPDX-License-Identifier: MIT */
/* Batches: many small copies to the device in one call. */
#include "report/calibrate/bench.h"

#include <math.h>

/* Batches of 4, 8, 16, 32 and 64 copies, each from and to its own place. */
#define SIZES	   5
#define COPIES_MAX 64
#define COPY_BYTES ((size_t)XS_BATCH_COPY_BYTES)
#define STEP_BYTES (2 * COPY_BYTES)

struct batch_times {
	double call_ns, gpu_ns;
};

static struct batch_times batch_times(struct xs_bench *bench, size_t copies)
{
	struct xs_cuda_copy_attributes attributes = {
	    .source_order = XS_CUDA_SOURCE_ORDER_STREAM};
	xs_cuda_address to[COPIES_MAX], from[COPIES_MAX];
	size_t bytes[COPIES_MAX], first = 0;
	struct xs_cuda_device *gpu = &bench->gpu;
	struct batch_times times;
	double start;

	for (size_t i = 0; i < copies; i++) {
		to[i] = bench->device[XS_BENCH_IN] + i * STEP_BYTES;
		from[i] =
		    (uintptr_t)bench->pinned[XS_BENCH_IN] + i * STEP_BYTES;
		bytes[i] = COPY_BYTES;
	}
	xs_bench_begin(bench, bench->stream[0]);
	start = xs_bench_now_ns();
	XS_CUDA(gpu, cuMemcpyBatchAsync, to, from, bytes, copies, &attributes,
		&first, 1, bench->stream[0]);
	times.call_ns = xs_bench_now_ns() - start;
	times.gpu_ns = xs_bench_end_ns(bench, bench->stream[0]);
	return times;
}

void xs_bench_batch(struct xs_bench *bench)
{
	const double copy_ns = (double)COPY_BYTES * bench->machine->G_h2d.value;
	struct xs_samples calls = {0}, calls_each = {0}, gaps = {0};
	struct xs_repeats repeats = xs_bench_repeats(30);
	double copies[SIZES], call_ns[SIZES], gpu_ns[SIZES];

	if (!bench->gpu.api.cuMemcpyBatchAsync)
		return;
	batch_times(bench, COPIES_MAX);
	while (xs_bench_repeat(&repeats)) {
		for (int i = 0; i < SIZES; i++) {
			size_t count = (size_t)4 << i;
			struct batch_times times = batch_times(bench, count);

			copies[i] = (double)count;
			call_ns[i] = times.call_ns;
			gpu_ns[i] = times.gpu_ns;
		}

		struct xs_line call = xs_stats_fit(copies, call_ns, SIZES);

		xs_samples_add(&calls, fmax(call.intercept, 0));
		xs_samples_add(&calls_each, fmax(call.slope, 0));
		xs_samples_add(
		    &gaps,
		    fmax(xs_stats_fit(copies, gpu_ns, SIZES).slope - copy_ns,
			 0));
	}
	xs_bench_set(bench, XS_PARAM_call_batch_ns, &calls);
	xs_bench_set(bench, XS_PARAM_call_batch_copy_ns, &calls_each);
	xs_bench_set(bench, XS_PARAM_g_batch_ns, &gaps);
}
