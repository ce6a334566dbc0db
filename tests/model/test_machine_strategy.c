/* SPDX-License-Identifier: MIT */
/* machine:<profile>: the recorded round on another machine. */
#include "model/strategies/strategy.h"
#include "tests/model/small_phase.h"

static struct xs_other_machine others[2];

/* Returns the small phase's machine under another name, to be changed. */
static struct xs_machine *other_machine(void)
{
	machine.memory_bandwidth = 4e12;
	machine.peak_flops = 60e12;
	snprintf(machine.name, sizeof(machine.name), "other");
	xs_other_machine_set(&others[0], &machine);
	options.other_machines = others;
	options.other_machine_count = 1;
	return &others[0].machine;
}

static void pin_all(void)
{
	steps[0].src_memory = steps[2].dst_memory = XS_MEM_PINNED;
}

static void add_curve(struct xs_curve *curve, double ns)
{
	*curve = (struct xs_curve){.count = 1, .bytes = {1000000}, .ns = {ns}};
}

TEST(test_same_machine_gives_the_record)
{
	other_machine();
	add_curve(&machine.pageable_h2d, 200000);
	add_curve(&machine.pageable_d2h, 300000);
	others[0].machine = machine;
	assert_near(estimated("machine:other")->round_ns, 510000);
	assert_int_equal(replayed("machine:other")->effort, XS_EFFORT_NONE);
	assert_null(replayed("machine:other")->bound);
}

/* Pinned: call at 0, L+o + kG = 5 + 20 us, return 5 us later, 1 us of host
 * time; launch 3 us, 2 us to the kernel, 100 us; the copy out is called 1 us
 * after the launch, starts L+o after the kernel, takes 20 us, and returns 10 us
 * later. */
TEST(test_pinned_copies_take_its_times)
{
	struct xs_machine *to = other_machine();

	pin_all();
	assert_near(estimated("machine:other")->round_ns,
		    5000 + 20000 + 5000 + 1000 + 3000 + 2000 + 100000 + 6000 +
			20000 + 10000);
	set_range(&to->G_h2d, 0.1);
	set_range(&to->lo_d2h_ns, 16000);
	assert_near(estimated("machine:other")->round_ns,
		    5000 + 100000 + 5000 + 1000 + 3000 + 2000 + 100000 + 16000 +
			20000 + 10000);
}

/* The curve's times are twice the time from the copy's start to its return, and
 * equal to it. */
TEST(test_pageable_copies_by_the_curve)
{
	struct xs_machine *to = other_machine();

	add_curve(&to->pageable_h2d, 2 * 195000);
	add_curve(&to->pageable_d2h, 203000);
	assert_near(estimated("machine:other")->round_ns, 510000 + 200000);
}

/* The copy was twice as slow as its own machine's curve, and is so on the other
 * machine. */
TEST(test_cold_pages_stay_cold)
{
	struct xs_machine *to = other_machine();

	add_curve(&machine.pageable_h2d, 100000);
	add_curve(&machine.pageable_d2h, 305000);
	add_curve(&to->pageable_h2d, 150000);
	add_curve(&to->pageable_d2h, 305000);
	assert_near(estimated("machine:other")->round_ns, 510000 + 100000);
}

TEST(test_pageable_copies_without_a_curve)
{
	struct xs_machine *to = other_machine();

	set_range(&to->G_h2d, 0.04);
	const struct xs_estimate *row = estimated("machine:other");
	assert_near(row->round_ns, 510000 + 200000);
	assert_has(row->assumes[0], "not pinned");
	/* L+o + kG of 45 us and 5 us to the return, and 26 us out of 193 */
	assert_true(row->low_ns <
		    45000 + 5000 + 1000 + 5000 + 100000 + 6000 + 20000 + 10000);
}

/* Half the bandwidth, a quarter of the arithmetic. */
TEST(test_kernels_between_two_bounds)
{
	struct xs_machine *to = other_machine();

	pin_all();
	to->memory_bandwidth /= 2;
	to->peak_flops /= 2;
	const struct xs_estimate *row = estimated("machine:other");
	assert_near(row->round_ns, 172000 + 100000);
	double narrow_ns = row->high_ns - row->round_ns;
	assert_true(narrow_ns < 100000);
	to->peak_flops /= 2;
	row = estimated("machine:other");
	assert_near(row->round_ns, 172000 + 100000);
	assert_near(row->high_ns - row->round_ns, hypot(narrow_ns, 200000));
	assert_has(row->why, "x 2 by memory bandwidth");
	assert_has(row->why, "x 4 by peak arithmetic");
	to->peak_flops = machine.peak_flops;
	row = estimated("machine:other");
	assert_true(row->round_ns - row->low_ns > 100000);
}

/* 1000 sectors take 8 ns at 4 TB/s (32 kB); 9000 warp instructions take 9.6 ns
 * at 60 Tflop/s, 7000 take 7.5 ns. */
TEST(test_counts_say_what_bounds_kernels)
{
	struct xs_machine *to = other_machine();
	struct xs_strategy_case c = {.strategy = xs_strategy_find("machine"),
				     .phase = &phase,
				     .machine = &machine,
				     .options = &options,
				     .as_is_ns = 510000};

	pin_all();
	to->memory_bandwidth /= 2;
	to->peak_flops /= 4;
	xs_round_work_build(&phase, &c.work);
	c.work.read_sectors = 600;
	c.work.write_sectors = 400;
	c.work.instructions = 9000;
	xs_estimates_free(&list);
	c.strategy->build(&c, &list);
	assert_near(list.items[0].round_ns, 172000 + 300000);
	assert_true(list.items[0].low_ns < 172000 + 101000);
	c.work.instructions = 7000;
	xs_estimates_free(&list);
	c.strategy->build(&c, &list);
	assert_near(list.items[0].round_ns, 172000 + 100000);
	assert_true(list.items[0].high_ns > 172000 + 299000);
}

TEST(test_unknown_gpus_leave_kernels_alone)
{
	struct xs_machine *to = other_machine();

	to->memory_bandwidth = 0;
	const struct xs_estimate *row = estimated("machine:other");
	assert_near(row->round_ns, 510000);
	to->peak_flops = 0;
	row = estimated("machine:other");
	assert_near(row->round_ns, 510000);
	assert_has(row->assumes[1], "as long as in the trace");
}

/* Launches cost five times as much; the copy out waits for its call. */
TEST(test_calls_by_ratio)
{
	struct xs_machine *to = other_machine();

	steps[2].call_ns = 400000;
	set_range(&to->call_launch_ns, 5 * 3000);
	assert_near(estimated("machine:other")->round_ns, 510000 + 12000);
	set_param(&to->call_launch_ns, NAN);
	assert_near(estimated("machine:other")->round_ns, 510000);
}

TEST(test_what_was_traced_is_what_it_is_set_against)
{
	other_machine();
	struct xs_machine traced = machine;
	traced.memory_bandwidth /= 2;
	options.traced = &traced;
	assert_near(estimated("machine:other")->round_ns, 510000 - 50000);
	assert_near(replayed("as-is")->round_ns, 510000);
}

TEST(test_each_machine_has_a_row)
{
	struct xs_machine *to = other_machine();

	snprintf(machine.name, sizeof(machine.name), "slow");
	xs_other_machine_set(&others[1], &machine);
	options.other_machine_count = 2;
	others[1].machine.memory_bandwidth /= 4;
	to->memory_bandwidth *= 2;
	assert_near(estimated("machine:other")->round_ns, 510000 - 50000);
	assert_near(replayed("machine:slow")->round_ns, 510000 + 300000);
}

TEST(test_abstains_without_rates)
{
	struct xs_machine *to = other_machine();

	set_param(&to->G_h2d, NAN);
	assert_false(estimated("machine:other")->applies);
	assert_has(replayed("machine:other")->why, "lacks the rate");
	to = other_machine();
	set_param(&to->lo_d2h_ns, NAN);
	pin_all();
	assert_false(estimated("machine:other")->applies);
	other_machine();
	steps[1].start_ns = steps[1].end_ns = 0;
	assert_false(estimated("machine:other")->applies);
	assert_has(replayed("machine:other")->why, "GPU's own");
}

TEST(test_no_row_unless_asked_for)
{
	estimate();
	for (size_t i = 0; i < list.count; i++)
		assert_has_not(list.items[i].strategy, "machine");
}

RUN_TESTS(set_up, tear_down)
