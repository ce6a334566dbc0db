/* SPDX-License-Identifier: MIT */
/* The strategy graph on small phases, with times computed by hand. */
#include "tests/model/small_phase.h"

/* Four kernels of 2000 ns, launched every 10000 ns (the call 3000, the host's
 * own work 7000), then a synchronisation. */
static void set_launches(void)
{
	for (uint64_t i = 0; i < 4; i++)
		steps[i] = step_of(XS_STEP_KERNEL, i * 10000, i * 10000 + 3000,
				   i * 10000 + 5000, i * 10000 + 7000);
	steps[4] = step_of(XS_STEP_SYNC_DEVICE, 34000, 41000, 0, 0);
	phase.step_count = 5;
	phase.rounds = 10;
	phase.round_ns = (struct xs_spread){41000, 40000, 42000};
	phase.host_ns = always(0);
}

/*
 * The launch takes 4000 + 4 * 100; the first kernel starts 1500 later at 5900,
 * and 4 * 2000 and three gaps of 600 end at 15700. The host's own work between
 * the launches, 21000, and before the synchronisation, 1000, overlaps.
 * Synchronisation returns 4000 after the end, as recorded. With the work: 21000
 * later.
 */
TEST(test_launch_bound)
{
	const struct xs_estimate *row;

	set_launches();
	row = estimated("graph");
	assert_true(row->applies);
	assert_near(row->round_ns, 19700);
	assert_non_null(row->bound);
	assert_near(row->otherwise_ns, 40700);
	/* the capture: four calls and the work between them */
	assert_near(row->setup_ns, 4 * 3000 + 3 * 7000 + 20000 + 4 * 500);
	/* 400 of the gaps of spinning kernels are in the recorded times */
	set_param(&machine.kernel_gap_ns, 1400);
	row = estimated("graph");
	assert_near(row->round_ns, 19700 - 3 * 400);
	assert_int_equal(row->effort, XS_EFFORT_PLACE);
	assert_has(row->why, "4 nodes");
}

/* A copy within the device becomes a node, which costs the launch its call. */
TEST(test_copies_within_the_device)
{
	const struct xs_estimate *row;

	set_launches();
	steps[1].kind = XS_STEP_D2D;
	row = estimated("graph");
	assert_true(row->applies);
	assert_has(row->why, "4 nodes");
	/* the gap before it stays 1000 */
	assert_near(row->round_ns, 19700 + 3000 + 1000 - 600);
	steps[1].blocking = true;
	assert_has(estimated("graph")->why, "2 nodes");
}

/* A round of two steps, which wait in between: the graph is launched for each
 * of them, unless a kernel of the second one is another. */
TEST(test_equal_runs)
{
	const struct xs_estimate *row;

	set_launches();
	for (size_t i = 0; i < 5; i++) {
		steps[5 + i] = steps[i];
		steps[5 + i].call_ns += 42000;
		steps[5 + i].return_ns += 42000;
		if (steps[i].kind == XS_STEP_KERNEL) {
			steps[5 + i].start_ns += 42000;
			steps[5 + i].end_ns += 42000;
		}
	}
	phase.step_count = 10;
	phase.round_ns = (struct xs_spread){83000, 82000, 84000};
	row = estimated("graph");
	assert_near(row->round_ns, 2 * 19700 + 1000);
	assert_near(row->setup_ns, 4 * 3000 + 3 * 7000 + 20000 + 4 * 500);
	assert_has(row->why, "(2 launches a round)");
	steps[6].shape++;
	assert_near(estimated("graph")->round_ns, 19700 + 1000 + 41000);
}

/* A kernel of another kind, then 101 of two kinds in turn, launched every 10000
 * ns, in the only round. */
static void set_loop(struct xs_step *loop)
{
	for (uint64_t i = 0; i < 102; i++) {
		loop[i] = step_of(XS_STEP_KERNEL, i * 10000, i * 10000 + 3000,
				  i * 10000 + 5000, i * 10000 + 7000);
		loop[i].shape = i ? (uint32_t)(i % 2) : 2;
	}
	loop[102] = step_of(XS_STEP_SYNC_DEVICE, 1014000, 1021000, 0, 0);
	phase.steps = loop;
	phase.step_count = 103;
	phase.rounds = 1;
	phase.round_ns = always(1021000);
	phase.host_ns = always(0);
}

/*
 * Six iterations of two kernels become a graph, launched 8 times in place of 96
 * of the 101. The host's work before the 12 stays, 84000, then the launch takes
 * 4000 + 12 * 100: the eighth returns at 3000 + 8 * 89200, the fifth kernel
 * behind, after 7000 + 3000 for each, is launched at 766600 and runs 2000
 * later.
 */
TEST(test_loop_of_the_only_round)
{
	static struct xs_step loop[103];
	const struct xs_estimate *row;

	set_loop(loop);
	row = estimated("graph");
	assert_true(row->applies);
	assert_true(row->other_advice);
	assert_has(row->bound, "two iterations before");
	assert_has(row->why, "12 nodes");
	assert_has(row->why, "(8 launches a round)");
	assert_near(row->setup_ns, 12 * 3000 + 11 * 7000 + 20000 + 12 * 500);
	assert_near(row->round_ns, 766600 + 2000 + 2000 + 4000);
	assert_true(isnan(row->otherwise_ns));
	for (uint32_t i = 0; i < 102; i++)
		loop[i].queue = i % 5; /* two iterations: 20 launches */
	assert_has(estimated("graph")->why, "20 nodes");
	for (uint32_t i = 0; i < 102; i++)
		loop[i].shape = i;
	assert_false(estimated("graph")->applies);
	assert_has(replayed("graph")->why,
		   "without launches that repeat often");
}

/* 120 launches of two kinds in turn, then as many kinds as launches; or, in
 * their place, as many events. */
TEST(test_loop_before_other_steps)
{
	static struct xs_step loop[240];

	for (uint64_t i = 0; i < 240; i++) {
		loop[i] = step_of(XS_STEP_KERNEL, i * 10000, i * 10000 + 3000,
				  i * 10000 + 5000, i * 10000 + 7000);
		loop[i].shape = (uint32_t)(i < 120 ? i % 2 : i);
	}
	phase.steps = loop;
	phase.step_count = 240;
	phase.rounds = 1;
	phase.round_ns = always(2400000);
	phase.host_ns = always(0);
	assert_true(estimated("graph")->applies);
	assert_has(replayed("graph")->why, "(10 launches a round)");
	for (uint32_t i = 0; i < 240; i++) {
		loop[i].shape = i;
		if (i >= 120)
			loop[i] = step_of(XS_STEP_EVENT_RECORD, i * 10000,
					  i * 10000 + 3000, 0, 0);
	}
	assert_has(estimated("graph")->why, "without launches that repeat");
}

/* What takes the host 2 ms between two launches is no issuing: it stays. */
TEST(test_long_work_stays)
{
	set_launches();
	for (size_t i = 1; i < 5; i++) {
		steps[i].call_ns += 2000000;
		steps[i].return_ns += 2000000;
		if (i < 4) {
			steps[i].start_ns += 2000000;
			steps[i].end_ns += 2000000;
		}
	}
	assert_near(estimated("graph")->round_ns, 19700 + 2007000);
	assert_null(estimated("graph")->bound); /* the rest is less than 1 % */
}

/* Launches back to back: no work of the host, so no condition. */
TEST(test_nothing_between_calls)
{
	const struct xs_estimate *row;

	set_launches();
	for (uint64_t i = 0; i < 4; i++)
		steps[i] = step_of(XS_STEP_KERNEL, i * 3000, i * 3000 + 3000,
				   i * 3000 + 5000, i * 3000 + 7000);
	steps[4] = step_of(XS_STEP_SYNC_DEVICE, 12000, 20000, 0, 0);
	row = estimated("graph");
	assert_true(row->applies);
	assert_null(row->bound);
	assert_true(isnan(row->otherwise_ns));
	assert_near(row->round_ns, 15700 + 4000);
}

/* Kernels that begin before the one before them has ended, by programmatic
 * dependent launch, follow it in a graph, too: four of 2000, of which each but
 * the first is beside the one before it for 100. */
TEST(test_kernels_that_begin_early)
{
	set_launches();
	for (uint64_t i = 0; i < 4; i++)
		steps[i] = step_of(XS_STEP_KERNEL, i * 1000, i * 1000 + 1000,
				   5000 + i * 1900, 7000 + i * 1900);
	steps[4] = step_of(XS_STEP_SYNC_DEVICE, 4000, 16700, 0, 0);
	phase.round_ns = always(16700);
	assert_near(estimated("as-is")->round_ns, 16700);
	assert_near(estimated("graph")->round_ns,
		    5900 + 2000 + 3 * 1900 + 4000);
}

/* Another run without the tracer waits for no longer than the profile says; the
 * launch of the graph keeps its own cost. */
TEST(test_the_rest_is_untraced)
{
	set_launches();
	set_param(&machine.sync_ns, 1000);
	set_param(&machine.call_launch_ns, 300);
	assert_near(estimated("graph")->round_ns, 15700 + 1000);
}

/* 5 % and 10 % of the curve's value, for two runs that both vary. */
TEST(test_pageable_copies_vary)
{
	const struct xs_curve curve = {
	    1, {1000000}, {200000}, {190000}, {220000}};
	const struct xs_estimate *row;

	steps[3] = step_of(XS_STEP_D2H, 209000, 614000, 411000, 604000);
	steps[2] = step_of(XS_STEP_KERNEL, 205000, 208000, 310000, 410000);
	phase.step_count = 4;
	phase.round_ns = always(614000);
	phase.kernel_ns = always(200000);
	machine = shipped_exact("h100");
	memset(&machine.self_check, 0, sizeof(machine.self_check));
	machine.pageable_h2d = curve;
	machine.pageable_d2h.count = 0;
	row = estimated("graph");
	assert_near(row->known_high_ns - row->round_ns, 200000 * sqrt(2) * 0.1);
	assert_near(row->round_ns - row->known_low_ns, 200000 * sqrt(2) * 0.05);
}

static void assert_abstains(const char *why)
{
	assert_false(estimated("graph")->applies);
	assert_has(replayed("graph")->why, why);
}

TEST(test_abstains)
{
	/* blocking copies around one kernel */
	phase.rounds = 10;
	assert_abstains("no two kernels");
	set_launches();
	phase.rounds = 1;
	assert_abstains("only one round");
	phase.rounds = 10;
	steps[2].call_ns = steps[2].return_ns = steps[1].return_ns;
	assert_abstains("as a graph does");
	set_launches();
	phase.total_ns = 410000;
	phase.concurrent_ns = 50000;
	assert_abstains("rounds of other threads");
	phase.concurrent_ns = 0;
	set_launches();
	steps[1] = step_of(XS_STEP_SYNC_DEVICE, 10000, 13000, 0, 0);
	steps[3] = step_of(XS_STEP_SYNC_DEVICE, 30000, 33000, 0, 0);
	assert_abstains("no two kernels");
}

RUN_TESTS(set_up, tear_down)
