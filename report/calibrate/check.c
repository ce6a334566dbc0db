/* SPDX-License-Identifier: MIT */
/*
 * The self-check predicts small rounds of every strategy family by replay with
 * the measured parameters, and then runs them. The difference is the error of
 * the model on this machine.
 *
 * Explicit and streamed rounds use a kernel that spins on the whole GPU: its
 * time is known, and its parts on several streams run one after the other, as
 * those of large kernels do. Mapped and hybrid rounds access host memory, each
 * byte once.
 */
#include "model/replay/mapped_access.h"
#include "model/replay/replay.h"
#include "model/strategies/strategy.h"
#include "report/calibrate/bench.h"

#include <math.h>

/* A round: bytes, kernel time, and number of chunks. */
struct round {
	size_t in_bytes, out_bytes;
	double kernel_ns;
	uint64_t cycles; /* of xs_cuda_spin_all for one chunk */
	unsigned pieces;
	enum xs_order order;
};

/* State of a check, and the errors of one family. */
struct check {
	struct xs_bench *bench;
	size_t bytes; /* of the largest round, both directions */
	double cycles_per_ns;
	struct xs_samples errors;
};

/* A family: how a round is planned and how it is issued. */
struct family {
	bool (*make_plan)(const struct check *check, const struct round *round,
			  struct xs_plan *plan);
	void (*run)(struct xs_bench *bench, const struct round *round);
};

/* Shares of the bytes in and out in 64ths; kernel time relative to the longer
 * copy; how often the largest size is halved. */
struct mix {
	unsigned in, out;
	double kernel;
	unsigned halved;
};

static bool plan_explicit(const struct check *check, const struct round *round,
			  struct xs_plan *plan)
{
	const struct xs_machine *m = check->bench->machine;
	const struct xs_action acts[] = {
	    xs_action_copy(m, true, (double)round->in_bytes, true),
	    xs_action_kernel(m, round->kernel_ns),
	    xs_action_copy(m, false, (double)round->out_bytes, true),
	};

	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		xs_plan_add(plan, &acts[i]);
	return true;
}

static void run_explicit(struct xs_bench *bench, const struct round *round)
{
	struct xs_cuda_device *gpu = &bench->gpu;

	XS_CUDA(gpu, cuMemcpyHtoD, bench->device[XS_BENCH_IN],
		bench->pinned[XS_BENCH_IN], round->in_bytes);
	xs_cuda_spin_all(gpu, round->cycles, NULL);
	XS_CUDA(gpu, cuMemcpyDtoH, bench->pinned[XS_BENCH_OUT],
		bench->device[XS_BENCH_OUT], round->out_bytes);
}

/* The phase of a round as the strategies see it; its accesses are not counted.
 */
static struct xs_round_work work_of(const struct round *round)
{
	/* of xs_cuda_per_element; other rounds do not use them */
	const struct xs_kernel_stage stage = {
	    .kernel_ns = round->kernel_ns,
	    .kernels = 1,
	    .blocks =
		ceil(fmax((double)round->in_bytes, (double)round->out_bytes) /
		     4 / XS_CUDA_BLOCK_THREADS),
	    .block_threads = XS_CUDA_BLOCK_THREADS,
	    .read_bytes = NAN,
	    .written_bytes = NAN};

	return (struct xs_round_work){.in_bytes = (double)round->in_bytes,
				      .out_bytes = (double)round->out_bytes,
				      .in_copies = 1,
				      .out_copies = 1,
				      .kernel_ns = round->kernel_ns,
				      .kernels = 1,
				      .blocks = stage.blocks,
				      .block_threads = stage.block_threads,
				      .stages = {stage},
				      .stage_count = 1,
				      .read_sectors = NAN,
				      .read_requests = NAN,
				      .l1_fills = NAN,
				      .write_sectors = NAN,
				      .write_requests = NAN,
				      .instructions = NAN};
}

/* The plan that the strategies streams and hybrid use. */
static void plan_pieces(const struct check *check, const struct round *round,
			enum xs_cut how, struct xs_plan *plan)
{
	const struct xs_scenario scenario = {.machine = *check->bench->machine,
					     .kernel_scale = 1,
					     .host_scale = 1};
	const struct xs_estimate row = {.n_streams = round->pieces,
					.order = round->order};
	const struct xs_strategy_case c = {.machine = check->bench->machine,
					   .work = work_of(round)};

	xs_plan_pieces(&c, &row, &scenario, how, plan);
}

static bool plan_streams(const struct check *check, const struct round *round,
			 struct xs_plan *plan)
{
	plan_pieces(check, round, XS_CUT_ALL, plan);
	return true;
}

static bool plan_hybrid(const struct check *check, const struct round *round,
			struct xs_plan *plan)
{
	plan_pieces(check, round, XS_CUT_MAPPED, plan);
	return true;
}

/* Stage of chunk i: copy in, kernel, copy out. */
typedef void (*stage)(struct xs_bench *bench, const struct round *round,
		      unsigned i);

static void stage_in(struct xs_bench *bench, const struct round *round,
		     unsigned i)
{
	size_t bytes = round->in_bytes / round->pieces;

	xs_bench_copy_async(bench, XS_BENCH_IN, i * bytes, bytes,
			    bench->stream[i]);
}

static void stage_fill(struct xs_bench *bench, const struct round *round,
		       unsigned i)
{
	xs_cuda_spin_all(&bench->gpu, round->cycles, bench->stream[i]);
}

static void stage_out(struct xs_bench *bench, const struct round *round,
		      unsigned i)
{
	size_t bytes = round->out_bytes / round->pieces;

	xs_bench_copy_async(bench, XS_BENCH_OUT, i * bytes, bytes,
			    bench->stream[i]);
}

static void stage_write(struct xs_bench *bench, const struct round *round,
			unsigned i)
{
	size_t bytes = round->out_bytes / round->pieces;

	xs_cuda_per_element(&bench->gpu,
			    bench->mapped[XS_BENCH_OUT] + i * bytes,
			    bench->device[XS_BENCH_OUT] + i * bytes, bytes / 4,
			    1, bench->stream[i]);
}

static void run_stages(struct xs_bench *bench, const struct round *round,
		       const stage *stages, unsigned count)
{
	bool depth = round->order == XS_ORDER_DEPTH;
	unsigned outer = depth ? round->pieces : count;
	unsigned inner = depth ? count : round->pieces;

	for (unsigned a = 0; a < outer; a++)
		for (unsigned b = 0; b < inner; b++)
			stages[depth ? b : a](bench, round, depth ? a : b);
	XS_CUDA(&bench->gpu, cuCtxSynchronize);
}

static void run_streams(struct xs_bench *bench, const struct round *round)
{
	static const stage stages[] = {stage_in, stage_fill, stage_out};

	run_stages(bench, round, stages, 3);
}

static void run_hybrid(struct xs_bench *bench, const struct round *round)
{
	static const stage stages[] = {stage_in, stage_write};

	run_stages(bench, round, stages, 2);
}

static bool plan_mapped(const struct check *check, const struct round *round,
			struct xs_plan *plan)
{
	const struct xs_round_work work = work_of(round);
	const double accesses_ns =
	    xs_mapped_access_times(check->bench->machine, &work,
				   XS_MAPPED_USUAL)
		.both_ns;
	const struct xs_action kernel =
	    xs_action_kernel(check->bench->machine, accesses_ns);
	const struct xs_action sync = xs_action_sync_all(check->bench->machine);

	if (isnan(accesses_ns))
		return false;
	xs_plan_add(plan, &kernel);
	xs_plan_add(plan, &sync);
	return true;
}

/* As many bytes in both directions, or one direction only. */
static void run_mapped(struct xs_bench *bench, const struct round *round)
{
	bool in = round->in_bytes > 0, out = round->out_bytes > 0;

	xs_cuda_per_element(
	    &bench->gpu,
	    out ? bench->mapped[XS_BENCH_OUT] : bench->device[XS_BENCH_OUT],
	    in ? bench->mapped[XS_BENCH_IN] : bench->device[XS_BENCH_IN],
	    (in ? round->in_bytes : round->out_bytes) / 4, 1, bench->stream[0]);
	XS_CUDA(&bench->gpu, cuCtxSynchronize);
}

/* Returns the median of some runs after two warm-up runs; fewer if they are
 * slow. */
static double measure_ns(struct check *check, const struct family *family,
			 const struct round *round)
{
	const double end_ns = xs_bench_now_ns() + 25e6;
	struct xs_samples samples = {0};

	for (int i = -2; i < 3 || (i < 25 && xs_bench_now_ns() < end_ns); i++) {
		double start = xs_bench_now_ns();

		xs_bench_expect_answer();
		family->run(check->bench, round);
		if (i >= 0)
			xs_samples_add(&samples, xs_bench_now_ns() - start);
	}
	return xs_samples_median(&samples);
}

static void check_round(struct check *check, const struct family *family,
			const struct round *round)
{
	struct xs_plan plan = {0};
	double predicted_ns = NAN;

	if (family->make_plan(check, round, &plan))
		predicted_ns = xs_replay(&plan, check->bench->machine, NULL);
	xs_plan_free(&plan);
	if (isnan(predicted_ns))
		xs_cuda_fail(&check->bench->gpu,
			     "replay lacks parameters that were not measured");
	else
		xs_samples_add(&check->errors,
			       measure_ns(check, family, round) / predicted_ns -
				   1);
}

static struct round mixed(const struct check *check, const struct mix *mix,
			  unsigned pieces, enum xs_order order)
{
	const struct xs_machine *m = check->bench->machine;
	size_t part = (check->bytes >> mix->halved) / 64;
	struct round round = {.in_bytes = part * mix->in,
			      .out_bytes = part * mix->out,
			      .pieces = pieces,
			      .order = order};
	double in_ns = (double)round.in_bytes * m->G_h2d.value;
	double out_ns = (double)round.out_bytes * m->G_d2h.value;

	if (mix->kernel > 0)
		round.kernel_ns =
		    mix->kernel * (in_ns > out_ns ? in_ns : out_ns);
	/* NaN without bandwidths: the replay then tells what is missing. */
	if (round.kernel_ns > 0)
		round.cycles =
		    (uint64_t)(round.kernel_ns * check->cycles_per_ns / pieces);
	return round;
}

/* Every mix, as one chunk or in 2, 4, ... 64 chunks, in both issue orders. */
static struct xs_check check_family(struct check *check,
				    const struct family *family,
				    const struct mix *mixes, size_t count,
				    bool in_pieces)
{
	struct xs_param error;

	check->errors.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct round round = mixed(check, &mixes[i], 1, XS_ORDER_NONE);

		if (!in_pieces)
			check_round(check, family, &round);
		for (unsigned n = 2; in_pieces && n <= XS_BENCH_STREAMS; n *= 2)
			for (int o = XS_ORDER_DEPTH; o <= XS_ORDER_BREADTH;
			     o++) {
				round = mixed(check, &mixes[i], n,
					      (enum xs_order)o);
				check_round(check, family, &round);
			}
	}
	if (xs_cuda_failed(&check->bench->gpu) || check->errors.count == 0)
		return (struct xs_check){0};
	error = xs_samples_param(&check->errors);
	return (struct xs_check){error.value, error.low, error.high,
				 (int)check->errors.count};
}

/* Shortest GPU time of a kernel that fills the GPU, between two events. */
static double fill_ns(struct xs_bench *bench, double cycles)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	struct xs_samples samples = {0};

	for (int i = -1; i < 7; i++) {
		double ns;

		xs_bench_begin(bench, bench->stream[0]);
		xs_cuda_spin_all(gpu, (uint64_t)cycles, bench->stream[0]);
		ns = xs_bench_end_ns(bench, bench->stream[0]);
		if (i >= 0)
			xs_samples_add(&samples, ns);
	}
	return xs_samples_percentile(&samples, 0);
}

/* Cycles of xs_cuda_spin_all per ns of its time. Work of others on the GPU may
 * make the difference of two times anything; the clock is near its nominal
 * rate. */
static double fill_cycles_per_ns(struct xs_bench *bench)
{
	const double nominal = bench->cycles_per_ns;
	const double cycles = 5e5 * nominal;
	const double measured =
	    cycles / (fill_ns(bench, 2 * cycles) - fill_ns(bench, cycles));

	return measured > nominal / 8 && measured < nominal * 2 ? measured
								: nominal;
}

#define CHECK_ALL(check, family, mixes, in_pieces)                             \
	check_family(check, family, mixes, sizeof(mixes) / sizeof(*(mixes)),   \
		     in_pieces)

void xs_bench_check(struct xs_bench *bench)
{
	static const struct family explicit = {plan_explicit, run_explicit};
	static const struct family streams = {plan_streams, run_streams};
	static const struct family mapped = {plan_mapped, run_mapped};
	static const struct family hybrid = {plan_hybrid, run_hybrid};
	/* copies dominate, the kernel dominates, one direction dominates */
	static const struct mix whole[] = {
	    {32, 32, 0.5, 0}, {32, 32, 0.5, 1}, {32, 32, 0.5, 2},
	    {32, 32, 3, 0},   {32, 32, 3, 1},	{32, 32, 3, 2},
	    {52, 12, 0.5, 0}, {52, 12, 0.5, 1}, {52, 12, 0.5, 2}};
	static const struct mix pieces[] = {
	    {32, 32, 0.5, 0}, {32, 32, 3, 2}, {52, 12, 0.5, 1}};
	static const struct mix once[] = {
	    {32, 32, 0, 0}, {32, 32, 0, 1}, {32, 32, 0, 2},
	    {64, 0, 0, 0},  {64, 0, 0, 1},  {64, 0, 0, 2},
	    {0, 64, 0, 0},  {0, 64, 0, 1},  {0, 64, 0, 2}};
	static const struct mix ways[] = {
	    {32, 32, 0, 0}, {52, 12, 0, 1}, {32, 32, 0, 2}, {12, 52, 0, 2}};
	struct xs_machine *machine = bench->machine;
	struct check check = {.bench = bench,
			      .bytes = bench->copy_bytes / 4,
			      .cycles_per_ns = fill_cycles_per_ns(bench)};

	machine->self_check.explicit =
	    CHECK_ALL(&check, &explicit, whole, false);
	machine->self_check.streams = CHECK_ALL(&check, &streams, pieces, true);
	/* kernels may be slower on host memory than copies */
	if (check.bytes > bench->mapped_bytes / 2)
		check.bytes = bench->mapped_bytes / 2;
	machine->self_check.mapped = CHECK_ALL(&check, &mapped, once, false);
	machine->self_check.hybrid = CHECK_ALL(&check, &hybrid, ways, true);
}
