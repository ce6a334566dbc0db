/* SPDX-License-Identifier: MIT */
/*
 * Copies and kernels that wait for each other, as in a streamed round: there a
 * copy follows another at a longer distance than among copies alone, since
 * what depends on it has to be told.
 */
#include "report/calibrate_bench.h"

#include <math.h>

/* Of each piece that is copied out the kernel takes so much, little enough
 * never to be late. */
#define KERNEL_BYTES ((size_t)64 << 10)
#define TINY_BYTES   ((size_t)256)
#define PIECES	     32
#define SIZES	     5

/* What the pieces do besides: all of each goes out, and not next to nothing; or
 * each copy in waits for the event of the one before. */
enum kind { IN_ALONE, IN_AND_OUT, IN_CHAINED };

/* The host's time of so many pieces, each copied in, worked on and copied out
 * on a stream of its own. */
static double pieces_ns(struct xs_bench *bench, size_t bytes, enum kind kind,
			unsigned pieces)
{
	bool all_out = kind == IN_AND_OUT, chained = kind == IN_CHAINED;
	size_t worked = all_out && KERNEL_BYTES < bytes ? KERNEL_BYTES : bytes;
	size_t out = all_out ? bytes : TINY_BYTES;
	double start = xs_bench_now_ns();

	for (unsigned i = 0; i < pieces; i++) {
		xs_gpu_stream stream = bench->stream[i];
		size_t at = i * bytes;

		if (chained && i > 0)
			XS_GPU(&bench->gpu, cuStreamWaitEvent, stream,
			       bench->event[i % 2], 0);
		xs_bench_copy_async(bench, XS_BENCH_IN, at, bytes, stream);
		if (chained)
			XS_GPU(&bench->gpu, cuEventRecord,
			       bench->event[(i + 1) % 2], stream);
		xs_gpu_each(&bench->gpu, bench->device[XS_BENCH_OUT] + at,
			    bench->device[XS_BENCH_IN] + at, worked / 4, 1,
			    stream);
		xs_bench_copy_async(bench, XS_BENCH_OUT, at, out, stream);
	}
	XS_GPU(&bench->gpu, cuCtxSynchronize);
	return xs_bench_now_ns() - start;
}

/*
 * The pace of the pieces, over their size: g and the piece's bytes, those out
 * where both engines work: the copies to the host are the slower, since they
 * wait for the kernels.
 */
static struct xs_line pace(struct xs_bench *bench, enum kind kind)
{
	double bytes[SIZES], ns[SIZES];

	for (size_t i = 0; i < SIZES; i++) {
		size_t size = bench->copy_bytes / PIECES >> (SIZES - 1 - i);

		bytes[i] = (double)size;
		ns[i] = (pieces_ns(bench, size, kind, PIECES) -
			 pieces_ns(bench, size, kind, PIECES / 2)) /
			(PIECES / 2);
	}
	return xs_stats_fit(bytes, ns, SIZES);
}

void xs_bench_pipeline(struct xs_bench *bench, struct xs_machine *machine)
{
	struct xs_samples gaps = {0}, rates = {0};
	struct xs_samples behind = {0}, chained = {0};
	struct xs_turns turns = xs_bench_turns(20);

	pace(bench, IN_AND_OUT); /* streams never used */
	while (xs_bench_turn(&turns)) {
		struct xs_line line = pace(bench, IN_AND_OUT);

		xs_samples_add(&behind,
			       fmax(pace(bench, IN_ALONE).intercept, 0));
		xs_samples_add(&chained,
			       fmax(pace(bench, IN_CHAINED).intercept, 0));
		xs_samples_add(&gaps, fmax(line.intercept, 0));
		xs_samples_add(&rates, fmax(line.slope, machine->G_d2h.value));
	}
	xs_bench_set(bench, machine, XS_PARAM_g_kernel_ns, &behind);
	xs_bench_set(bench, machine, XS_PARAM_g_event_ns, &chained);
	xs_bench_set(bench, machine, XS_PARAM_g_both_ns, &gaps);
	xs_bench_set(bench, machine, XS_PARAM_G_both_d2h, &rates);
}

/* Copies of this size and empty kernels in turns, after a kernel that holds
 * them all until the host has made its calls. */
#define TURNS	   24
#define TURN_BYTES ((size_t)4096)
#define HOLD_NS	   500000.0

static double turn_ns(struct xs_bench *bench)
{
	struct xs_gpu *gpu = &bench->gpu;
	xs_gpu_stream stream = bench->stream[0];

	xs_gpu_spin(gpu, (uint64_t)(HOLD_NS * bench->cycles_per_ns), 0, 0,
		    stream);
	XS_GPU(gpu, cuEventRecord, bench->event[0], stream);
	for (int i = 0; i < TURNS; i++) {
		xs_bench_copy_async(bench, XS_BENCH_IN, 0, TURN_BYTES, stream);
		xs_gpu_empty(gpu, stream);
	}
	XS_GPU(gpu, cuEventRecord, bench->event[1], stream);
	XS_GPU(gpu, cuEventSynchronize, bench->event[1]);
	return xs_gpu_elapsed_ns(gpu, bench->event[0], bench->event[1]) / TURNS;
}

/*
 * What a kernel between copies adds, but for L+o, which replay has each copy
 * pay that waits for a kernel.
 */
void xs_bench_copy_to_kernel(struct xs_bench *bench, struct xs_machine *machine)
{
	struct xs_samples samples = {0};
	struct xs_turns turns = xs_bench_turns(25);

	turn_ns(bench);
	while (xs_bench_turn(&turns))
		xs_samples_add(&samples, fmax(turn_ns(bench) -
						  (double)TURN_BYTES *
						      machine->G_h2d.value -
						  machine->lo_h2d_ns.value,
					      0));
	xs_bench_set(bench, machine, XS_PARAM_copy_to_kernel_ns, &samples);
}
