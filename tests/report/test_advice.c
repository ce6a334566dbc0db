/* SPDX-License-Identifier: MIT */
/* The best row of a strategy, what it saves, and how it is advised. */
#include "model/strategies/strategies.h"
#include "report/build/build.h"
#include "report/plan/advice_text.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/tracing.h"
#include "report/result/best.h"
#include "report/result/site.h"
#include "report/result/step_text.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

#define MS 1000000LL

static struct xs_result_estimate *find(struct xs_result_phase *phase,
				       const char *strategy, int64_t n)
{
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (strcmp(phase->estimates[i].strategy, strategy) == 0 &&
		    phase->estimates[i].n_streams == n)
			return &phase->estimates[i];
	fail_msg("no row for %s", strategy);
	return NULL;
}

/*
 * A run of 10 s with 412 rounds of 16 ms, predicted 12 ms after a setup of
 * 68 ms: it saves 412 * 4 ms - 68 ms = 1580 ms and leaves 8420 ms.
 */
TEST(whole_run_is_worked_out)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_phase phase = {.rounds = 412,
					.round_ns = 16 * MS,
					.movable_ns = XS_UNKNOWN,
					.transfer_ns = XS_UNKNOWN};
	struct xs_result_estimate out;
	const struct xs_estimate in = {.strategy = "streams",
				       .model = "replay",
				       .n_streams = 8,
				       .order = XS_ORDER_DEPTH,
				       .effort = XS_EFFORT_SPLIT,
				       .applies = true,
				       .round_ns = 12e6,
				       .low_ns = 11.8e6,
				       .high_ns = 12.2e6,
				       .setup_ns = 68e6,
				       .why = "2 calls of 550000 ns, 16 ns in "
					      "all 3",
				       .assumes = {"one", "two"}};

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.saves_ns, 1580 * MS);
	assert_int_equal(out.app_wall_ns, 8420 * MS);
	/* 412 * 0.2 ms to either side */
	assert_int_equal(out.app_wall_low_ns, 8420 * MS - 824 * MS / 10);
	assert_int_equal(out.app_wall_high_ns, 8420 * MS + 824 * MS / 10);
	assert_true(fabs(out.speedup - 16.0 / 12.0) < 1e-12);
	assert_string_equal(out.order, "depth");
	assert_int_equal(out.assume_count, 2);
	assert_int_equal(out.breakeven_rounds, 17);
	assert_string_equal(out.why, "2 calls of 550 us, 16 ns in all 3");
	/* no run is shorter than nothing */
	result.run.wall_ns = 1500 * MS;
	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.app_wall_ns, 0);
	xs_arena_free(&result.arena);
}

/* A round that is shorter than its kernels has some of them side by side. */
TEST(a_round_below_its_kernels_has_a_condition)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_phase phase = {.rounds = 412,
					.round_ns = 16 * MS,
					.movable_ns = XS_UNKNOWN,
					.transfer_ns = XS_UNKNOWN,
					.kernel_busy_ns = 12 * MS};
	struct xs_result_estimate out;
	struct xs_estimate in = {.strategy = "double-buffer",
				 .model = "replay",
				 .applies = true,
				 .round_ns = 11.95e6,
				 .low_ns = 11.5e6,
				 .high_ns = 12.2e6,
				 .needs = "rounds are independent"};

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_string_equal(out.only_if, "rounds are independent");
	in.round_ns = 11.7e6;
	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_string_equal(out.only_if,
			    "rounds are independent, and kernels run side by "
			    "side, on SMs that one leaves idle");
	xs_arena_free(&result.arena);
}

/* Tracing takes 2 of the 16 ms: a change to 12 ms saves 2 in each of 412
 * rounds, which took 824 ms of the run for the tracer. */
TEST(tracing_is_not_saved)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_estimate rows[2];
	struct xs_result_phase phase = {.rounds = 412,
					.round_ns = 16 * MS,
					.kernels = 1000,
					.movable_ns = XS_UNKNOWN,
					.transfer_ns = XS_UNKNOWN,
					.estimates = rows,
					.estimate_count = 2};
	struct xs_estimate items[] = {{.strategy = "as-is",
				       .model = "replay",
				       .applies = true,
				       .round_ns = 16e6,
				       .tracer_ns = 2e6},
				      {.strategy = "pinned",
				       .model = "replay",
				       .applies = true,
				       .round_ns = 12e6,
				       .tracer_ns = NAN}};
	const struct xs_estimates list = {.items = items, .count = 2};

	result.phases = &phase;
	result.phase_count = 1;
	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns, 2 * MS);
	for (size_t i = 0; i < 2; i++)
		xs_phase_estimate_build(&result, &phase, &items[i], &rows[i]);
	xs_tracing_untrace_runs(&result);
	assert_int_equal(result.run.tracer_ns, 824 * MS);
	assert_int_equal(rows[0].round_ns, 14 * MS);
	assert_int_equal(rows[0].saves_ns, 0);
	assert_int_equal(rows[0].app_wall_ns, (10000 - 824) * MS);
	assert_int_equal(rows[1].saves_ns, 824 * MS);
	assert_int_equal(rows[1].app_wall_ns, (10000 - 2 * 824) * MS);
	assert_true(fabs(rows[1].speedup - 14.0 / 12.0) < 1e-12);
	xs_arena_free(&result.arena);
}

/* Less than 5 % counts as none, and so does more than 50 us for each op, of a
 * single round, whose calls may load kernels, 10 us, or more than the GPU
 * leaves of the round, and what rounds side by side take longer. */
TEST(little_tracing_is_left)
{
	struct xs_result_phase phase = {
	    .rounds = 412, .round_ns = 16 * MS, .kernels = 1000};
	struct xs_estimate as_is = {.strategy = "as-is", .tracer_ns = 0.7e6};
	const struct xs_estimates list = {.items = &as_is, .count = 1};

	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns, 0);
	as_is.tracer_ns = (double)phase.round_ns; /* it is no tracer's */
	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns, 0);
	as_is.tracer_ns = 2e6;
	phase.kernel_busy_ns = 14 * MS + 1;
	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns, 0);
	phase.kernel_busy_ns = 14 * MS;
	phase.rounds = 1;
	xs_tracing_set(&list, 1, &phase);
	assert_int_equal(phase.tracer_ns, 2 * MS);
	phase.tracer_ns = 0;
	phase.kernels = 199;
	xs_tracing_set(&list, 1, &phase);
	assert_int_equal(phase.tracer_ns + phase.tracing_ns, 0);
	phase.rounds = 412;
	phase.kernels = 39;
	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns + phase.tracing_ns, 0);
	/* rounds that wait for those of other threads are longer for that */
	phase = (struct xs_result_phase){.rounds = 412,
					 .round_ns = 16 * MS,
					 .kernels = 1000,
					 .total_ns = 412 * 16 * MS,
					 .concurrent_ns = 412 * 16 * MS,
					 .wall_ns = 412 * 4 * MS};
	xs_tracing_set(&list, 412, &phase);
	assert_int_equal(phase.tracer_ns + phase.tracing_ns, 0);
}

/* The interval of as-is begins untraced; on another machine it is of traced
 * rounds, as the round itself. */
TEST(untraced_rounds_are_in_their_intervals)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	const struct xs_result_phase phase = {.rounds = 412,
					      .round_ns = 16 * MS,
					      .tracer_ns = 2 * MS,
					      .movable_ns = XS_UNKNOWN,
					      .transfer_ns = XS_UNKNOWN};
	const struct xs_estimate as_is = {.strategy = "as-is",
					  .model = "replay",
					  .applies = true,
					  .round_ns = 16e6,
					  .low_ns = 13e6,
					  .high_ns = 17e6,
					  .tracer_ns = 2e6};
	struct xs_estimate moved = as_is;
	struct xs_result_estimate row;

	xs_phase_estimate_build(&result, &phase, &as_is, &row);
	assert_int_equal(row.round_ns, 14 * MS);
	assert_int_equal(row.low_ns, 13 * MS);
	moved.strategy = "machine:other";
	moved.low_ns = 15e6;
	moved.tracer_ns = NAN;
	xs_phase_estimate_build(&result, &phase, &moved, &row);
	assert_int_equal(row.round_ns, 14 * MS);
	assert_int_equal(row.low_ns, 13 * MS);
	assert_int_equal(row.high_ns, 17 * MS);
	xs_arena_free(&result.arena);
}

/* Of 412 rounds, 41 were recorded, 2 ms each for the tracer; the others were
 * only counted. */
TEST(counting_is_not_tracing)
{
	struct xs_result_phase phase = {
	    .rounds = 412, .round_ns = 16 * MS, .kernels = 1000};
	struct xs_result result = {
	    .run.wall_ns = 10000 * MS, .phases = &phase, .phase_count = 1};
	struct xs_estimate as_is = {.strategy = "as-is", .tracer_ns = 2e6};
	const struct xs_estimates list = {.items = &as_is, .count = 1};

	xs_tracing_set(&list, 41, &phase);
	xs_tracing_untrace_runs(&result);
	assert_int_equal(phase.tracer_ns, 2 * MS);
	assert_int_equal(result.run.tracer_ns, 82 * MS);
	assert_int_equal(xs_result_untraced_wall_ns(&result), 9918 * MS);
	/* shown with --all only: no figure of the run, but of its rows */
	xs_tracing_set(&list, 0, &phase);
	assert_int_equal(phase.tracer_ns, 2 * MS);
	assert_int_equal(phase.tracing_ns, 0);
}

/* The estimate of a round of 59.3 us that is predicted to take 1 us. */
static struct xs_result_estimate
estimate_of(const struct xs_result *given, const struct xs_result_phase *phase,
	    const char *strategy)
{
	struct xs_result result = *given;
	struct xs_result_estimate out;
	const struct xs_estimate in = {.strategy = strategy,
				       .model = "replay",
				       .effort = XS_EFFORT_SPLIT,
				       .applies = true,
				       .round_ns = 1000,
				       .low_ns = 900,
				       .high_ns = 1100,
				       .otherwise_ns = NAN};

	xs_phase_estimate_build(&result, phase, &in, &out);
	xs_arena_free(&result.arena);
	return out;
}

/* A sum of 4 bytes that a pragma maps is no buffer, and the runtime launches.
 */
TEST(pragmas_have_no_launches_and_no_small_buffers)
{
	struct xs_result result = {.run = {.wall_ns = 100 * MS}};
	struct xs_result_phase phase = {.rounds = 1000,
					.round_ns = 59300,
					.free_bytes = XS_UNKNOWN,
					.h2d_ops = 1,
					.h2d_bytes = 4};

	assert_true(estimate_of(&result, &phase, "pinned").applies);
	assert_true(estimate_of(&result, &phase, "graph").applies);
	phase.offloads = true;
	assert_false(estimate_of(&result, &phase, "pinned").applies);
	assert_false(estimate_of(&result, &phase, "graph").applies);
	assert_true(estimate_of(&result, &phase, "resident").applies);
	phase.h2d_bytes = 65;
	assert_true(estimate_of(&result, &phase, "pinned").applies);
}

/* It leaves the round as it is where its kernels need the host's work. */
TEST(a_graph_ends_where_the_host_is_needed)
{
	struct xs_result result = {.run.wall_ns = 100 * MS};
	const struct xs_result_phase phase = {.rounds = 1000,
					      .round_ns = 59300};
	struct xs_result_estimate out;
	struct xs_estimate in = {.strategy = "graph",
				 .model = "replay",
				 .applies = true,
				 .round_ns = 1000,
				 .otherwise_ns = 70000};

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.otherwise_ns, 59300);
	in.strategy = "async";
	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.otherwise_ns, 70000);
	xs_arena_free(&result.arena);
}

/*
 * 1000 rounds of kernels and a copy of one byte: the host waits for 6.6 us of
 * 59.3 us, and issues kernels for the rest. No change of copies saves more than
 * these 6.6 us, and where no data moves, none saves anything.
 */
TEST(no_more_is_saved_than_was_waited_for)
{
	const struct xs_result result = {.run.wall_ns = 100 * MS};
	struct xs_result_phase phase = {.rounds = 1000,
					.round_ns = 59300,
					.h2d_ops = 1,
					.transfer_ns = 6600,
					.movable_ns = 8600,
					.host_ns = 50000};

	assert_int_equal(estimate_of(&result, &phase, "streams").saves_ns,
			 6600000);
	/* it allocates before the rounds, too */
	assert_int_equal(estimate_of(&result, &phase, "double-buffer").saves_ns,
			 8600000);
	assert_int_equal(estimate_of(&result, &phase, "resident").saves_ns,
			 8600000);
	/* the host's own work runs beside the GPU only while the host waits */
	struct xs_result_estimate row = estimate_of(&result, &phase, "async");
	assert_int_equal(row.saves_ns, 6600000);
	/* and so is the row; another run may differ as much as before */
	assert_int_equal(row.round_ns, 52700);
	assert_int_equal(row.low_ns, 52600);
	assert_int_equal(row.high_ns, 52800);
	assert_true(row.speedup == 59300.0 / 52700.0);
	/* what lies between calls that go, goes too */
	assert_int_equal(estimate_of(&result, &phase, "mapped").round_ns, 1000);
	phase.host_ns = 600;
	assert_int_equal(estimate_of(&result, &phase, "async").saves_ns,
			 600000);
	/* without copies, the host waits for nothing */
	phase.h2d_ops = 0;
	assert_int_equal(estimate_of(&result, &phase, "async").saves_ns,
			 6600000);
	/* a graph is issued at once */
	assert_int_equal(estimate_of(&result, &phase, "graph").saves_ns,
			 58300000);
	phase.transfer_ns = 0;
	assert_int_equal(estimate_of(&result, &phase, "streams").saves_ns, 0);
}

/* Four threads side by side take a quarter of their rounds' sum. */
TEST(savings_side_by_side_are_not_added_up)
{
	const struct xs_result result = {.run.wall_ns = 100 * MS};
	const struct xs_result_phase phase = {.rounds = 1000,
					      .round_ns = 59300,
					      .transfer_ns = XS_UNKNOWN,
					      .movable_ns = XS_UNKNOWN,
					      .total_ns = 59300000,
					      .concurrent_ns = 59300000,
					      .wall_ns = 59300000 / 4};

	assert_int_equal(estimate_of(&result, &phase, "pinned").saves_ns,
			 58300000 / 4);
}

/* Four threads, whose rounds copy 1 MiB in at 1 ns a byte. */
static struct xs_result_phase four_threads(void)
{
	return (struct xs_result_phase){.rounds = 100,
					.round_ns = 12 * MS,
					.transfer_ns = XS_UNKNOWN,
					.movable_ns = XS_UNKNOWN,
					.kernel_busy_ns = MS / 2,
					.h2d_bytes = MS,
					.queue = XS_UNKNOWN,
					.blocking_queue = XS_UNKNOWN,
					.total_ns = 1200 * MS,
					.concurrent_ns = 1200 * MS,
					.wall_ns = 300 * MS};
}

/* Returns the result of the phase, side by side. */
static struct xs_result side_by_side(struct xs_result_phase *phase,
				     struct xs_result_device *gpu)
{
	struct xs_result result = {.run.wall_ns = 1000 * MS,
				   .run.devices = gpu,
				   .run.device_count = 1,
				   .machine.G_h2d.value = 1,
				   .machine.G_d2h.value = NAN,
				   .phases = phase,
				   .phase_count = 1};

	xs_build_side_by_side(&result);
	return result;
}

/* A round takes no less than four copies, unless nothing is copied, and no less
 * than the kernels. */
TEST(rounds_side_by_side_share_the_link)
{
	struct xs_result_device gpu = {.index = 0, .kernel_ns = 100 * MS};
	struct xs_result_phase phase = four_threads();
	struct xs_result result = side_by_side(&phase, &gpu);

	assert_int_equal(phase.beside_link_ns, 4 * MS);
	assert_int_equal(phase.beside_kernels_ns, 2 * MS);
	assert_int_equal(estimate_of(&result, &phase, "pinned").round_ns,
			 4 * MS);
	assert_int_equal(estimate_of(&result, &phase, "graph").round_ns,
			 4 * MS);
	assert_int_equal(estimate_of(&result, &phase, "resident").round_ns,
			 2 * MS);
	/* kernels that overlap now: 10 ms of the run */
	gpu.kernel_ns = 10 * MS;
	/* and as many rounds that copy nothing beside them */
	phase.wall_ns = 600 * MS;
	xs_build_side_by_side(&result);
	assert_int_equal(phase.beside_link_ns, 2 * MS);
	assert_int_equal(phase.beside_kernels_ns, MS / 5);
	/* nothing is beside them */
	phase.beside_link_ns = phase.beside_kernels_ns = 0;
	phase.concurrent_ns = 0;
	xs_build_side_by_side(&result);
	assert_int_equal(phase.beside_link_ns, 0);
}

/* Copies and kernels of one queue follow each other. */
TEST(rounds_side_by_side_share_a_queue)
{
	struct xs_result_device gpu = {.index = 0, .kernel_ns = 100 * MS};
	struct xs_result_phase phase = four_threads();
	struct xs_result result;

	phase.queue = 0;
	result = side_by_side(&phase, &gpu);
	assert_int_equal(estimate_of(&result, &phase, "pinned").round_ns,
			 6 * MS);
	assert_int_equal(estimate_of(&result, &phase, "streams").round_ns,
			 4 * MS);
	assert_int_equal(estimate_of(&result, &phase, "resident").round_ns,
			 2 * MS);
}

TEST(threads_of_one_stream_are_said_to_be)
{
	struct xs_result result = {.run.wall_ns = 1000 * MS};
	const struct xs_result_estimate row = {.effort = "one line"};
	struct xs_result_phase phase = four_threads();
	const struct xs_result_step step = {.phase = &phase,
					    .estimate = &row,
					    .side_by_side = 4,
					    .pays_rounds = XS_UNKNOWN};

	phase.queue = 0;
	assert_has(xs_result_step_saving(&result, &step),
		   "4 rounds run at once on average, all in one stream, which");
	phase.queue = XS_UNKNOWN;
	assert_has(xs_result_step_saving(&result, &step),
		   "4 rounds run at once on average, which");
	xs_arena_free(&result.arena);
}

/* Copies that block have others of their queue wait for the whole round of 1
 * us, and for its range, but for the host's own work; not those of another GPU.
 */
TEST(rounds_side_by_side_with_copies_that_block)
{
	struct xs_result_device gpu = {.index = 0};
	struct xs_result_phase phases[2] = {four_threads(), four_threads()};
	struct xs_result result;
	struct xs_result_estimate pinned;

	phases[0].h2d_bytes = phases[0].kernel_busy_ns = 0;
	phases[0].host_ns = 400;
	phases[0].blocking_queue = 0;
	phases[1].blocking_queue = phases[1].device = 1;
	result = side_by_side(&phases[0], &gpu);
	assert_true(phases[0].blocking_at_once == 4);
	pinned = estimate_of(&result, &phases[0], "pinned");
	assert_int_equal(pinned.round_ns, 2400);
	assert_int_equal(pinned.low_ns, 2000);
	assert_int_equal(pinned.high_ns, 2800);
	assert_int_equal(estimate_of(&result, &phases[0], "streams").round_ns,
			 1000);
	result.phases = phases;
	result.phase_count = 2;
	xs_build_side_by_side(&result);
	assert_true(phases[0].blocking_at_once == 2);
}

/* A round saves 58.3 us of its thread, and a quarter of that of the run. */
TEST(a_setup_is_paid_by_what_the_run_saves)
{
	struct xs_result result = {.run.wall_ns = 100 * MS};
	const struct xs_result_phase phase = {.rounds = 1000,
					      .round_ns = 59300,
					      .transfer_ns = XS_UNKNOWN,
					      .movable_ns = XS_UNKNOWN,
					      .total_ns = 59300000,
					      .concurrent_ns = 59300000,
					      .wall_ns = 59300000 / 4};
	const struct xs_estimate in = {.strategy = "pinned",
				       .model = "replay",
				       .applies = true,
				       .round_ns = 1000,
				       .setup_ns = 583000};
	struct xs_result_estimate out;

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.breakeven_rounds, 40);
	xs_arena_free(&result.arena);
}

/* The kernels of a round stay, unless some run side by side. */
TEST(a_range_ends_at_the_kernels)
{
	struct xs_result result = {.run.wall_ns = 100 * MS};
	struct xs_result_phase phase = {.rounds = 10,
					.round_ns = 5 * MS,
					.kernel_busy_ns = 2 * MS,
					.transfer_ns = XS_UNKNOWN,
					.movable_ns = XS_UNKNOWN};
	struct xs_estimate in = {.strategy = "resident",
				 .model = "replay",
				 .applies = true,
				 .round_ns = 2.2e6,
				 .low_ns = 1.3e6,
				 .high_ns = 3.1e6,
				 .known_low_ns = 1.4e6};
	struct xs_result_estimate out;

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.low_ns, 2 * MS);
	assert_int_equal(out.known_low_ns, 2 * MS);
	in.round_ns = 1.9e6;
	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_int_equal(out.low_ns, 1300000);
	xs_arena_free(&result.arena);
}

/* What one machine is predicted to do is not compared with another's times. */
TEST(another_gpu_is_not_compared)
{
	const struct xs_result result = {.run.wall_ns = 100 * MS,
					 .machine_choice.other_gpu = true};
	const struct xs_result_phase phase = {.rounds = 1000,
					      .round_ns = 59300,
					      .transfer_ns = XS_UNKNOWN,
					      .movable_ns = XS_UNKNOWN};
	const struct xs_result_estimate pinned =
	    estimate_of(&result, &phase, "pinned");

	assert_int_equal(pinned.round_ns, 1000);
	assert_true(isnan(pinned.speedup));
	assert_true(pinned.saves_ns == XS_UNKNOWN);
	assert_true(pinned.app_wall_ns == XS_UNKNOWN);
	assert_int_equal(estimate_of(&result, &phase, "machine:k20m").saves_ns,
			 58300000);
}

/* Each effort has its word, the least first. */
TEST(efforts_have_words)
{
	const struct xs_result result = {.run.wall_ns = 100 * MS};
	struct xs_result_phase phase = {.rounds = 1000,
					.round_ns = 59300,
					.transfer_ns = XS_UNKNOWN,
					.movable_ns = XS_UNKNOWN};
	struct xs_result_estimate row = estimate_of(&result, &phase, "streams");

	assert_string_equal(row.effort, "kernels split");
	/* another number of pieces is a number in the host's code */
	phase.streams = phase.kernels = 32;
	phase.h2d_ops = 32;
	row = estimate_of(&result, &phase, "streams");
	assert_string_equal(row.effort, "host code at one place");
	assert_int_equal(row.effort_level, XS_EFFORT_PLACE);
}

/* 2048 pieces of 64 KiB: the size that is large enough is said. */
TEST(pieces_that_are_too_small_are_said_to_be)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase phase = result->phases[0];
	const struct xs_result_estimate row = {.strategy = "streams",
					       .n_streams = 8};

	phase.streams = 4;
	phase.kernels = phase.h2d_ops = 2048;
	phase.h2d_bytes = 128LL << 20;
	phase.d2h_bytes = 0;
	const char *text = xs_advice_text(&result->arena, &phase, &row);
	assert_has(text, "8 pieces of 16 MiB");
	assert_has(text, "16 MiB instead of 2048");
	assert_has(text, "too small");
	phase.kernels = phase.h2d_ops = 2;
	text = xs_advice_text(&result->arena, &phase, &row);
	assert_has(text, "too large");
	xs_result_free(result);
}

TEST(what_abstains_has_no_numbers)
{
	struct xs_result result = {.run.wall_ns = 10000 * MS};
	struct xs_result_phase phase = {.rounds = 412,
					.round_ns = 16 * MS,
					.movable_ns = XS_UNKNOWN,
					.transfer_ns = XS_UNKNOWN};
	struct xs_result_estimate out;
	const struct xs_estimate in = {.strategy = "mapped",
				       .model = "replay",
				       .why = "no",
				       .round_ns = NAN,
				       .low_ns = NAN,
				       .high_ns = NAN,
				       .setup_ns = NAN};

	xs_phase_estimate_build(&result, &phase, &in, &out);
	assert_true(out.round_ns == XS_UNKNOWN);
	assert_true(out.app_wall_ns == XS_UNKNOWN);
	assert_true(out.saves_ns == XS_UNKNOWN);
	assert_true(out.n_streams == XS_UNKNOWN);
	assert_true(out.breakeven_rounds == XS_UNKNOWN);
	assert_true(isnan(out.speedup));
	assert_string_equal(out.why, "no");
	xs_arena_free(&result.arena);
}

/* The interval of a bound is wider than its time without the condition. */
TEST(a_bound_is_sure_where_it_saves_without)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *mapped = find(phase, "mapped", XS_UNKNOWN);

	mapped->high_ns = 2 * phase->round_ns;
	mapped->otherwise_ns = phase->round_ns - 1;
	assert_ptr_equal(xs_result_best(phase, "mapped", true), mapped);
	mapped->otherwise_ns = phase->round_ns;
	assert_null(xs_result_best(phase, "mapped", true));
	xs_result_free(result);
}

/* 12.05 ms with 4 streams are within 1 % of 12 ms with 8. */
TEST(few_streams_are_preferred)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);

	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 8);
	two->round_ns = 12050000;
	two->high_ns = 12100000;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 2);
	two->round_ns = 12130000;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 8);
	assert_null(xs_result_best(phase, "hybrid", false));
	xs_result_free(result);
}

/* 13 ms with 4 streams, of which more is known than of 12 ms with 8. */
TEST(a_known_time_is_preferred)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);
	struct xs_result_estimate *eight = find(phase, "streams", 8);

	two->round_ns = 13 * MS;
	eight[1].applies = false; /* stage by stage */
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	eight->low_ns = 3 * MS;
	eight->high_ns = 16 * MS;
	assert_ptr_equal(xs_result_best(phase, "streams", true), two);
	two->round_ns = 14 * MS;
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	xs_result_free(result);
}

/* Copies of one row run between rounds, too. */
TEST(speedups_have_one_base)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);
	struct xs_result_estimate *eight = find(phase, "streams", 8);

	phase->round_ns = 16 * MS;
	two->round_ns = 12 * MS;
	eight->round_ns = 4 * MS;
	eight->between_ns = 4 * MS;
	xs_phase_estimate_count_between(phase);
	assert_true(two->speedup == 20.0 / 16.0);
	assert_true(eight->speedup == 20.0 / 8.0);
	/* next to nothing */
	eight->between_ns = 16 * MS / 50 - 1;
	xs_phase_estimate_count_between(phase);
	assert_true(two->speedup == 16.0 / 12.0);
	xs_result_free(result);
}

/* 12 are faster than 8 by less than their interval. */
TEST(pieces_divide_the_data)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);

	two->n_streams = 12;
	two->round_ns = 11500000;
	two->known_high_ns = 12 * MS;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 8);
	two->known_high_ns = 11900000;
	assert_int_equal(xs_result_best(phase, "streams", true)->n_streams, 12);
	xs_result_free(result);
}

/* 8 are 4 % faster than 2 if their bound holds; what they lose otherwise, in
 * ms: 13 against 13, against 12.8, and against 12.4. */
TEST(a_bound_is_weighed_against_what_it_is_otherwise)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *two = find(phase, "streams", 2);
	struct xs_result_estimate *eight = find(phase, "streams", 8);

	eight[1].applies = false; /* stage by stage */
	two->bound = eight->bound = "held";
	eight->otherwise_ns = 13 * MS;
	two->otherwise_ns = 13 * MS;
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	two->otherwise_ns = 128 * MS / 10;
	assert_ptr_equal(xs_result_best(phase, "streams", true), eight);
	two->otherwise_ns = 124 * MS / 10;
	assert_ptr_equal(xs_result_best(phase, "streams", true), two);
	xs_result_free(result);
}

/* Advice on allocations names the lines that allocate, not those that copy. */
TEST(allocations_have_their_own_places)
{
	struct xs_result *result = fixture_result();
	const struct xs_result_estimate row = {.strategy = "reuse",
					       .why = "because"};

	result->phases[0].sites[0].step = "allocate";
	const char *text =
	    xs_advice_text(&result->arena, &result->phases[0], &row);
	assert_has(text, "main.cu:88");
	assert_has_not(text, "main.cu:91");
	assert_has(text, "because");
	xs_result_free(result);
}

/* Data that stays on the device is not copied in again: the lines that copy out
 * stay. */
TEST(data_that_stays_is_copied_in)
{
	struct xs_result *result = fixture_result();
	const struct xs_result_estimate row = {.strategy = "resident"};

	const char *text =
	    xs_advice_text(&result->arena, &result->phases[0], &row);
	assert_has(text, "main.cu:88");
	assert_has_not(text, "main.cu:91");
	xs_result_free(result);
}

/* A line is enough; without one the label has the function and the address. */
TEST(places_are_named_by_what_is_known)
{
	static const struct {
		struct xs_result_site site;
		const char *label;
	} cases[] = {
	    {{.file = "/src/a.cu", .line = 8, .function = "up", .call = "copy"},
	     "a.cu:8"},
	    {{.module = "/bin/app",
	      .offset = 0x1f3c,
	      .function = "up(float*)",
	      .call = "copy"},
	     "copy in up (app+0x1f3c)"},
	    {{.module = "/bin/app", .offset = 0x1f3c, .call = "copy"},
	     "copy in app+0x1f3c"},
	    {{.module = "/bin/app", .function = "up", .call = "copy"},
	     "copy in up (app)"},
	    {{.function = "(anonymous namespace)::up<int>(int*)"},
	     "a call in (anonymous namespace)::up"},
	    {{.function = "void at::copy<float>(int)", .call = "copy"},
	     "copy in at::copy"},
	    {{.function = "<module>", .call = "copy"}, "copy in <module>"},
	    {{.function = "train.<locals>.step", .call = "copy"},
	     "copy in train.step"},
	    {{.function = "A.cuda.<locals>.<lambda>", .call = "copy"},
	     "copy in A.cuda.<lambda>"},
	    {{.function = "a_name_that_is_too_long_for_a_line_of_text()"},
	     "a call in a_name_that_is_too_long_for_a_line_of..."},
	    {{.call = "copy"}, "copy"},
	    {{.call = NULL}, "an unknown call"},
	};
	struct xs_arena arena = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct xs_result_site site = cases[i].site;

		if (!site.file)
			site.line = XS_UNKNOWN;
		assert_string_equal(xs_result_site_label(&arena, &site),
				    cases[i].label);
	}
	xs_arena_free(&arena);
}

TEST(all_launches_of_a_function_are_one_place)
{
	struct xs_arena arena = {0};
	const struct xs_result_site site = {.function = "the backward pass",
					    .line = XS_UNKNOWN,
					    .call = "cuLaunchKernel"};
	const char *label = xs_result_site_label(&arena, &site);

	assert_string_equal(label, "launches in the backward pass");
	label = xs_result_add_label(&arena, label, "a.cu:12");
	assert_string_equal(
	    xs_result_add_label(&arena, label, "launches in the backward pass"),
	    "launches in the backward pass, a.cu:12");
	xs_arena_free(&arena);
}

TEST(a_place_is_a_line_or_an_address)
{
	const struct xs_result_site line = {.file = "a.cu",
					    .line = 8,
					    .module = "app",
					    .offset = 16,
					    .call = "copy",
					    .step = "h2d"};
	const struct xs_result_site address = {.line = XS_UNKNOWN,
					       .module = "app",
					       .offset = 16,
					       .call = "copy",
					       .step = "h2d"};
	struct xs_result_site other = line;

	other.offset = 32;
	assert_true(xs_result_same_place(&line, &other));
	other.step = "d2h";
	assert_false(xs_result_same_place(&line, &other));
	assert_false(xs_result_same_place(&line, &address));
	other = address;
	assert_true(xs_result_same_place(&address, &other));
	other.offset = 32;
	assert_false(xs_result_same_place(&address, &other));
	other = address;
	other.module = "library";
	assert_false(xs_result_same_place(&address, &other));
	other.module = NULL; /* an unknown place equals no other */
	assert_false(xs_result_same_place(&other, &other));
	other.function = "the backward pass";
	assert_true(xs_result_same_place(&other, &other));
}

/* Line 21 is not line 210; a line that copies in and out is named once. */
TEST(each_place_is_named_once)
{
	struct xs_result_site sites[] = {
	    {.file = "/src/a.cu", .line = 210, .step = "h2d"},
	    {.file = "/src/a.cu", .line = 21, .step = "h2d"},
	    {.file = "/src/a.cu", .line = 210, .step = "d2h"},
	    {.file = "/src/a.cu", .line = 5, .step = "d2h"},
	    {.file = "/src/a.cu", .line = 6, .step = "h2d"},
	    {.file = "/src/a.cu", .line = 6, .step = "d2h"},
	};
	const struct xs_result_phase phase = {.sites = sites, .site_count = 6};
	const struct xs_result_estimate row = {.strategy = "pinned"};
	struct xs_arena arena = {0};

	assert_string_equal(xs_advice_places(&arena, &phase, &row),
			    "a.cu:5, :6, :21, :210");
	xs_arena_free(&arena);
}

/* Copies are merged where one direction has several of them in a round: a
 * result's single copy out is none of them. */
TEST(merged_copies_are_of_one_direction)
{
	struct xs_result_site sites[] = {
	    {.file = "/src/a.cu", .line = 34, .step = "h2d"},
	    {.file = "/src/a.cu", .line = 50, .step = "d2h"},
	};
	const struct xs_result_phase phase = {
	    .sites = sites, .site_count = 2, .h2d_ops = 128, .d2h_ops = 1};
	const struct xs_result_estimate row = {.strategy = "batch"};
	struct xs_arena arena = {0};

	assert_string_equal(xs_advice_places(&arena, &phase, &row), "a.cu:34");
	xs_arena_free(&arena);
}

/* The report knows each {name} that a strategy's advice has. */
TEST(advice_has_no_unknown_names)
{
	struct xs_arena arena = {0};
	const struct xs_result_phase phase = {.rounds = 1};

	for (size_t i = 0; i < xs_strategy_count; i++) {
		struct xs_result_estimate row = {
		    .strategy = xs_strategies[i]->id, .why = "measured"};
		const char *text = xs_advice_text(&arena, &phase, &row);

		assert_non_null(text);
		assert_null(strchr(text, '{'));
		row.why = NULL;
		text = xs_advice_text(&arena, &phase, &row);
		assert_non_null(text);
		assert_null(strchr(text, '{'));
	}
	xs_arena_free(&arena);
}
