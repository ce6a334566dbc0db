/* SPDX-License-Identifier: MIT */
/*
 * Mapped memory: partial lines and sectors, and writes during copies in.
 */
#include "report/calibrate/bench.h"

#include <math.h>

#define SIZES 3

/* Between two events; includes the launch. */
static double between_ns(struct xs_bench *bench)
{
	XS_CUDA(&bench->gpu, cuCtxSynchronize);
	return xs_cuda_elapsed_ns(&bench->gpu, bench->event[0],
				  bench->event[1]);
}

/* Reads or writes of only 32 or 64 bytes of each line. */
struct part {
	enum xs_cuda_kernel kernel;
	unsigned line_bytes;
};

static double part_ns(struct xs_bench *bench, const void *what, size_t bytes)
{
	const struct part *part = what;

	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_sweep_lines(&bench->gpu, part->kernel,
			    part->kernel == XS_KERNEL_READ
				? bench->device[XS_BENCH_IN]
				: bench->mapped[XS_BENCH_OUT],
			    bench->mapped[XS_BENCH_IN], bytes, part->line_bytes,
			    bench->sweep_blocks, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

void xs_bench_mapped_parts(struct xs_bench *bench)
{
	static const struct {
		enum xs_param_id id;
		struct part part;
	} parts[] = {{XS_PARAM_mapped_read_64, {XS_KERNEL_READ, 64}},
		     {XS_PARAM_mapped_read_32, {XS_KERNEL_READ, 32}},
		     {XS_PARAM_mapped_write_64, {XS_KERNEL_WRITE, 64}},
		     {XS_PARAM_mapped_write_32, {XS_KERNEL_WRITE, 32}}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		xs_bench_set_slope(
		    bench, parts[i].id,
		    &(struct xs_sweep){part_ns, &parts[i].part,
				       bench->mapped_bytes / 5 * 2, SIZES},
		    8);
}

/* Words between writes to neighbouring sectors, and to sectors some lines
 * apart, whose number is odd so that they lie in all parts of the L2. */
#define NEXT_SECTOR 8
#define APART	    264
#define LEAST_WORDS 128 /* of the buffer for each write */

/* Time of 4-byte writes, every so many words. */
static double partial_ns(struct xs_bench *bench, const void *words,
			 size_t writes)
{
	xs_bench_begin(bench, bench->stream[0]);
	xs_cuda_per_element(&bench->gpu, bench->mapped[XS_BENCH_OUT],
			    bench->device[XS_BENCH_OUT], writes,
			    *(const size_t *)words, bench->stream[0]);
	return xs_bench_end_ns(bench, bench->stream[0]);
}

static void measure_partial(struct xs_bench *bench, size_t words,
			    enum xs_param_id id)
{
	const size_t most = bench->mapped_bytes /
			    (words > LEAST_WORDS ? words : LEAST_WORDS) / 4;

	xs_bench_set_slope(
	    bench, id, &(struct xs_sweep){partial_ns, &words, most, SIZES}, 8);
}

void xs_bench_mapped_partial(struct xs_bench *bench)
{
	measure_partial(bench, NEXT_SECTOR, XS_PARAM_mapped_write_partial_ns);
	measure_partial(bench, APART, XS_PARAM_mapped_write_apart_ns);
}

/* Mapped writes of a kernel during a copy in. */
struct meeting {
	double write_ns; /* includes the launch */
	double copy_ns;
};

/* A usual kernel, which also reads from the device. */
static void write_each(struct xs_bench *bench, size_t bytes,
		       xs_cuda_stream stream)
{
	xs_cuda_per_element(&bench->gpu, bench->mapped[XS_BENCH_OUT],
			    bench->device[XS_BENCH_OUT], bytes / 4, 1, stream);
}

/*
 * The kernel waits for wait_ns before it writes; the copy starts meanwhile.
 * Without bytes: the copy beside a kernel that does nothing.
 */
static struct meeting meet(struct xs_bench *bench, size_t bytes, double wait_ns)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct meeting meeting;

	xs_cuda_spin(gpu, (uint64_t)(wait_ns * bench->cycles_per_ns), 0, 0,
		     bench->stream[1]);
	XS_CUDA(gpu, cuEventRecord, bench->event[0], bench->stream[1]);
	if (bytes > 0)
		write_each(bench, bytes, bench->stream[1]);
	else
		xs_cuda_launch_empty(gpu, bench->stream[1]);
	XS_CUDA(gpu, cuEventRecord, bench->event[1], bench->stream[1]);
	XS_CUDA(gpu, cuEventRecord, bench->event[2], bench->stream[0]);
	xs_bench_copy_async(bench, XS_BENCH_IN, 0, bench->copy_bytes / 2,
			    bench->stream[0]);
	XS_CUDA(gpu, cuEventRecord, bench->event[3], bench->stream[0]);
	meeting.write_ns = between_ns(bench);
	meeting.copy_ns =
	    xs_cuda_elapsed_ns(gpu, bench->event[2], bench->event[3]);
	return meeting;
}

/* Sizes of writes during one copy. */
#define MEETINGS 5

/* Results of one repeat. */
struct mapped_against {
	double write, copy; /* ns per byte of each, once writes queue up */
	double early_ns;
};

/*
 * A copy in keeps its rate until the writes fill the path to the host; then it
 * has rate h2d_vs_mapped_write until the writes end. So it is delayed by (1 -
 * G / h2d_vs_mapped_write) of the writes' time after that point: the slope and
 * the zero of a line over their time give both.
 */
static struct mapped_against write_against(struct xs_bench *bench,
					   double wait_ns)
{
	const struct meeting alone = meet(bench, 0, wait_ns);
	double bytes[MEETINGS], writes_ns[MEETINGS], later_ns[MEETINGS];
	struct mapped_against found;
	struct xs_line line;

	for (size_t i = 0; i < MEETINGS; i++) {
		size_t size = bench->mapped_bytes / 4 >> (MEETINGS - 1 - i);
		struct meeting both = meet(bench, size, wait_ns);

		bytes[i] = (double)size;
		writes_ns[i] = both.write_ns - alone.write_ns;
		later_ns[i] = both.copy_ns - alone.copy_ns;
	}
	line = xs_stats_fit(writes_ns, later_ns, MEETINGS);
	found.write = xs_stats_fit(bytes, writes_ns, MEETINGS).slope;
	found.copy = bench->machine->G_h2d.value / (1 - fmax(line.slope, 0));
	found.early_ns = -line.intercept / line.slope;
	return found;
}

/* A write's time while the path is not full, during a copy in, or alone if
 * *wait_ns, a double, is 0. */
static double early_ns(struct xs_bench *bench, const void *wait_ns,
		       size_t bytes)
{
	if (*(const double *)wait_ns > 0)
		return meet(bench, bytes, *(const double *)wait_ns).write_ns;
	xs_bench_begin(bench, bench->stream[1]);
	write_each(bench, bytes, bench->stream[1]);
	return xs_bench_end_ns(bench, bench->stream[1]);
}

static void measure_early(struct xs_bench *bench, double wait_ns,
			  const struct xs_samples *times)
{
	struct xs_samples slopes = {0}, stalls = {0};
	struct xs_repeats repeats = xs_bench_repeats(25);
	const double no_wait_ns = 0;
	size_t largest;

	xs_bench_set(bench, XS_PARAM_mapped_write_early_ns, times);
	/* at half the rate of writes alone they still end in time */
	largest = (size_t)(bench->machine->mapped_write_early_ns.value /
			   bench->machine->mapped_write.value / 2);
	if (largest < 64 << 10)
		return;
	largest = largest / 1024 * 1024;
	while (xs_bench_repeat(&repeats)) {
		const struct xs_line alone = xs_bench_line(
		    bench,
		    &(struct xs_sweep){early_ns, &no_wait_ns, largest, SIZES});
		const struct xs_line under =
		    xs_bench_line(bench, &(struct xs_sweep){early_ns, &wait_ns,
							    largest, SIZES});

		xs_samples_add(&slopes, under.slope);
		xs_samples_add(&stalls,
			       fmax(under.intercept - alone.intercept, 0));
	}
	xs_bench_set(bench, XS_PARAM_mapped_write_early, &slopes);
	xs_bench_set(bench, XS_PARAM_mapped_write_stall_ns, &stalls);
}

/* Small copies in, one after another, that start during writes. */
#define STALLED	      4
#define STALLED_BYTES ((size_t)64 << 10)

/* Returns the longest of some copies beyond its bytes, during writes that last
 * longer; NAN if the writes ended too early. */
static double stall_ns(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	const size_t written = bench->mapped_bytes / 2;
	const double wait_ns =
	    0.1 * (double)written * bench->machine->mapped_write.value;
	double writes_end_ns, from_ns, to_ns, longest_ns = NAN;

	/* issue the waiting kernel first: writes fill the GPU once they start
	 */
	xs_cuda_spin(gpu, (uint64_t)(wait_ns * bench->cycles_per_ns), 0, 0,
		     bench->stream[0]);
	XS_CUDA(gpu, cuEventRecord, bench->event[0], bench->stream[1]);
	write_each(bench, written, bench->stream[1]);
	XS_CUDA(gpu, cuEventRecord, bench->event[1], bench->stream[1]);
	for (int i = 0; i <= STALLED; i++) {
		XS_CUDA(gpu, cuEventRecord, bench->event[2 + i],
			bench->stream[0]);
		if (i < STALLED)
			xs_bench_copy_async(bench, XS_BENCH_IN,
					    i * STALLED_BYTES, STALLED_BYTES,
					    bench->stream[0]);
	}
	writes_end_ns = between_ns(bench);
	for (int i = 0; i < STALLED; i++) {
		from_ns = xs_cuda_elapsed_ns(gpu, bench->event[0],
					     bench->event[2 + i]);
		to_ns = xs_cuda_elapsed_ns(gpu, bench->event[0],
					   bench->event[3 + i]);
		if (to_ns < writes_end_ns)
			longest_ns = fmax(longest_ns, to_ns - from_ns);
	}
	return fmax(longest_ns -
			(double)STALLED_BYTES *
			    bench->machine->h2d_vs_mapped_write.value -
			bench->machine->g_h2d_ns.value,
		    isnan(longest_ns) ? NAN : 0);
}

static void measure_stall(struct xs_bench *bench)
{
	struct xs_samples samples = {0};
	struct xs_repeats repeats = xs_bench_repeats(15);

	while (xs_bench_repeat(&repeats))
		xs_samples_add(&samples, stall_ns(bench));
	if (samples.count > 0)
		xs_bench_set(bench, XS_PARAM_h2d_stall_ns, &samples);
}

void xs_bench_mapped_writes(struct xs_bench *bench)
{
	const double wait_ns = 0.25 * (double)(bench->copy_bytes / 2) *
			       bench->machine->G_h2d.value;
	struct xs_samples write = {0}, copy = {0}, early = {0};
	struct xs_repeats repeats = xs_bench_repeats(25);

	while (xs_bench_repeat(&repeats)) {
		struct mapped_against found = write_against(bench, wait_ns);

		xs_samples_add(&write, found.write);
		xs_samples_add(&copy, found.copy);
		xs_samples_add(&early, found.early_ns);
	}
	xs_bench_set(bench, XS_PARAM_mapped_write_vs_h2d, &write);
	xs_bench_set(bench, XS_PARAM_h2d_vs_mapped_write, &copy);
	/* Only measured if writes slow copies at all. */
	if (!(bench->machine->h2d_vs_mapped_write.value >
	      1.5 * bench->machine->G_h2d.value))
		return;
	measure_early(bench, wait_ns, &early);
	measure_stall(bench);
}
