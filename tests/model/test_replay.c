/* SPDX-License-Identifier: MIT */
/* Replay, one rule at a time, with times computed by hand. */
#include "tests/model/small_plan.h"

/* 2 ns per byte while both directions are busy. */
static int set_up_link(void **state)
{
	set_up(state);
	set_param(&machine.lo_h2d_ns, 0);
	set_param(&machine.lo_d2h_ns, 0);
	set_param(&machine.G_both_h2d, 2);
	set_param(&machine.G_both_d2h, 2);
	return 0;
}

static size_t add_event(enum xs_action_kind kind, uint32_t event,
			uint32_t queue)
{
	const struct xs_action action = {
	    .kind = kind, .event = event, .after = XS_ACTION_NONE};

	return add(action, queue);
}

TEST(test_nothing)
{
	run();
	assert_near(round_ns, 0);
}

TEST(test_one_direction_serialises)
{
	set_param(&machine.lo_h2d_ns, 1000);
	set_param(&machine.g_h2d_ns, 100);
	size_t first = add_in(500, 0);
	size_t second = add_in(500, 1);
	run();
	assert_near(times[first].start_ns, 1000); /* L+o */
	assert_near(times[first].end_ns, 1500);
	assert_near(times[second].start_ns, 1600); /* g, not L+o */
	assert_near(round_ns, 2100);
}

TEST(test_one_queue_pays_gap_not_latency)
{
	set_param(&machine.lo_h2d_ns, 1000);
	set_param(&machine.g_h2d_ns, 100);
	add_in(500, 0);
	size_t second = add_in(500, 0);
	run();
	assert_near(times[second].start_ns, 1600);
}

TEST(test_latency_after_a_kernel)
{
	set_param(&machine.lo_d2h_ns, 300);
	add_kernel(1000, 0);
	size_t out = add_out(50, 0);
	run();
	assert_near(times[out].start_ns, 1300);
}

/* An op that takes the place of another one waits for the same op: here, for a
 * kernel on another queue. */
TEST(test_replaced_op_keeps_its_order)
{
	size_t kernel = add_kernel(1000, 0);
	size_t copy = add_in(500, 1);
	plan.actions[copy].after = (uint32_t)kernel;
	xs_action_replace(&plan.actions[copy],
			  xs_action_copy(&machine, true, 50, false));
	run();
	assert_near(times[copy].start_ns, 1000);
	assert_near(round_ns, 1050);
}

/* A copy out of 2000 bytes keeps its engine busy: the first copy in takes 1000
 * at 2 ns per byte, and the second waits for the g of both directions, 400,
 * instead of 100. */
TEST(test_gap_grows_while_both_engines_work)
{
	set_param(&machine.g_h2d_ns, 100);
	set_param(&machine.g_both_ns, 400);
	add_in(500, 0);
	size_t second = add_in(500, 1);
	add_out(2000, 2);
	run();
	assert_near(times[second].start_ns, 1400);
}

/* Both at 2 ns per byte until the shorter one has transferred 1000 bytes at
 * 2000; then the longer one's second 1000 at 1. */
TEST(test_directions_slow_each_other)
{
	size_t in = add_in(1000, 0);
	size_t out = add_out(2000, 1);
	run();
	assert_near(times[in].end_ns, 2000);
	assert_near(times[out].end_ns, 3000);
}

TEST(test_one_engine)
{
	machine.copy_engines = 1;
	set_param(&machine.lo_d2h_ns, 70);
	add_in(1000, 0);
	size_t out = add_out(2000, 1);
	run();
	assert_near(times[out].start_ns, 1070); /* other direction: L+o again */
	assert_near(round_ns, 3070);
}

TEST(test_kernels_of_two_queues_serialise)
{
	add_kernel(100, 0);
	size_t second = add_kernel(100, 1);
	run();
	assert_near(times[second].start_ns, 100);
}

/* One block of a kernel does not keep another one from all other SMs. */
TEST(test_kernel_beside_a_small_one)
{
	size_t small = add_kernel(100, 0);
	size_t large = add_kernel(100, 1);

	plan.actions[small].sm_share = 0.04;
	plan.actions[large].sm_share = 1;
	run();
	assert_near(times[large].start_ns, 0);
	plan.actions[small].sm_share = 0.06;
	run();
	assert_near(times[large].start_ns, 100);
	/* it gets half of its share */
	plan.actions[small].sm_share = 0.96;
	plan.actions[large].sm_share = 0.08;
	run();
	assert_near(times[large].start_ns, 100);
}

/* The copy out of queue 0 follows the kernel of queue 0; with implicit
 * synchronisation also that of queue 1, which was issued before it. */
TEST(test_implicit_synchronisation)
{
	add_kernel(100, 0);
	add_kernel(100, 1);
	size_t out = add_out(10, 0);
	run();
	assert_near(times[out].start_ns, 100);
	machine.implicit_sync = 1;
	run();
	assert_near(times[out].start_ns, 200);
}

TEST(test_events)
{
	add_in(500, 0);
	add_event(XS_ACTION_RECORD, 3, 0);
	add_in(700, 0); /* after the record: not waited for */
	add_event(XS_ACTION_WAIT, 3, 1);
	size_t kernel = add_kernel(10, 1);
	size_t free_kernel = add_kernel(10, 2);
	run();
	assert_near(times[kernel].start_ns, 500);
	assert_near(times[free_kernel].start_ns, 0);
}

TEST(test_event_never_recorded)
{
	add_event(XS_ACTION_WAIT, 0, 0);
	size_t kernel = add_kernel(10, 0);
	run();
	assert_near(times[kernel].start_ns, 0);
}

TEST(test_synchronisations)
{
	set_param(&machine.sync_ns, 7);
	add_in(500, 0);
	add_event(XS_ACTION_RECORD, 0, 0);
	add_in(500, 1);
	size_t event = add_event(XS_ACTION_SYNC_EVENT, 0, 0);
	size_t queue = add_event(XS_ACTION_SYNC_QUEUE, 0, 1);
	add_kernel(300, 2);
	size_t all = add(xs_action_sync_all(&machine), 0);
	run();
	assert_near(times[event].return_ns, 500);
	assert_near(times[queue].return_ns, 1000);
	assert_near(times[all].return_ns, 1307);
	assert_near(round_ns, 1307);
}

TEST(test_blocking_copy_holds_the_host)
{
	set_param(&machine.lo_h2d_ns, 100);
	set_param(&machine.call_copy_sync_ns, 40);
	size_t copy = add(xs_action_copy(&machine, true, 1000, true), 0);
	size_t kernel = add_kernel(10, 1);
	run();
	assert_near(times[copy].return_ns, 1140);
	assert_near(times[kernel].call_ns, 1140);
}

/* A call that waits takes its own time at least, even if what it waits for is
 * done before. */
TEST(test_waiting_call_has_its_cost)
{
	struct xs_action action = xs_action_copy(&machine, true, 100, true);
	struct xs_action sync = {
	    .kind = XS_ACTION_SYNC_ALL, .after = XS_ACTION_NONE, .call_ns = 70};

	action.call_ns = 5000;
	size_t copy = add(action, 0);
	size_t idle = add(sync, 0);
	run();
	assert_near(times[copy].end_ns, 100);
	assert_near(times[copy].return_ns, 5000);
	assert_near(times[idle].return_ns, 5070);
}

TEST(test_host_costs_in_issue_order)
{
	struct xs_action late = xs_action_host(25);

	set_param(&machine.call_copy_async_ns, 30);
	set_param(&machine.call_launch_ns, 20);
	set_param(&machine.launch_latency_ns, 5);
	add_in(0, 0);
	size_t launch = add_kernel(0, 1);
	late.gap_ns = 100;
	size_t last = add(late, 0);
	run();
	assert_near(times[launch].call_ns, 30);
	assert_near(times[launch].start_ns, 55); /* 30 + 20 + 5 */
	assert_near(times[last].call_ns, 150);
	assert_near(times[last].return_ns, 175);
}

TEST(test_threads_run_beside_each_other)
{
	struct xs_action one = xs_action_host(100), other = xs_action_host(60);

	other.thread = 1;
	other.gap_ns = 10;
	add(one, 0);
	add(other, 0);
	run();
	assert_near(times[1].call_ns, 10);
	assert_near(round_ns, 100);
}

/* Of two pieces, the first copy out is the 3rd call depth first and the 5th
 * breadth first. With 100 ns per call that is when it can start. */
TEST(test_depth_against_breadth)
{
	set_param(&machine.call_copy_async_ns, 100);
	set_param(&machine.call_launch_ns, 100);
	add_in(10, 0);
	add_kernel(10, 0);
	size_t depth = add_out(10, 0);
	add_in(10, 1);
	add_kernel(10, 1);
	add_out(10, 1);
	run();
	assert_near(times[depth].start_ns, 210); /* kernel at 200 */
	xs_plan_free(&plan);
	add_in(10, 0);
	add_in(10, 1);
	add_kernel(10, 0);
	add_kernel(10, 1);
	size_t breadth = add_out(10, 0);
	add_out(10, 1);
	run();
	assert_near(times[breadth].start_ns, 400);
}

/* Reads 1000 bytes and writes 1500, both at 3 ns per byte while both run: reads
 * end at 3000 with 1000 written; 500 more at 2 alone. The kernel's own 3500 are
 * shorter. */
TEST(test_mapped_kernel)
{
	struct xs_action kernel = xs_action_kernel(&machine, 3500);

	set_param(&machine.mapped_read, 2);
	set_param(&machine.mapped_write, 2);
	set_param(&machine.mapped_both_read, 3);
	set_param(&machine.mapped_both_write, 3);
	kernel.bytes[XS_LINK_READ] = 1000;
	kernel.bytes[XS_LINK_WRITE] = 1500;
	add(kernel, 0);
	run();
	assert_near(round_ns, 4000);
	plan.actions[0].work_ns = 5000;
	run();
	assert_near(round_ns, 5000);
}

/* A mapped write and a copy in slow each other: 1000 bytes in at 4 end at 4000,
 * when 800 of 1000 are written at 5; 200 more at 2 alone. */
TEST(test_mapped_write_against_copy)
{
	struct xs_action kernel = xs_action_kernel(&machine, 0);

	set_param(&machine.mapped_write, 2);
	set_param(&machine.mapped_write_vs_h2d, 5);
	set_param(&machine.h2d_vs_mapped_write, 4);
	kernel.bytes[XS_LINK_WRITE] = 1000;
	add(kernel, 0);
	size_t in = add_in(1000, 1);
	run();
	assert_near(times[in].end_ns, 4000);
	assert_near(round_ns, 4400);
}

/* For 1000 ns the copy keeps its rate of 1 and the writes run at 4; then 500
 * more bytes in at 4, during which 400 are written at 5. 350 of the 1000 are
 * left for 2 alone. The second kernel's writes begin anew: a copy of 1000 bytes
 * is done after its first 1000 ns. */
TEST(test_early_mapped_writes)
{
	struct xs_action kernel = xs_action_kernel(&machine, 0);

	set_param(&machine.mapped_write, 2);
	set_param(&machine.mapped_write_vs_h2d, 5);
	set_param(&machine.h2d_vs_mapped_write, 4);
	set_param(&machine.mapped_write_early_ns, 1000);
	set_param(&machine.mapped_write_early, 4);
	kernel.bytes[XS_LINK_WRITE] = 1000;
	add(kernel, 0);
	size_t in = add_in(1500, 1);
	add(kernel, 0);
	size_t again = add_in(1000, 0);
	run();
	assert_near(times[in].end_ns, 3000);
	assert_near(times[2].start_ns, 3700);
	assert_near(times[again].start_ns, 5700);
	xs_plan_free(&plan);
	add(kernel, 0);
	again = add_in(1000, 1);
	run();
	assert_near(times[again].end_ns, 1000);
	assert_near(round_ns, 1000 + 750 * 2);
}

/* A copy that starts 5000 ns after mapped writes waits for its first bytes: 300
 * ns, or until the writes end. */
TEST(test_copy_stalls_under_mapped_writes)
{
	struct xs_action kernel = xs_action_kernel(&machine, 0);
	struct xs_action copy = xs_action_copy(&machine, true, 500, false);

	set_param(&machine.mapped_write, 2);
	set_param(&machine.h2d_stall_ns, 300);
	kernel.bytes[XS_LINK_WRITE] = 10000;
	copy.gap_ns = 5000;
	copy.queue = 1;
	add(kernel, 0);
	size_t in = add(copy, 1);
	run();
	assert_near(times[in].end_ns, 5000 + 300 + 500);
	plan.actions[0].bytes[XS_LINK_WRITE] = 2550;
	run();
	assert_near(times[in].end_ns, 5100 + 500);
	/* Without earlier writes there is nothing to wait for. */
	plan.actions[in].gap_ns = 0;
	run();
	assert_near(times[in].end_ns, 500);
	plan.actions[0].bytes[XS_LINK_WRITE] = 0;
	run();
	assert_near(times[in].end_ns, 500);
}

/* Writes that fill the link for half of their time slow the copy by half: 1000
 * bytes at 2.5. The writes wait for 100 ns. */
TEST(test_writes_that_do_not_fill_the_link)
{
	struct xs_action kernel = xs_action_kernel(&machine, 0);

	set_param(&machine.mapped_write, 4);
	set_param(&machine.h2d_vs_mapped_write, 4);
	set_param(&machine.mapped_write_stall_ns, 100);
	kernel.bytes[XS_LINK_WRITE] = 1000;
	kernel.write_share = 0.5;
	size_t in = add_in(1000, 1);
	size_t writes = add(kernel, 0);
	run();
	assert_near(times[in].end_ns, 2500);
	assert_near(times[writes].end_ns, 4100);
}

/* A copy keeps its distance from a copy that a kernel waits for. */
TEST(test_copy_behind_one_for_a_kernel)
{
	set_param(&machine.g_kernel_ns, 30);
	add_in(100, 0);
	size_t behind = add(xs_action_next_copy(&machine, 100), 1);
	run();
	assert_near(times[behind].start_ns, 130);
}

/* The last blocks of a small kernel leave room for the next kernel, but
 * dependents of the kernel wait for them. */
TEST(test_tail)
{
	struct xs_action small = xs_action_kernel(&machine, 10);

	small.tail_ns = 30;
	add(small, 0);
	size_t next = add_kernel(10, 1);
	size_t out = add_out(5, 0);
	run();
	assert_near(times[next].start_ns, 10);
	assert_near(times[out].start_ns, 40);
}

/* An action that follows another one on a different queue, and one that does
 * not follow its own queue. */
TEST(test_recorded_order)
{
	struct xs_action follows = {
	    .kind = XS_ACTION_OP, .work_ns = 10, .after = 0};
	struct xs_action unordered = {.kind = XS_ACTION_OP,
				      .work_ns = 10,
				      .after = XS_ACTION_NONE,
				      .unordered = true};

	add_kernel(100, 0);
	add(follows, 1);
	add(unordered, 0);
	run();
	assert_near(times[1].start_ns, 100);
	assert_near(times[2].start_ns, 0);
}

TEST(test_unknown_rate)
{
	struct xs_action kernel = xs_action_kernel(&machine, 10);

	kernel.bytes[XS_LINK_READ] = 1;
	add(kernel, 0);
	assert_true(isnan(xs_replay(&plan, &machine, NULL)));
}

RUN_TESTS(set_up_link, tear_down)
