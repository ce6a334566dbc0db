/* SPDX-License-Identifier: MIT */
/*
 * Reads in flight. By Little's law, reads take as long as the latency of those
 * in flight if there are too few to fill the link or the memory. In these
 * kernels each thread has one read of 16 bytes in flight.
 */
#include "report/calibrate/bench.h"

#define SIZES	    3
#define BLOCK_BYTES ((size_t)XS_CUDA_BLOCK_THREADS * 16) /* in flight */
#define BLOCK_READS 64 /* of the smallest size, one after the other */

/* Slope of time over size for dependent reads by one block. */
static double chase_slope(struct xs_bench *bench, xs_cuda_address from)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	double bytes[SIZES], ns[SIZES];
	size_t offset = 0;

	for (size_t i = 0; i < SIZES; i++) {
		size_t size = (BLOCK_BYTES * BLOCK_READS) << i;

		xs_bench_begin(bench, bench->stream[0]);
		xs_cuda_sweep(gpu, XS_KERNEL_CHASE, bench->device[XS_BENCH_OUT],
			      from + offset, size, 1, bench->stream[0]);
		ns[i] = xs_bench_end_ns(bench, bench->stream[0]);
		offset += size;
		bytes[i] = (double)size;
	}
	return xs_stats_fit(bytes, ns, SIZES).slope;
}

void xs_bench_evict(struct xs_bench *bench)
{
	xs_cuda_sweep(&bench->gpu, XS_KERNEL_READ, bench->device[XS_BENCH_IN],
		      bench->device[XS_BENCH_OUT], XS_BENCH_EVICTED,
		      bench->sweep_blocks, bench->stream[0]);
	XS_CUDA(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
}

void xs_bench_in_flight(struct xs_bench *bench, struct xs_machine *machine)
{
	const xs_cuda_address device_memory = bench->device[XS_BENCH_IN];
	struct xs_samples mapped = {0}, device = {0}, l2 = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);

	chase_slope(bench, bench->mapped[XS_BENCH_IN]);
	while (xs_bench_repeat(&repeats)) {
		xs_samples_add(&mapped,
			       chase_slope(bench, bench->mapped[XS_BENCH_IN]) *
				   (double)BLOCK_BYTES);
		xs_bench_evict(bench);
		xs_samples_add(&device, chase_slope(bench, device_memory) *
					    (double)BLOCK_BYTES);
		xs_samples_add(&l2, chase_slope(bench, device_memory) *
					(double)BLOCK_BYTES);
	}
	xs_bench_set(bench, machine, XS_PARAM_mapped_read_latency_ns, &mapped);
	xs_bench_set(bench, machine, XS_PARAM_device_read_latency_ns, &device);
	xs_bench_set(bench, machine, XS_PARAM_l2_read_latency_ns, &l2);
}
