/* SPDX-License-Identifier: MIT */
/*
 * Host time of calls, latency until the GPU starts, and latency until the host
 * sees its end.
 */
#include "report/calibrate/bench.h"

#include <math.h>

/* Calls are measured in batches that are too short to fill a queue, with a
 * synchronisation after each. One estimate is the mean of a batch. */
#define BATCHES 40

/* Large enough that the driver does not send the bytes with the command. */
#define CHUNK_BYTES ((size_t)128 << 10)

/* The calls of one stream of a streamed round, each timed alone. The same
 * calls one kind after another are cheaper, because a stream then stays with
 * one engine and the driver orders nothing between two. */
static void time_chunk(struct xs_bench *bench, xs_cuda_stream stream,
		       double *copies_ns, double *launch_ns)
{
	double start = xs_bench_now_ns(), copied, launched;

	xs_bench_copy_async(bench, XS_BENCH_IN, 0, CHUNK_BYTES, stream);
	copied = xs_bench_now_ns();
	xs_cuda_launch_empty(&bench->gpu, stream);
	launched = xs_bench_now_ns();
	xs_bench_copy_async(bench, XS_BENCH_OUT, 0, CHUNK_BYTES, stream);
	*copies_ns += copied - start + (xs_bench_now_ns() - launched);
	*launch_ns += launched - copied;
}

static void measure_streamed_calls(struct xs_bench *bench)
{
	struct xs_samples copies = {0}, launches = {0};

	for (int batch = -2; batch < BATCHES; batch++) {
		double copies_ns = 0, launch_ns = 0;

		for (int i = 0; i < XS_BENCH_STREAMS; i++)
			time_chunk(bench, bench->stream[i], &copies_ns,
				   &launch_ns);
		XS_CUDA(&bench->gpu, cuCtxSynchronize);
		if (batch < 0)
			continue;
		xs_samples_add(&copies, copies_ns / (2 * XS_BENCH_STREAMS));
		xs_samples_add(&launches, launch_ns / XS_BENCH_STREAMS);
	}
	xs_bench_set(bench, XS_PARAM_call_copy_async_ns, &copies);
	xs_bench_set(bench, XS_PARAM_call_launch_ns, &launches);
}

/* Records an event in one stream and waits for it in the next, alternating. */
static void measure_events(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct xs_samples samples = {0};

	for (int batch = -2; batch < BATCHES; batch++) {
		double start = xs_bench_now_ns();

		for (int i = 1; i < XS_BENCH_STREAMS; i++) {
			XS_CUDA(gpu, cuEventRecord, bench->event[0],
				bench->stream[i - 1]);
			XS_CUDA(gpu, cuStreamWaitEvent, bench->stream[i],
				bench->event[0], 0);
		}

		double ns =
		    (xs_bench_now_ns() - start) / (2 * (XS_BENCH_STREAMS - 1));

		XS_CUDA(gpu, cuCtxSynchronize);
		if (batch >= 0)
			xs_samples_add(&samples, ns);
	}
	xs_bench_set(bench, XS_PARAM_call_event_ns, &samples);
}

void xs_bench_calls(struct xs_bench *bench)
{
	measure_streamed_calls(bench);
	measure_events(bench);
}

/* Host time of a blocking pinned copy beyond L+o + k*G. */
static double beyond_transfer_ns(struct xs_bench *bench, int way, size_t bytes)
{
	const bool in = way == XS_BENCH_IN;
	const double latency = in ? bench->machine->lo_h2d_ns.value
				  : bench->machine->lo_d2h_ns.value;
	const double byte =
	    in ? bench->machine->G_h2d.value : bench->machine->G_d2h.value;
	const double ns =
	    xs_bench_blocking_ns(bench, way, bench->pinned[way], bytes);

	return fmax(ns - latency - byte * (double)bytes, 0);
}

void xs_bench_blocking_copy(struct xs_bench *bench)
{
	struct xs_samples samples = {0};

	if (isnan(bench->machine->lo_h2d_ns.value +
		  bench->machine->lo_d2h_ns.value +
		  bench->machine->G_h2d.value + bench->machine->G_d2h.value))
		xs_cuda_fail(&bench->gpu, "needs L+o and G, which are missing");
	for (int i = 0; i < 30; i++)
		for (size_t bytes = XS_MIB / 4; bytes <= XS_MIB; bytes *= 2)
			for (int way = 0; way < XS_BENCH_WAYS; way++) {
				double ns =
				    beyond_transfer_ns(bench, way, bytes);

				if (i >= 5)
					xs_samples_add(&samples, ns);
			}
	xs_bench_set(bench, XS_PARAM_call_copy_sync_ns, &samples);
}

/* Launches a kernel that spins and then sets the host's flag. */
static void launch_flagged(struct xs_bench *bench, double spin_ns)
{
	xs_cuda_spin(&bench->gpu, (uint64_t)(spin_ns * bench->cycles_per_ns),
		     bench->flag_address, ++bench->flag_value,
		     bench->stream[0]);
}

double xs_bench_flag_seen_ns(struct xs_bench *bench)
{
	double now = xs_bench_now_ns();
	double deadline = now + 1e9;

	while (!xs_cuda_failed(&bench->gpu) &&
	       *bench->flag != bench->flag_value) {
		now = xs_bench_now_ns();
		if (now > deadline)
			xs_cuda_fail(&bench->gpu,
				     "a kernel's write to mapped memory did "
				     "not arrive within a second");
	}
	return xs_bench_now_ns();
}

void xs_bench_launch(struct xs_bench *bench)
{
	struct xs_samples samples = {0};

	for (int i = -20; i < 120; i++) {
		launch_flagged(bench, 0);

		double launched = xs_bench_now_ns();
		double seen = xs_bench_flag_seen_ns(bench);

		XS_CUDA(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
		if (i >= 0)
			xs_samples_add(&samples, seen - launched);
	}
	xs_bench_set(bench, XS_PARAM_launch_latency_ns, &samples);
}

/*
 * sigma: waits for the same kernel once with a synchronisation and once by
 * polling its flag. Launch and kernel time are in both, so the difference is
 * the time of the synchronisation after the last op ended. One estimate
 * compares the medians of several repeats, because each wait varies more than
 * the difference.
 */
void xs_bench_sync(struct xs_bench *bench)
{
	const double spin_ns = 20000;
	struct xs_samples samples = {0};

	for (int i = -1; i < 15; i++) {
		struct xs_samples synchronised = {0}, seen = {0};

		for (int turn = 0; turn < 15; turn++) {
			double start = xs_bench_now_ns();

			launch_flagged(bench, spin_ns);
			XS_CUDA(&bench->gpu, cuStreamSynchronize,
				bench->stream[0]);
			xs_samples_add(&synchronised,
				       xs_bench_now_ns() - start);
			start = xs_bench_now_ns();
			launch_flagged(bench, spin_ns);
			xs_samples_add(&seen,
				       xs_bench_flag_seen_ns(bench) - start);
			XS_CUDA(&bench->gpu, cuStreamSynchronize,
				bench->stream[0]);
		}
		if (i >= 0)
			xs_samples_add(&samples,
				       fmax(xs_samples_median(&synchronised) -
						xs_samples_median(&seen),
					    0));
	}
	xs_bench_set(bench, XS_PARAM_sync_ns, &samples);
}

/* GPU time of `count` successive kernels that spin for spin_ns each. */
static double chain_ns(struct xs_bench *bench, int count, double spin_ns)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	uint64_t cycles = (uint64_t)(spin_ns * bench->cycles_per_ns);

	xs_bench_begin(bench, bench->stream[0]);
	for (int i = 0; i < count; i++)
		xs_cuda_spin(gpu, cycles, 0, 0, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

/* Time that each cut adds when one kernel is split into a chain. Each part
 * spins longer than its launch takes, so that the GPU never waits for the
 * host. */
void xs_bench_kernel_gap(struct xs_bench *bench)
{
	const int count = 20;
	const double spin_ns = 15000;
	struct xs_samples samples = {0};

	for (int i = -3; i < 40; i++) {
		double one = chain_ns(bench, 1, count * spin_ns);
		double many = chain_ns(bench, count, spin_ns);

		if (i >= 0)
			xs_samples_add(&samples,
				       fmax((many - one) / (count - 1), 0));
	}
	xs_bench_set(bench, XS_PARAM_kernel_gap_ns, &samples);
}

void xs_bench_stream_create(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct xs_samples samples = {0};
	xs_cuda_stream streams[32] = {NULL};

	for (int round = -1; round < 4; round++) {
		for (int i = 0; i < 32; i++) {
			double start = xs_bench_now_ns();

			XS_CUDA(gpu, cuStreamCreate, &streams[i], 0);
			if (round >= 0)
				xs_samples_add(&samples,
					       xs_bench_now_ns() - start);
		}
		for (int i = 0; i < 32; i++)
			XS_CUDA(gpu, cuStreamDestroy, streams[i]);
	}
	xs_bench_set(bench, XS_PARAM_stream_create_ns, &samples);
}
