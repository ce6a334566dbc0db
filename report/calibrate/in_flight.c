/* SPDX-License-Identifier: MIT */
/*
 * Reads in flight. By Little's law, reads take as long as the latency of those
 * in flight if there are too few to fill the link or the memory. In these
 * kernels each thread has one read of 16 bytes in flight.
 */
#include "report/calibrate/bench.h"

#define BLOCK_BYTES ((size_t)XS_CUDA_BLOCK_THREADS * 16) /* in flight */
#define BLOCK_READS 64 /* of the smallest size, one after the other */

/* Time of dependent reads by one block, of memory that smaller numbers of them
 * have not read. from: an address. */
static double chase_ns(struct xs_bench *bench, const void *from, size_t reads)
{
	const size_t offset = (reads - BLOCK_READS) * BLOCK_BYTES;

	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_sweep(&bench->gpu, XS_KERNEL_CHASE, bench->device[XS_BENCH_OUT],
		      *(const xs_cuda_address *)from + offset,
		      reads * BLOCK_BYTES, 1, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

void xs_bench_evict(struct xs_bench *bench)
{
	xs_cuda_sweep(&bench->gpu, XS_KERNEL_READ, bench->device[XS_BENCH_IN],
		      bench->device[XS_BENCH_OUT], XS_BENCH_EVICTED,
		      bench->sweep_blocks, bench->stream[0]);
	XS_CUDA(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
}

void xs_bench_in_flight(struct xs_bench *bench)
{
	const struct xs_sweep of_host = {chase_ns, &bench->mapped[XS_BENCH_IN],
					 4 * BLOCK_READS, 3};
	const struct xs_sweep of_device = {
	    chase_ns, &bench->device[XS_BENCH_IN], 4 * BLOCK_READS, 3};
	struct xs_samples mapped = {0}, device = {0}, l2 = {0};
	struct xs_repeats repeats = xs_bench_repeats(20);

	xs_bench_line(bench, &of_host);
	while (xs_bench_repeat(&repeats)) {
		xs_samples_add(&mapped, xs_bench_line(bench, &of_host).slope);
		xs_bench_evict(bench);
		xs_samples_add(&device, xs_bench_line(bench, &of_device).slope);
		xs_samples_add(&l2, xs_bench_line(bench, &of_device).slope);
	}
	xs_bench_set(bench, XS_PARAM_mapped_read_latency_ns, &mapped);
	xs_bench_set(bench, XS_PARAM_device_read_latency_ns, &device);
	xs_bench_set(bench, XS_PARAM_l2_read_latency_ns, &l2);
}
