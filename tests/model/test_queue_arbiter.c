/* SPDX-License-Identifier: MIT */
/* Hardware queues that streams share: the arbiter alone, and in replay. */
#include "model/replay/queue_arbiter.h"
#include "tests/model/small_plan.h"

static struct xs_queue_arbiter arbiter;
static struct xs_queue_entry ops[16];

static void begin(unsigned hw_queues, bool keeps_queue)
{
	xs_queue_arbiter_free(&arbiter);
	memset(ops, 0, sizeof(ops));
	arbiter = (struct xs_queue_arbiter){.hw_queues = hw_queues,
					    .keeps_queue = keeps_queue};
}

/* Issues op i on stream i, ready since since_ns[i]; NAN: not ready. */
static void issue(const double since_ns[], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		xs_queue_arbiter_issue(&arbiter, ops, i, i);
	for (uint32_t i = 0; i < count; i++)
		if (!isnan(since_ns[i]))
			xs_queue_arbiter_set_ready(&arbiter, ops, i,
						   since_ns[i]);
}

static void expect(const char *order)
{
	uint32_t op;

	for (; *order; order++) {
		assert_true(xs_queue_arbiter_take(&arbiter, ops, &op));
		assert_int_equal(op, *order - '0');
	}
	assert_false(xs_queue_arbiter_take(&arbiter, ops, &op));
	begin(0, false);
}

TEST(test_by_the_time_they_are_ready)
{
	begin(0, false);
	issue((double[]){30, 10, NAN, 20, 10}, 5);
	expect("1430");
}

/* 2 is not ready, so 5 and 8 have to wait. */
TEST(test_a_queue_is_in_the_order_of_issue)
{
	begin(3, false);
	issue((double[]){30, 10, NAN, 20, 10, 0, 5, 40, 0}, 9);
	expect("140367");
	begin(1, false);
	issue((double[]){30, 10, NAN, 20}, 4);
	expect("01");
}

TEST(test_a_queue_goes_on_when_its_head_is_ready)
{
	uint32_t op;

	begin(2, false);
	issue((double[]){NAN, NAN, 10, 20}, 4);
	assert_false(xs_queue_arbiter_take(&arbiter, ops, &op));
	xs_queue_arbiter_set_ready(&arbiter, ops, 0, 50);
	expect("02");
}

/* All ops of one hardware queue from 0 on, then by the time they became ready.
 */
TEST(test_an_engine_stays_with_a_queue)
{
	begin(3, true);
	issue((double[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
	expect("036147258");
	/* but not if its next op is not ready */
	begin(3, true);
	issue((double[]){0, 1, 2, NAN, 4, 5}, 6);
	expect("01425");
}

/* Adds a copy in of 100 and two kernels of 10 on each stream, stage by stage.
 * Returns the first stream's second kernel. */
static size_t add_two_kernels(uint32_t streams)
{
	size_t second = 0;

	for (uint32_t s = 0; s < streams; s++)
		add_in(100, s);
	for (uint32_t s = 0; s < streams; s++)
		add_kernel(10, s);
	for (uint32_t s = streams; s-- > 0;)
		second = add_kernel(10, s);
	return second;
}

/* The ninth stream shares the first one's queue. Its first kernel, which waits
 * for the ninth copy, comes before the first stream's second kernel. */
TEST(test_a_kernel_waits_for_one_of_another_stream)
{
	size_t second = add_two_kernels(9);

	run();
	assert_near(times[second].start_ns, 110);
	plan.kernel_hw_queues = XS_KERNEL_HW_QUEUES;
	run();
	assert_near(times[second].start_ns, 920); /* also its own second kernel
						   */
}

TEST(test_eight_streams_have_a_queue_each)
{
	size_t second = add_two_kernels(8);

	plan.kernel_hw_queues = XS_KERNEL_HW_QUEUES;
	run();
	assert_near(times[second].start_ns, 110);
}

TEST(test_piece_by_piece_nothing_is_held_up)
{
	for (uint32_t s = 0; s < 12; s++) {
		add_in(100, s);
		add_kernel(10, s);
		add_kernel(10, s);
	}
	plan.kernel_hw_queues = XS_KERNEL_HW_QUEUES;
	plan.copy_hw_queues = XS_COPY_HW_QUEUES;
	assert_near(run(), 12 * 100 + 20);
}

/* The fifth stream shares the first one's queue of copies in. */
TEST(test_copies_are_taken_queue_by_queue)
{
	for (uint32_t s = 0; s < 6; s++)
		add_in(100, s);
	run();
	assert_near(times[4].start_ns, 400);
	plan.copy_hw_queues = XS_COPY_HW_QUEUES;
	run();
	assert_near(times[4].start_ns, 100);
	assert_near(times[1].start_ns, 200);
	assert_near(times[5].start_ns, 300);
	assert_near(times[3].end_ns, 600);
}

/* With one queue, all wait for the last copy if issued stage by stage, and
 * nothing waits if issued piece by piece. With 32 queues each stream has its
 * own. */
TEST(test_as_many_queues_as_requested)
{
	size_t second = add_two_kernels(4);

	plan.kernel_hw_queues = 1;
	assert_near(run(), 4 * 100 + 10 + 4 * 10);
	assert_near(times[second].start_ns, 440); /* issued last */
	xs_plan_free(&plan);
	second = add_two_kernels(9);
	plan.kernel_hw_queues = XS_HW_QUEUES_MAX;
	run();
	assert_near(times[second].start_ns, 110);
	xs_plan_free(&plan);
	for (uint32_t s = 0; s < 4; s++) {
		add_in(100, s);
		add_kernel(10, s);
		add_kernel(10, s);
		add_out(100, s);
	}
	plan.kernel_hw_queues = plan.copy_hw_queues = 1;
	assert_near(run(), 4 * 100 + 20 + 100);
}

/* With one queue, copies run in the order of issue; with two, those of every
 * other stream come first. */
TEST(test_each_engine_has_the_queues_requested)
{
	for (uint32_t s = 0; s < 6; s++)
		add_in(100, s);
	plan.copy_hw_queues = 1;
	run();
	for (uint32_t s = 0; s < 6; s++)
		assert_near(times[s].start_ns, s * 100.0);
	plan.copy_hw_queues = 2;
	run();
	assert_near(times[2].start_ns, 100);
	assert_near(times[4].start_ns, 200);
	assert_near(times[1].start_ns, 300);
}

/* With one engine for both directions, copies run in the order of issue: the
 * sharing was not measured there. */
TEST(test_one_engine_takes_copies_as_they_come)
{
	machine.copy_engines = 1;
	for (uint32_t s = 0; s < 6; s++)
		add_in(100, s);
	plan.copy_hw_queues = XS_COPY_HW_QUEUES;
	run();
	assert_near(times[4].start_ns, 400);
}

RUN_TESTS(set_up, tear_down)
