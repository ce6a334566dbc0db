/* SPDX-License-Identifier: MIT */
/*
 * More of mapped memory: accesses to parts of lines, and the first moments of
 * writes under copies in.
 */
#include "report/calibrate_bench.h"

#include <math.h>

#define SIZES 3

/* Between two events around it: a kernel takes this and some of its own. */
static double between_ns(struct xs_bench *bench)
{
	XS_GPU(&bench->gpu, cuCtxSynchronize);
	return xs_gpu_elapsed_ns(&bench->gpu, bench->event[0], bench->event[1]);
}

/* The slope of time over size: reads or writes of the first 32 or 64 bytes of
 * each line alone. */
static double part_slope(struct xs_bench *bench, enum xs_gpu_kernel kernel,
			 unsigned line_bytes)
{
	const size_t largest = bench->mapped_bytes / 2;
	struct xs_gpu *gpu = &bench->gpu;
	bool reads = kernel == XS_KERNEL_READ;
	double bytes[SIZES], ns[SIZES];

	for (size_t i = 0; i < SIZES; i++) {
		size_t size = largest >> (SIZES - 1 - i);

		XS_GPU(gpu, cuEventRecord, bench->event[0], bench->stream[0]);
		xs_gpu_sweep_lines(gpu, kernel,
				   reads ? bench->device[XS_BENCH_IN]
					 : bench->mapped[XS_BENCH_OUT],
				   bench->mapped[XS_BENCH_IN], size, line_bytes,
				   bench->sweep_blocks, bench->stream[0]);
		XS_GPU(gpu, cuEventRecord, bench->event[1], bench->stream[0]);
		bytes[i] = (double)size;
		ns[i] = between_ns(bench);
	}
	return xs_stats_fit(bytes, ns, SIZES).slope;
}

static void measure_part(struct xs_bench *bench, enum xs_gpu_kernel kernel,
			 unsigned line_bytes, struct xs_machine *machine,
			 enum xs_param_id id)
{
	struct xs_samples samples = {0};
	struct xs_turns turns = xs_bench_turns(8);

	part_slope(bench, kernel, line_bytes);
	while (xs_bench_turn(&turns))
		xs_samples_add(&samples, part_slope(bench, kernel, line_bytes));
	xs_bench_set(bench, machine, id, &samples);
}

void xs_bench_mapped_parts(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_part(bench, XS_KERNEL_READ, 64, machine,
		     XS_PARAM_mapped_read_64);
	measure_part(bench, XS_KERNEL_READ, 32, machine,
		     XS_PARAM_mapped_read_32);
	measure_part(bench, XS_KERNEL_WRITE, 64, machine,
		     XS_PARAM_mapped_write_64);
	measure_part(bench, XS_KERNEL_WRITE, 32, machine,
		     XS_PARAM_mapped_write_32);
}

/* A write by a kernel while a copy in is under way. */
struct meeting {
	double write_ns; /* with what launching a kernel adds */
	double copy_ns;
};

/*
 * The kernel waits for wait_ns before it writes; meanwhile the copy begins. No
 * bytes: the copy by itself, beside a kernel that does nothing.
 */
static struct meeting meet(struct xs_bench *bench, size_t bytes, double wait_ns)
{
	struct xs_gpu *gpu = &bench->gpu;
	struct meeting meeting;

	xs_gpu_spin(gpu, (uint64_t)(wait_ns * bench->cycles_per_ns), 0, 0,
		    bench->stream[1]);
	XS_GPU(gpu, cuEventRecord, bench->event[0], bench->stream[1]);
	if (bytes > 0)
		xs_gpu_sweep(gpu, XS_KERNEL_WRITE, bench->mapped[XS_BENCH_OUT],
			     0, bytes, bench->sweep_blocks, bench->stream[1]);
	else
		xs_gpu_empty(gpu, bench->stream[1]);
	XS_GPU(gpu, cuEventRecord, bench->event[1], bench->stream[1]);
	XS_GPU(gpu, cuEventRecord, bench->event[2], bench->stream[0]);
	xs_bench_copy_async(bench, XS_BENCH_IN, 0, bench->copy_bytes / 2,
			    bench->stream[0]);
	XS_GPU(gpu, cuEventRecord, bench->event[3], bench->stream[0]);
	meeting.write_ns = between_ns(bench);
	meeting.copy_ns =
	    xs_gpu_elapsed_ns(gpu, bench->event[2], bench->event[3]);
	return meeting;
}

/*
 * A copy in keeps its rate until the writes have filled the way out; from then
 * on it has h2d_vs_mapped_write, until they end. So of the writes' time, that
 * part is early by which the copy does not come later.
 */
static double early_ns(struct xs_bench *bench, const struct xs_machine *machine,
		       double wait_ns)
{
	const double slow =
	    1 - machine->G_h2d.value / machine->h2d_vs_mapped_write.value;
	const struct meeting alone = meet(bench, 0, wait_ns);
	const struct meeting both =
	    meet(bench, bench->mapped_bytes / 8, wait_ns);

	return fmax(both.write_ns - alone.write_ns -
			(both.copy_ns - alone.copy_ns) / slow,
		    0);
}

/* The slope of a write's time over its size, while all of it is early. */
static double early_slope(struct xs_bench *bench, size_t largest,
			  double wait_ns)
{
	double bytes[SIZES], ns[SIZES];

	for (size_t i = 0; i < SIZES; i++) {
		size_t size = largest >> (SIZES - 1 - i);

		bytes[i] = (double)size;
		ns[i] = meet(bench, size, wait_ns).write_ns;
	}
	return xs_stats_fit(bytes, ns, SIZES).slope;
}

void xs_bench_mapped_early(struct xs_bench *bench, struct xs_machine *machine)
{
	const double wait_ns =
	    0.25 * (double)(bench->copy_bytes / 2) * machine->G_h2d.value;
	struct xs_samples times = {0}, slopes = {0};
	struct xs_turns turns = xs_bench_turns(25);
	double bytes;

	/* Only where writes hold up copies at all is there a time before. */
	if (!(machine->h2d_vs_mapped_write.value > 1.5 * machine->G_h2d.value))
		return;
	while (xs_bench_turn(&turns))
		xs_samples_add(&times, early_ns(bench, machine, wait_ns));
	xs_bench_set(bench, machine, XS_PARAM_mapped_write_early_ns, &times);
	/* At half the rate that writes have alone they still end in time. */
	bytes = machine->mapped_write_early_ns.value /
		machine->mapped_write.value / 2;
	if (!(bytes >= 64 << 10))
		return;
	turns = xs_bench_turns(25);
	while (xs_bench_turn(&turns))
		xs_samples_add(
		    &slopes,
		    early_slope(bench, (size_t)bytes / 1024 * 1024, wait_ns));
	xs_bench_set(bench, machine, XS_PARAM_mapped_write_early, &slopes);
}
