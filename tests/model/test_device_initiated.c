/* SPDX-License-Identifier: MIT */
/* The strategy device-initiated on small phases, with times computed by hand.
 * Host to kernel: 1200 + 1000 / 2. Kernel to host: 1000 / 2 + 600 + 500 + 50.
 */
#include "tests/model/small_phase.h"

#define TOLD 1700
#define SEEN 1650

static void set_flags(void)
{
	set_range(&machine.poll_system_ns, 1200);
	set_range(&machine.flag_ns, 500);
	set_range(&machine.store_64_ns, 600);
	set_range(&machine.poll_host_ns, 50);
}

static struct xs_step small(struct xs_step step, bool blocking, uint64_t bytes)
{
	step.src_memory =
	    step.kind == XS_STEP_H2D ? XS_MEM_PINNED : XS_MEM_DEVICE;
	step.dst_memory =
	    step.kind == XS_STEP_D2H ? XS_MEM_PINNED : XS_MEM_DEVICE;
	step.bytes = bytes;
	step.blocking = blocking;
	step.async = !blocking;
	return step;
}

static void set_round(size_t count, uint64_t round_ns)
{
	phase.step_count = count;
	phase.round_ns = (struct xs_spread){round_ns, round_ns, round_ns};
	phase.kernel_ns = phase.host_ns = (struct xs_spread){0, 0, 0};
	set_flags();
}

/* A kernel of 2000 ns, and a blocking copy of 4 bytes that the host tests. */
static void set_convergence(void)
{
	steps[0] = step_of(XS_STEP_KERNEL, 0, 3000, 5000, 7000);
	steps[1] =
	    small(step_of(XS_STEP_D2H, 3500, 16000, 9000, 10000), true, 4);
	set_round(2, 16000);
}

/* The kernel runs from 1700 to 3700, then it stores 4 bytes; the host has the
 * flag 1650 later. */
TEST(test_convergence)
{
	set_convergence();
	estimate();
	const struct xs_estimate *row = replayed("device-initiated");
	assert_true(row->applies);
	assert_near(row->round_ns, TOLD + 2000 + 4 * 0.019 + SEEN);
	assert_true(row->low_ns < row->round_ns);
	assert_true(row->high_ns > row->round_ns);
	assert_int_equal(row->effort, XS_EFFORT_REWRITE);
	assert_non_null(row->bound);
	assert_has(row->why, "copies (1), launches (1) and waits (1)");
}

/* Loads of one direction are under way together: one latency, and the bytes of
 * all. Stores have none. A second wait for the same work returns at once. */
TEST(test_small_faces)
{
	const double in_ns = 1200 + 2 * 4096 * 0.0195;
	const double out_ns = 2 * 4096 * 0.019;

	for (uint64_t i = 0; i < 2; i++) {
		steps[i] = small(step_of(XS_STEP_H2D, i * 3000, i * 3000 + 3000,
					 i * 3000 + 5000, i * 3000 + 6000),
				 false, 4096);
		steps[3 + i] = small(step_of(XS_STEP_D2H, 9000 + i * 3000,
					     12000 + i * 3000, 15000 + i * 3000,
					     16000 + i * 3000),
				     false, 4096);
	}
	steps[2] = step_of(XS_STEP_KERNEL, 6000, 9000, 11000, 13000);
	steps[5] = step_of(XS_STEP_SYNC_STREAM, 15000, 23000, 0, 0);
	steps[6] = step_of(XS_STEP_SYNC_DEVICE, 23000, 24000, 0, 0);
	set_round(7, 24000);
	estimate();
	assert_near(replayed("device-initiated")->round_ns,
		    TOLD + in_ns + 2000 + out_ns + SEEN);
}

/* The kernel reads and writes each byte once. */
static void set_bulk(struct xs_counts *counts)
{
	*counts = (struct xs_counts){.sectors_read = 1000000 / 32.0,
				     .sectors_written = 1000000 / 32.0,
				     .requests_read = 1000000 / 128.0,
				     .requests_written = 1000000 / 128.0,
				     .instructions = 1000};
	steps[1].counts = counts;
	set_flags();
}

/* Bulk is that of mapped: only launch (3000 + 2000) and wait (4000) are flags.
 */
TEST(test_bulk_is_mapped)
{
	struct xs_counts counts;

	set_bulk(&counts);
	estimate();
	assert_true(replayed("mapped")->applies);
	assert_true(replayed("device-initiated")->applies);
	assert_near(replayed("device-initiated")->round_ns,
		    replayed("mapped")->round_ns - 9000 + TOLD + SEEN);
}

/* Blocks that all run at once load, work and store one after the other, as with
 * small copies; 32 blocks take two turns, in which some load beside others. */
TEST(test_bulk_of_blocks_at_once)
{
	struct xs_counts counts;

	set_bulk(&counts);
	machine.sm_count = 2;
	machine.max_threads_per_sm = 2048;
	steps[1].blocks = 16;
	steps[1].block_threads = 256;
	estimate();
	assert_near(replayed("device-initiated")->round_ns,
		    TOLD + 1200 + 1000000 * 0.0195 + 100000 + 1000000 * 0.019 +
			SEEN);
	steps[1].blocks = 32;
	estimate();
	assert_near(replayed("device-initiated")->round_ns,
		    replayed("mapped")->round_ns - 9000 + TOLD + SEEN);
}

/* Blocks of the second kernel, or of what does a memset or a copy within the
 * GPU, wait for those of the first for 1000. */
TEST(test_two_kernels)
{
	static const enum xs_step_kind kinds[] = {XS_STEP_KERNEL, XS_STEP_SET,
						  XS_STEP_D2D};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		set_convergence();
		steps[2] = steps[1];
		steps[1] = step_of(kinds[i], 3000, 3500, 8500, 9000);
		steps[1].blocking = false;
		set_round(3, 16000);
		estimate();
		assert_near(replayed("device-initiated")->round_ns,
			    TOLD + 2000 + 1000 + 500 + 4 * 0.019 + SEEN);
		assert_has(replayed("device-initiated")->why,
			   i ? "launches (1)" : "launches (2)");
	}
}

static void assert_abstains(const char *why, bool quiet)
{
	estimate();
	const struct xs_estimate *row = replayed("device-initiated");
	assert_false(row->applies);
	if (!strstr(row->why, why))
		fail_msg("\"%s\" does not say \"%s\"", row->why, why);
	assert_int_equal(row->quiet, quiet);
}

TEST(test_needs_flags)
{
	set_convergence();
	machine.flag_ns.value = NAN;
	assert_abstains("xferspy calibrate", false);
	set_convergence();
	machine.mapped_write.value = NAN;
	assert_abstains("mapped writes", false);
	machine.kernel_gap_ns.value = NAN;
	assert_abstains("kernel_gap_ns", false);
}

/* Large copies are not small, nor are starts short, since they are unknown. */
TEST(test_needs_starts)
{
	struct xs_param *const params[] = {&machine.G_h2d,
					   &machine.G_d2h,
					   &machine.lo_h2d_ns,
					   &machine.lo_d2h_ns,
					   &machine.call_copy_async_ns,
					   &machine.sync_ns};
	static const char *const names[] = {
	    "(G)", "(G)", "(L+o)", "(L+o)", "call_copy_async_ns", "sync_ns"};

	set_flags();
	for (size_t i = 0; i < sizeof(params) / sizeof(*params); i++) {
		const struct xs_param known = *params[i];

		params[i]->value = NAN;
		assert_abstains(names[i], false);
		*params[i] = known;
	}
}

TEST(test_nothing_to_start)
{
	set_convergence();
	phase.rounds = 1;
	assert_abstains("only one round", true);
	phase.rounds = 10;
	phase.round_ns = (struct xs_spread){9000000, 9000000, 9000000};
	assert_abstains("less than 1 %", true);
}

/* The host waits for a kernel that gives it nothing, or results in memory that
 * both share. */
TEST(test_nothing_copied)
{
	set_convergence();
	steps[1] = step_of(XS_STEP_SYNC_EVENT, 3500, 12000, 0, 0);
	assert_abstains("copies nothing", true);
	options.shares_memory = true;
	estimate();
	assert_true(replayed("device-initiated")->applies);
}

TEST(test_bulk_must_be_used_once)
{
	struct xs_counts counts;

	set_flags();
	assert_abstains("--counters", false);
	set_bulk(&counts);
	counts.sectors_read *= 3;
	assert_abstains("copied in 3.0 times", false);
	set_bulk(&counts);
	counts.sectors_written *= 1.5;
	assert_abstains("copied out 1.5 times", false);
	set_bulk(&counts);
	steps[3] = steps[2];
	steps[2] = steps[1];
	phase.step_count = 4;
	assert_abstains("each other's results", false);
}

/* The kernel cannot be one of a framework, nor do a copy on the host or between
 * GPUs; others' kernels may wait for it. */
TEST(test_work_of_others)
{
	set_convergence();
	options.language = XS_LANGUAGE_CUPY;
	assert_abstains("a framework launches", false);
	options.language = XS_LANGUAGE_CUDA;
	phase.total_ns = 160000;
	phase.concurrent_ns = 16001;
	assert_abstains("other threads or GPUs", false);
	phase.concurrent_ns = 16000;
	estimate();
	assert_true(replayed("device-initiated")->applies);
	steps[2] = steps[1];
	steps[1] = step_of(XS_STEP_D2D, 3000, 3400, 7000, 8000);
	phase.step_count = 3;
	steps[1].peer = true;
	assert_abstains("on the host or between GPUs", false);
	steps[1].peer = false;
	steps[1].kind = XS_STEP_H2H;
	assert_abstains("on the host or between GPUs", false);
}

/* 2 SMs hold 16 blocks of 256 threads: the grid of 40 takes 2.5 turns. */
TEST(test_grid_does_not_fit)
{
	set_convergence();
	machine.sm_count = 2;
	machine.max_threads_per_sm = 2048;
	steps[0].blocks = 16;
	steps[0].block_threads = 256;
	estimate();
	assert_has_not(replayed("device-initiated")->why, "loop");
	assert_has_not(replayed("device-initiated")->needs, "loop");
	steps[0].blocks = 40;
	estimate();
	assert_has(replayed("device-initiated")->why, "up to 3 in a loop");
	assert_has(replayed("device-initiated")->needs, "do not fit");
	steps[0].blocks = 16;
	steps[0].registers = 128;
	machine.registers_per_sm = 65536; /* of 2 blocks */
	estimate();
	assert_has(replayed("device-initiated")->why, "up to 4 in a loop");
}

RUN_TESTS(set_up, tear_down)
