/* SPDX-License-Identifier: MIT */
/* Detects unmatched ops: ops that belong to no call that was seen. */
#include "preload/sampling/op_tracker.h"

#include "tests/unit.h"

#define EACH (1u << XS_OP_TRACKER_BITS)

FIXTURE(forget)
{
	xs_op_tracker_reset_unmatched();
	return 0;
}

TEST_WITH(ops_of_seen_calls_are_no_strays, forget, NULL)
{
	for (uint32_t id = 1; id < 1000; id++)
		xs_op_tracker_note_call(id);
	for (uint32_t id = 1; id < 1000; id++)
		xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 0);
}

TEST_WITH(one_of_many_unseen_calls_is_a_stray, forget, NULL)
{
	for (uint32_t id = 100000; id < 100000 + 10 * EACH; id++)
		xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 10);
	/* Without a call id this is unknown. */
	xs_op_tracker_note_op(0);
	assert_int_equal(xs_op_tracker_unmatched(), 10);
}

/* So old that later calls have its slot. */
TEST_WITH(late_ops_are_not_judged, forget, NULL)
{
	uint32_t id = 200 * EACH;

	xs_op_tracker_note_call(id);
	xs_op_tracker_note_call(id + EACH * XS_OP_TRACKER_SLOTS);
	xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 0);
	xs_op_tracker_note_op(id + 2 * EACH * XS_OP_TRACKER_SLOTS);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

TEST_WITH(ids_wrap, forget, NULL)
{
	uint32_t last = UINT32_MAX - EACH + 1;

	xs_op_tracker_note_call(last);
	xs_op_tracker_note_op(last);
	xs_op_tracker_note_op(last + EACH * XS_OP_TRACKER_SLOTS);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
	xs_op_tracker_note_call(last + EACH * XS_OP_TRACKER_SLOTS);
	xs_op_tracker_note_op(last);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

/* No call of this slot was seen: also not one with a later id. */
TEST_WITH(unseen_calls_of_high_ids_are_strays, forget, NULL)
{
	xs_op_tracker_note_op((UINT32_C(3) << 30) + 300 * EACH);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

/* In either order of call and op. */
TEST(an_op_is_awaited_until_it_comes)
{
	xs_op_tracker_op_issued(7);
	assert_true(xs_op_tracker_pending());
	xs_op_tracker_op_arrived(7);
	assert_false(xs_op_tracker_pending());
	xs_op_tracker_op_arrived(8);
	assert_false(xs_op_tracker_pending());
	xs_op_tracker_op_issued(8);
	assert_false(xs_op_tracker_pending());
	xs_op_tracker_op_arrived(9);
	xs_op_tracker_op_issued(9 + XS_OP_TRACKER_PENDING);
	assert_true(xs_op_tracker_pending());
	xs_op_tracker_op_arrived(9 + 2 * XS_OP_TRACKER_PENDING);
	assert_true(xs_op_tracker_pending());
	xs_op_tracker_op_arrived(9 + XS_OP_TRACKER_PENDING);
	assert_false(xs_op_tracker_pending());
	xs_op_tracker_op_issued(10);
	xs_op_tracker_begin_window();
	assert_false(xs_op_tracker_pending());
}
