/* SPDX-License-Identifier: MIT */
/*
 * The interval of as-is is for another run without the tracer. The small phase
 * takes 510000, its rounds 500000 to 530000. Each test adds parameters to the
 * profile.
 */
#include "model/replay/another_run.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/tracer_overhead.h"
#include "tests/model/small_phase.h"

static const double rounds_down = 10000, rounds_up = 20000;

/* Sets the costs of calls to the recorded ones. */
static void know_the_calls(struct xs_machine *m)
{
	set_param(&m->lo_h2d_ns, 5000);
	set_param(&m->lo_d2h_ns, 6000);
	set_param(&m->call_launch_ns, 3000);
	set_param(&m->launch_latency_ns, 2000);
	set_param(&m->kernel_gap_ns, 1000);
}

static struct xs_curve point(double ns, double low_ns, double high_ns)
{
	return (struct xs_curve){1, {1000000}, {ns}, {low_ns}, {high_ns}};
}

static void assert_interval(double down_ns, double up_ns)
{
	const struct xs_estimate *row = estimated("as-is");

	assert_near(row->known_low_ns, row->round_ns - down_ns);
	assert_near(row->known_high_ns, row->round_ns + up_ns);
}

TEST(test_a_profile_that_agrees_changes_nothing)
{
	know_the_calls(&machine);
	machine.pageable_h2d = point(200000, 200000, 200000);
	assert_interval(rounds_down, rounds_up);
	assert_near(replayed("as-is")->round_ns, 510000);
}

/* The tracer's overhead is certain: another run does not have it. */
TEST(test_calls_are_cheaper_untraced)
{
	know_the_calls(&machine);
	set_param(&machine.call_launch_ns, 1000);
	assert_interval(2000 + rounds_down, rounds_up);
	assert_near(replayed("as-is")->tracer_ns, 2000);
	assert_true(isnan(replayed("pinned")->tracer_ns));
	/* calls that are more expensive there keep the cost of this run */
	set_param(&machine.call_launch_ns, 3500);
	assert_interval(rounds_down, rounds_up);
	assert_near(replayed("as-is")->tracer_ns, 0);
}

/* Of the copy in, whose op began 5000 after its call. */
TEST(test_pinned_copies_are_cheaper_untraced)
{
	const struct xs_recorded_plan_change none = {false, 1, 1};
	struct xs_step *in = &steps[0];
	struct xs_plan plan = {0};

	in->async = true;
	in->blocking = false;
	set_param(&machine.call_copy_async_ns, 1500);
	for (int i = 0; i < 3; i++) {
		in->return_ns = in->call_ns + (i < 2 ? 4000 : 9000);
		in->src_memory = i ? XS_MEM_PINNED : XS_MEM_PAGEABLE;
		xs_recorded_plan_build(&phase, &machine, &none, &plan);
		xs_tracer_overhead_remove(&plan, &phase, &machine);
		/* a call that waits still does */
		assert_near(plan.actions[0].call_ns, i == 0   ? 4000
						     : i == 1 ? 1500
							      : 6000);
		xs_plan_free(&plan);
	}
}

/* The host hashed contents for 700 of the 1000 before the launch: no way has
 * them untraced. */
TEST(test_nothing_is_hashed_untraced)
{
	double mapped_ns, streams_ns;

	know_the_calls(&machine);
	mapped_ns = estimated("mapped")->round_ns;
	streams_ns = replayed("streams")->round_ns;
	steps[1].hash_ns = 700;
	assert_interval(700 + rounds_down, rounds_up);
	assert_near(replayed("as-is")->tracer_ns, 700);
	assert_near(replayed("mapped")->round_ns, mapped_ns - 700);
	assert_near(replayed("streams")->round_ns, streams_ns - 700);
}

/* Latencies have ranges, too: the launch may take 200 less. The rounds' times
 * cover that it may take more. */
TEST(test_calls_vary)
{
	know_the_calls(&machine);
	machine.launch_latency_ns = (struct xs_param){2000, 1800, 2400};
	assert_interval(hypot(rounds_down, 200), rounds_up);
}

/* The copy in took 200000 here; the profile says 180000 to 250000, and that two
 * runs differ by sqrt(2) of 190000 to 250000: upwards the latter is more. */
TEST(test_pageable_copies_by_the_curves_range)
{
	know_the_calls(&machine);
	machine.pageable_h2d = point(190000, 180000, 250000);
	assert_interval(hypot(rounds_down, 20000),
			hypot(rounds_up, 200000 * sqrt(2) * (250.0 / 190 - 1)));
	/* without a range, the value stands for the other run */
	machine.pageable_h2d = point(190000, 0, 0);
	assert_interval(hypot(rounds_down, 10000), rounds_up);
}

/* What stays of a strategy varies as in another run: the copy out of resident,
 * 305000 after its lag of 1000, and nothing of the copy in. */
TEST(test_what_stays_varies)
{
	const struct xs_estimate *row;

	steps[0].same_host = true;
	phase.kernel_ns = always(100000);
	xs_machine_init(&machine);
	machine.memory_bandwidth = 1e18; /* a copy there takes no time */
	machine.pageable_h2d = point(190000, 180000, 250000);
	machine.pageable_d2h = point(200000, 190000, 220000);
	row = estimated("resident");
	assert_near(row->round_ns, 310000);
	assert_near(row->known_high_ns - row->round_ns,
		    (1000 + 193000 + 10000) * sqrt(2) * 0.1);
	assert_near(row->round_ns - row->known_low_ns,
		    (1000 + 193000 + 10000) * sqrt(2) * 0.05);
}

/* The copy out took 7000 + 193000 + 10000 here, and 140000 in the calibration.
 * Without the copy in beside it, it takes as long, if the call copies itself,
 * or as it did; of more bytes, the memory may be the cause. */
TEST(test_short_copies_take_no_longer_than_usual)
{
	const struct xs_estimate *row;

	steps[0].same_host = true;
	phase.kernel_ns = always(100000);
	xs_machine_init(&machine);
	machine.memory_bandwidth = 1e18;
	machine.pageable_d2h =
	    (struct xs_curve){1, {65536}, {140000}, {140000}, {140000}};
	steps[2].bytes = 65537;
	assert_near(estimated("resident")->round_ns, 310000);
	steps[2].bytes = 65536;
	row = estimated("resident");
	assert_near(row->round_ns, 310000 - 64000);
	assert_near(row->known_low_ns, row->round_ns);
	assert_near(row->known_high_ns, 310000);
	/* where all calls stay, no more than tracing adds to one */
	assert_near(estimated("as-is")->tracer_ns, XS_TRACER_COPY_NS);
	machine.pageable_d2h.ns[0] = 203000;
	assert_near(estimated("as-is")->tracer_ns, 1000);
	phase.imported = true;
	assert_near(estimated("as-is")->tracer_ns, 0);
	machine.pageable_d2h.ns[0] = 250000;
	assert_near(estimated("resident")->round_ns, 310000);
}

/* Returns the time of the copy in, of 200000, without the tracer. */
static double untraced_copy_ns(bool same_calls)
{
	const struct xs_recorded_plan_change none = {false, 1, 1};
	struct xs_plan plan = {0};
	double ns;

	xs_recorded_plan_build(&phase, &machine, &none, &plan);
	xs_short_copies_limit(&plan, &phase, &machine, same_calls);
	ns = xs_action_copy_ns(&plan.actions[0]);
	xs_plan_free(&plan);
	return ns;
}

/* What another tool added to a copy is unknown, and stays with all calls. */
TEST(test_imported_short_copies_keep_their_times)
{
	steps[0].bytes = 1024;
	machine.pageable_h2d = point(150000, 0, 0);
	assert_near(untraced_copy_ns(true), 200000 - XS_TRACER_COPY_NS);
	assert_near(untraced_copy_ns(false), 150000);
	phase.imported = true;
	assert_near(untraced_copy_ns(true), 200000);
	assert_near(untraced_copy_ns(false), 150000);
}

/* async keeps both copies: each way is a cause of its own. */
TEST(test_async_varies)
{
	const struct xs_estimate *row;
	double high_ns;

	phase.kernel_ns = always(100000);
	phase.host_ns = always(50000);
	phase.host_blocked_ns = 500000;
	xs_machine_init(&machine);
	machine.pageable_h2d = point(190000, 190000, 190000);
	row = estimated("async");
	assert_near(row->known_high_ns, row->round_ns);
	machine.pageable_h2d = point(190000, 180000, 250000);
	row = estimated("async");
	high_ns = row->round_ns + 200000 * sqrt(2) * (250.0 / 190 - 1);
	assert_near(row->known_high_ns, high_ns);
}

/* The host has 1000 + 201000 of its own, launches for 3000, and moves the data
 * of both copies itself: 200000, and 204000 after the kernel. */
TEST(test_async_leaves_calls_and_pageable_copies_to_the_host)
{
	steps[1] = step_of(XS_STEP_KERNEL, 401000, 404000, 406000, 506000);
	steps[2] = step_of(XS_STEP_D2H, 405000, 710000, 507000, 700000);
	phase.round_ns = always(710000);
	phase.host_ns = always(202000);
	phase.host_blocked_ns = 500000;
	xs_machine_init(&machine);
	assert_near(estimated("async")->round_ns,
		    202000 + 3000 + 200000 + 204000);
}

/* The profile's curve is of touched memory: 100000, and the first touches take
 * as long. Memory that the one round writes once is new in every run. */
TEST(test_new_memory_is_touched_in_every_run)
{
	const double old_ns = 204000 * (210 - 100) / 210.0;
	const double new_ns = 204000 * (210 - 200) / 210.0;

	know_the_calls(&machine);
	machine.pageable_d2h = point(100000, 0, 0);
	set_param(&machine.touch_byte_ns, 0.1);
	assert_interval(hypot(rounds_down, old_ns), rounds_up);
	phase.rounds = 1;
	assert_interval(hypot(rounds_down, new_ns), rounds_up);
	/* it is longer than this run's copy: that one was not new */
	set_param(&machine.touch_byte_ns, 0.2);
	assert_interval(hypot(rounds_down, old_ns), rounds_up);
	/* page faults show it */
	set_param(&machine.touch_byte_ns, 0.1);
	phase.rounds = 10;
	phase.touched_bytes = 1000000;
	assert_interval(hypot(rounds_down, new_ns), rounds_up);
}

/* The copy out took 1000 + 193000 + 10000 after the kernel; 7000 after the call
 * is its own latency. */
TEST(test_each_way_is_a_cause_of_its_own)
{
	know_the_calls(&machine);
	machine.pageable_h2d = point(170000, 0, 0);
	machine.pageable_d2h = point(1.2 * 210000, 0, 0);
	assert_interval(hypot(rounds_down, 30000),
			hypot(rounds_up, 0.2 * 204000));
	machine.pageable_d2h = point(0.9 * 210000, 0, 0);
	assert_interval(hypot(hypot(rounds_down, 30000), 0.1 * 204000),
			rounds_up);
}

/* A copy that CUPTI reports in two parts is one call of all its bytes. */
TEST(test_parts_of_a_copy_count_as_one)
{
	know_the_calls(&machine);
	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[0] = step_of(XS_STEP_H2D, 0, 200000, 5000, 95000);
	steps[1] = step_of(XS_STEP_H2D, 200000, 200000, 100000, 195000);
	phase.step_count = 4;
	phase.h2d_ops = 2;
	machine.pageable_h2d = (struct xs_curve){
	    2, {1000000, 2000000}, {100000, 240000}, {0}, {0}};
	assert_interval(rounds_down, hypot(rounds_up, 40000));
}

/* 5000 + 20000 and a return of 3000; the same out, after 6000. */
TEST(test_pinned_copies_by_the_link)
{
	know_the_calls(&machine);
	set_param(&machine.call_copy_sync_ns, 3000);
	machine.G_h2d = (struct xs_param){0.02, 0.018, 0.023};
	set_param(&machine.G_d2h, 0.02);
	steps[0] = step_of(XS_STEP_H2D, 0, 28000, 5000, 25000);
	steps[0].src_memory = XS_MEM_PINNED;
	steps[1] = step_of(XS_STEP_KERNEL, 29000, 32000, 34000, 134000);
	steps[2] = step_of(XS_STEP_D2H, 33000, 163000, 140000, 160000);
	steps[2].dst_memory = XS_MEM_PINNED;
	phase.round_ns = always(163000);
	assert_interval(2000, 3000);
	/* tracer overhead in the return of a blocking copy */
	set_param(&machine.call_copy_sync_ns, 2000);
	assert_interval(2 * 1000 + 2000, 3000);
}

TEST(test_a_synchronisation_is_cheaper_untraced)
{
	know_the_calls(&machine);
	set_param(&machine.sync_ns, 3000);
	steps[2] = step_of(XS_STEP_SYNC_DEVICE, 205000, 311000, 0, 0);
	phase.round_ns = always(311000);
	assert_interval(2000, 0);
}

static void set_threads(uint64_t concurrent_ns)
{
	phase.src_memory = phase.dst_memory = XS_MEM_PAGEABLE;
	phase.total_ns = 10000;
	phase.wall_ns = 2500;
	phase.concurrent_ns = concurrent_ns;
	estimate();
}

/* The launch waits for a pageable copy of another thread. */
TEST(test_waits_for_other_threads_are_no_overhead)
{
	know_the_calls(&machine);
	steps[1] = step_of(XS_STEP_KERNEL, 201000, 254000, 256000, 356000);
	steps[2] = step_of(XS_STEP_D2H, 255000, 560000, 357000, 550000);
	phase.round_ns = always(560000);
	set_threads(5000);
	assert_near(replayed("as-is")->tracer_ns, 50000);
	set_threads(5001);
	assert_near(replayed("as-is")->tracer_ns, 0);
	/* no wait: so much is tracing */
	steps[1] = step_of(XS_STEP_KERNEL, 201000, 231000, 233000, 333000);
	steps[2] = step_of(XS_STEP_D2H, 232000, 537000, 334000, 527000);
	phase.round_ns = always(537000);
	set_threads(5001);
	assert_near(replayed("as-is")->tracer_ns, 27000);
}

/* The second launch waits for 200000, as long as copies are not pinned. */
TEST(test_pinned_memory_ends_waits_for_other_threads)
{
	know_the_calls(&machine);
	steps[2] = step_of(XS_STEP_KERNEL, 204000, 407000, 406000, 506000);
	steps[3] = step_of(XS_STEP_D2H, 408000, 712000, 508000, 702000);
	phase.step_count = 4;
	phase.round_ns = always(712000);
	set_threads(5000);
	assert_true(replayed("pinned")->round_ns > 300000);
	set_threads(5001);
	assert_true(replayed("pinned")->round_ns < 280000);
	/* three threads beside it stage for 3 x 20000 of the 203000 */
	steps[0].return_ns = steps[0].end_ns = 10000;
	steps[3].return_ns = 418000;
	set_threads(5001);
	assert_true(replayed("pinned")->round_ns > 300000);
}

/* The second kernel may have waited for what the trace does not have. */
TEST(test_a_long_gap_between_kernels_is_no_overhead)
{
	know_the_calls(&machine);
	phase.step_count = 4;
	for (uint64_t gap_ns = 40000; gap_ns <= 60000; gap_ns += 20000) {
		const uint64_t end_ns = 306000 + gap_ns + 100000;

		steps[2] = step_of(XS_STEP_KERNEL, 204000, 207000,
				   end_ns - 100000, end_ns);
		steps[3] = step_of(XS_STEP_D2H, 208000, end_ns + 204000,
				   end_ns + 1000, end_ns + 194000);
		phase.round_ns = always(end_ns + 204000);
		estimate();
		assert_near(replayed("as-is")->tracer_ns,
			    gap_ns < 50000 ? gap_ns - 1000 : 0);
	}
}

/* A fitted profile has the usual ranges of calls; only its curve is of this
 * run. */
TEST(test_a_fitted_profile_has_usual_ranges)
{
	know_the_calls(&machine);
	set_param(&machine.sync_ns, 3000);
	steps[2] = step_of(XS_STEP_SYNC_DEVICE, 205000, 311000, 0, 0);
	phase.round_ns = always(311000);
	snprintf(machine.source, sizeof(machine.source), "fitted-from-trace");
	assert_interval(2000, 0);
}

/* as-is ignores the machine that the estimates are for. */
TEST(test_the_profile_is_of_the_traced_machine)
{
	struct xs_machine traced;

	know_the_calls(&machine);
	traced = machine;
	machine.pageable_h2d = point(900000, 100000, 990000);
	options.traced = &traced;
	assert_interval(rounds_down, rounds_up);
}

RUN_TESTS(set_up, tear_down)
