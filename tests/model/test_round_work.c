/* SPDX-License-Identifier: MIT */
/* The amounts of work of a round: counters of its kernels. */
#include "tests/model/model_test.h"

#include "model/replay/round_work.h"
#include "model/replay/tracer_overhead.h"

static const struct xs_counts smooth = {.sectors_read = 20480,
					.sectors_written = 4096,
					.requests_read = 5120,
					.requests_written = 1024,
					.instructions = 40960};
static const struct xs_counts residual = {.sectors_read = 8192,
					  .sectors_written = 4,
					  .requests_read = 2048,
					  .requests_written = 4,
					  .instructions = 20000};

static void work_of(const struct xs_counts *first,
		    const struct xs_counts *second, struct xs_round_work *work)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D, .bytes = 131072, .end_ns = 10},
	    {.kind = XS_STEP_KERNEL, .end_ns = 30, .counts = first},
	    {.kind = XS_STEP_KERNEL, .end_ns = 40, .counts = second},
	};
	const struct xs_phase phase = {.steps = steps, .step_count = 3};

	xs_round_work_build(&phase, work);
}

/* The one result is copied out from where the input was copied to. */
TEST(test_work_in_place)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D, .dst = 0x1000, .bytes = 64},
	    {.kind = XS_STEP_D2H, .src = 0x1000, .bytes = 64},
	    {.kind = XS_STEP_D2H, .src = 0x2000, .bytes = 64},
	};
	struct xs_phase phase = {.steps = steps, .step_count = 2};
	struct xs_round_work work;

	xs_round_work_build(&phase, &work);
	assert_true(work.in_place);
	phase.step_count = 3; /* another result elsewhere */
	xs_round_work_build(&phase, &work);
	assert_false(work.in_place);
}

TEST(test_counts_of_all_kernels)
{
	struct xs_round_work work;

	work_of(&smooth, &residual, &work);
	assert_near(work.read_sectors, 20480 + 8192);
	assert_near(work.write_sectors, 4096 + 4);
	assert_near(work.read_requests, 5120 + 2048);
	assert_near(work.write_requests, 1024 + 4);
	assert_near(work.instructions, 60960);
}

/* The sum is unknown if one kernel was not counted, or without kernels. */
TEST(test_not_counted)
{
	const struct xs_phase empty = {.steps = NULL};
	struct xs_round_work work;

	work_of(&smooth, NULL, &work);
	assert_true(isnan(work.read_sectors) && isnan(work.write_sectors));
	assert_true(isnan(work.read_requests) && isnan(work.write_requests));
	assert_true(isnan(work.instructions));
	xs_round_work_build(&empty, &work);
	assert_true(isnan(work.read_sectors) && isnan(work.instructions));
}

/* 1 ms before a staged copy: 600 us copy its data, 400 hash it. 500 us are
 * other work of the host. */
TEST(test_hashing_is_left_out_once)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_KERNEL, .return_ns = 500000, .end_ns = 500000},
	    {.kind = XS_STEP_H2D,
	     .bytes = 1 << 21,
	     .call_ns = 1500000,
	     .return_ns = 1600000,
	     .end_ns = 1600000,
	     .staged = true,
	     .hash_ns = 400000},
	};
	const struct xs_phase phase = {
	    .steps = steps, .step_count = 2, .host_ns.median_ns = 1500000};
	struct xs_round_work work;

	xs_round_work_build(&phase, &work);
	assert_near(work.staging_ns, 600000);
	assert_near(work.host_ns, 500000);
	/* the tracer records what the kernel is given */
	steps[0].has_pointers = true;
	xs_round_work_build(&phase, &work);
	assert_near(work.host_ns, 499150);
}

/* After a launch whose pointers are recorded, of the same thread; after an
 * allocation only if pointers are recorded. */
TEST(test_tracer_after_launches)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_KERNEL, .thread = 1, .has_pointers = true},
	    {.kind = XS_STEP_KERNEL, .thread = 2, .given_known = true},
	    {.kind = XS_STEP_ALLOCATE, .thread = 1},
	    {.kind = XS_STEP_H2D, .thread = 2},
	};
	const struct xs_phase phase = {.steps = steps, .step_count = 4};

	assert_near(xs_tracer_gap_ns(&phase, 1, 5000), 0);
	assert_near(xs_tracer_gap_ns(&phase, 2, 5000), 850);
	assert_near(xs_tracer_gap_ns(&phase, 2, 500), 500);
	assert_near(xs_tracer_gap_ns(&phase, 3, 5000), 0);
}

/* What is copied in is searched for addresses if pointers are recorded. Without
 * it there is a gap, too. */
TEST(test_tracer_after_copies_in)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D,
	     .thread = 1,
	     .bytes = 4096,
	     .src_memory = XS_MEM_PAGEABLE},
	    {.kind = XS_STEP_D2H, .thread = 1, .bytes = 4096},
	    {.kind = XS_STEP_KERNEL, .thread = 1},
	};
	struct xs_phase phase = {.steps = steps, .step_count = 3};

	assert_near(xs_tracer_gap_ns(&phase, 1, 3600), 0);
	phase.sample_rounds = 1;
	assert_near(xs_tracer_gap_ns(&phase, 1, 5000), 3400);
	assert_near(xs_tracer_gap_ns(&phase, 1, 1000), 700);
	assert_near(xs_tracer_gap_ns(&phase, 1, 200), 0);
	assert_near(xs_tracer_gap_ns(&phase, 2, 5000), 0);
	steps[0].bytes = 65537;
	assert_near(xs_tracer_gap_ns(&phase, 1, 20000), 8000);
	assert_near(xs_tracer_gap_ns(&phase, 1, 5000), 2000);
	steps[0].src_memory = XS_MEM_PINNED; /* was not measured */
	assert_near(xs_tracer_gap_ns(&phase, 1, 20000), 0);
	steps[0].src_memory = XS_MEM_PAGEABLE;
	phase.rounds = 129; /* most have copies that are not looked at */
	assert_near(xs_tracer_gap_ns(&phase, 1, 20000), 0);
}
