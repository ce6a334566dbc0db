/* SPDX-License-Identifier: MIT */
/*
 * A phase on ATGPU, computed by hand: 1 MB in, a kernel, 1 MB out
 * (small_phase.h), on a machine with 1 GHz, 2 multiprocessors and 32 bytes per
 * ns of memory bandwidth, so that lambda is four cycles. L+o 5 and 6 us, G 0.02
 * ns per byte both ways, sigma 4 us.
 */
#include "tests/model/small_phase.h"

#include "model/formulas/atgpu_phase.h"

static struct xs_counts counted;
static double global_bytes;
static struct xs_atgpu_phase at;

static int set_up_atgpu(void **unused)
{
	set_up(unused);
	machine.clock_khz = 1e6;
	machine.memory_bandwidth = 32e9;
	machine.sm_count = 2;
	machine.max_blocks_per_sm = 16;
	machine.max_threads_per_sm = 1024;
	machine.registers_per_sm = 65536;
	machine.shared_per_sm_bytes = 49152;
	phase.src_memory = phase.dst_memory = XS_MEM_PINNED;
	phase.h2d_ns.median_ns = 25000;
	phase.d2h_ns.median_ns = 25000;
	steps[1].blocks = 80;
	steps[1].block_threads = 128;
	steps[1].shared_bytes = 8192;
	counted = (struct xs_counts){.instructions = 8000,
				     .sectors_read = 40000,
				     .sectors_written = 22500};
	steps[1].counts = &counted;
	global_bytes = 4000000;
	return 0;
}

static void work_out(void)
{
	xs_atgpu_of_phase(&phase, &machine, global_bytes, &at);
}

TEST(test_metrics)
{
	work_out();
	assert_near(at.rounds, 10);
	assert_near(at.in_words, 250000);
	assert_near(at.out_words, 250000);
	assert_near(at.in_transactions, 1);
	assert_near(at.out_transactions, 1);
	assert_near(at.global_words, 1000000);
	assert_near(at.shared_words, 2048);
	assert_near(at.thread_blocks, 80);
	/* by threads 8, by shared memory floor(49152 / 8192) = 6 */
	assert_near(at.blocks_at_once, 6);
	/* 8000 instructions over 80 blocks */
	assert_near(at.operations, 100);
	/* 62500 sectors of 8 words in blocks of 32 words */
	assert_near(at.accesses, 15625);
}

TEST(test_costs)
{
	work_out();
	assert_near(at.in_ns, 5000 + 1e6 * 0.02);
	assert_near(at.out_ns, 6000 + 1e6 * 0.02);
	/* 100 operations and 15625 blocks of 4 cycles; sigma */
	assert_near(at.cost_ns, 51000 + 62600 + 4000);
	/* ceil(80 / (2 6)) = 7 times 100 operations */
	assert_near(at.swgpu_cost_ns, 63200 + 4000);
	assert_near(at.gpu_cost_ns, 51000 + 63200 + 4000);
	assert_near(at.share, 51000.0 / 118200);
	/* 50 us of copies, 100 of kernels */
	assert_near(at.share_observed, 1 / 3.0);
	assert_string_equal(at.why, "");
}

TEST(test_two_kernels)
{
	const struct xs_counts less = {.instructions = 400,
				       .sectors_read = 500};

	steps[3] = steps[1];
	steps[3].blocks = 20;
	steps[3].shared_bytes = 0;
	steps[3].end_ns = steps[3].start_ns + 10;
	steps[3].counts = &less;
	phase.step_count = 4;
	work_out();
	assert_near(at.thread_blocks, 100);
	assert_near(at.operations, 84);
	assert_near(at.accesses, 15750);
	/* that of the longer kernel; the other one has 8 by its threads */
	assert_near(at.blocks_at_once, 6);
	/* 7 times 100 and ceil(20 / (2 8)) = 2 times 20 operations */
	assert_near(at.swgpu_cost_ns, 740 + 63000 + 4000);
	steps[3].counts = NULL;
	work_out();
	assert_true(isnan(at.operations) && isnan(at.swgpu_cost_ns));
}

/* alpha from 1 kB, beta up to the 1 MB of the copy. */
TEST(test_pageable)
{
	const struct xs_curve curve = {
	    .count = 3, .bytes = {1000, 1e6, 4e6}, .ns = {3000, 102900, 9e6}};

	phase.src_memory = XS_MEM_PAGEABLE;
	machine.pageable_h2d = curve;
	work_out();
	assert_near(at.in_ns, 102900);
	assert_near(at.out_ns, 26000);
	/* 10 copies of 100 kB: by the line, 3 us and 0.1 ns per byte more */
	machine.pageable_h2d.count = 2;
	phase.h2d_ops = 10;
	work_out();
	assert_near(at.in_ns, 10 * xs_curve_ns(&machine.pageable_h2d, 1e5));
	machine.pageable_h2d.count = 0;
	work_out();
	assert_true(isnan(at.in_ns));
	assert_true(isnan(at.gpu_cost_ns));
	assert_has(at.why, "alpha");
}

/* Without counters, only the transfers are known. */
TEST(test_not_counted)
{
	steps[1].counts = NULL;
	global_bytes = NAN;
	work_out();
	assert_near(at.in_ns, 25000);
	assert_true(isnan(at.operations) && isnan(at.accesses));
	assert_true(isnan(at.global_words));
	assert_true(isnan(at.cost_ns) && isnan(at.gpu_cost_ns));
	assert_true(isnan(at.swgpu_cost_ns) && isnan(at.share));
	assert_near(at.share_observed, 1 / 3.0);
	assert_has(at.why, "were not counted");
}

/* Copies alone need no counters; one direction needs only its own parameters.
 */
TEST(test_no_kernel)
{
	steps[1].counts = NULL;
	global_bytes = NAN;
	phase.step_count = 1;
	phase.d2h_ops = phase.d2h_bytes = 0;
	set_range(&machine.G_d2h, NAN);
	work_out();
	assert_near(at.gpu_cost_ns, 25000 + 4000);
	assert_near(at.swgpu_cost_ns, 4000);
	assert_near(at.thread_blocks, 0);
}

TEST(test_abstentions)
{
	steps[1].shared_bytes = 65536;
	work_out();
	assert_true(isnan(at.gpu_cost_ns));
	assert_has(at.why, "shared memory");
	steps[1].shared_bytes = 0;
	machine.memory_bandwidth = 0;
	work_out();
	assert_has(at.why, "lambda (memory_bandwidth)");
	machine.clock_khz = 0;
	work_out();
	assert_has(at.why, "gamma (clock_khz)");
	steps[1].blocks = 0;
	work_out();
	assert_has(at.why, "grids");
	assert_true(isnan(at.gpu_cost_ns));
}

RUN_TESTS(set_up_atgpu, tear_down)
