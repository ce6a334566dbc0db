/* SPDX-License-Identifier: MIT */
/* Decides by call id which ops belong to a sample window. */
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"

#include "tests/unit.h"

/* Calls from..to, recorded or counted. */
static void record(uint32_t from, uint32_t to)
{
	for (uint32_t id = from; id != to; id++) {
		xs_op_tracker_note_call(id);
		xs_sample_window_note_recorded(id);
	}
}

static void count(uint32_t from, uint32_t to)
{
	for (uint32_t id = from; id != to; id++) {
		xs_op_tracker_note_call(id);
		xs_sample_window_note_counted(id);
	}
}

FIXTURE(begin)
{
	xs_sample_window_begin();
	xs_sample_window_begin();
	xs_op_tracker_begin_window();
	return 0;
}

TEST(counted_calls_have_no_ops)
{
	record(1, 10000);
	assert_false(xs_sample_window_is_past(1));
	assert_false(xs_sample_window_is_past(9999));
	assert_false(xs_sample_window_is_past(20000));
	xs_sample_window_end();
	count(10000, 20000);
	assert_false(xs_sample_window_is_past(1));
	assert_false(xs_sample_window_is_past(9999));
	assert_false(xs_sample_window_is_past(0));
	assert_true(xs_sample_window_is_past(11000));
	assert_true(xs_sample_window_is_past(30000));
}

/* CUPTI was not disabled between the two windows. */
TEST(what_lies_between_windows_is_of_none)
{
	record(1, 10000);
	xs_sample_window_end();
	count(10000, 20000);
	xs_sample_window_begin();
	assert_false(xs_sample_window_is_past(9999));
	assert_true(xs_sample_window_is_past(15000));
	record(20000, 30000);
	assert_false(xs_sample_window_is_past(9999));
	assert_true(xs_sample_window_is_past(15000));
	assert_false(xs_sample_window_is_past(20000));
	assert_false(xs_sample_window_is_past(29999));
	xs_sample_window_end();
	assert_true(xs_sample_window_is_past(15000));
	assert_false(xs_sample_window_is_past(29999));
	count(30000, 40000);
	assert_false(xs_sample_window_is_past(29999));
	assert_true(xs_sample_window_is_past(39999));
}

TEST(a_call_that_begins_late_is_of_the_window)
{
	record(1, 10000);
	xs_sample_window_end();
	count(10000, 20000);
	assert_true(xs_sample_window_is_past(20000));
	xs_sample_window_note_recorded(20000);
	assert_false(xs_sample_window_is_past(20000));
	assert_true(xs_sample_window_is_past(21000));
}

/* The end is its first id, if that came before any other. */
TEST(a_late_call_may_be_the_first_to_end)
{
	record(1, 10000);
	xs_sample_window_end();
	xs_sample_window_note_recorded(20000);
	count(10000, 20000);
	assert_false(xs_sample_window_is_past(20000));
}

/* A call that started before the window and was counted ends in it, or after
 * it. */
TEST(calls_of_before_end_nothing)
{
	xs_sample_window_note_counted(20);
	record(100, 10000);
	xs_sample_window_note_counted(30);
	xs_sample_window_end();
	xs_sample_window_note_counted(40);
	assert_false(xs_sample_window_is_past(9999));
}

/* It saw that the previous window had no end, then this window started. */
TEST(a_call_of_before_may_be_held_up)
{
	record(1, 10000);
	xs_sample_window_end();
	xs_sample_window_begin();
	atomic_store(&xs_sample_window_ids.end, 10300);
	record(20000, 30000);
	assert_false(xs_sample_window_is_past(20000));
	assert_false(xs_sample_window_is_past(29999));
	xs_sample_window_end();
	count(30000, 40000);
	assert_false(xs_sample_window_is_past(29999));
	assert_true(xs_sample_window_is_past(39999));
}

TEST(ids_wrap)
{
	record(UINT32_MAX - 5000, 5000);
	xs_sample_window_end();
	count(5000, 10000);
	assert_false(xs_sample_window_is_past(UINT32_MAX - 4000));
	assert_false(xs_sample_window_is_past(4999));
	assert_true(xs_sample_window_is_past(9999));
}

RUN_TESTS(begin, NULL)
