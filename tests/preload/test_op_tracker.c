/* SPDX-License-Identifier: MIT */
/* Detects unmatched ops: ops that belong to no call that was seen. */
#include "preload/sampling/op_tracker.h"

#include "tests/unit.h"

#define EACH (1u << XS_OP_TRACKER_BITS)

static int forget(void **state)
{
	(void)state;
	xs_op_tracker_reset_unmatched();
	return 0;
}

static void ops_of_seen_calls_are_no_strays(void **state)
{
	(void)state;
	for (uint32_t id = 1; id < 1000; id++)
		xs_op_tracker_note_call(id);
	for (uint32_t id = 1; id < 1000; id++)
		xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 0);
}

static void one_of_many_unseen_calls_is_a_stray(void **state)
{
	(void)state;
	for (uint32_t id = 100000; id < 100000 + 10 * EACH; id++)
		xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 10);
	/* Without a call id this is unknown. */
	xs_op_tracker_note_op(0);
	assert_int_equal(xs_op_tracker_unmatched(), 10);
}

/* So old that later calls have its slot. */
static void late_ops_are_not_judged(void **state)
{
	uint32_t id = 200 * EACH;

	(void)state;
	xs_op_tracker_note_call(id);
	xs_op_tracker_note_call(id + EACH * XS_OP_TRACKER_SLOTS);
	xs_op_tracker_note_op(id);
	assert_int_equal(xs_op_tracker_unmatched(), 0);
	xs_op_tracker_note_op(id + 2 * EACH * XS_OP_TRACKER_SLOTS);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

static void ids_wrap(void **state)
{
	uint32_t last = UINT32_MAX - EACH + 1;

	(void)state;
	xs_op_tracker_note_call(last);
	xs_op_tracker_note_op(last);
	xs_op_tracker_note_op(last + EACH * XS_OP_TRACKER_SLOTS);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
	xs_op_tracker_note_call(last + EACH * XS_OP_TRACKER_SLOTS);
	xs_op_tracker_note_op(last);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

/* No call of this slot was seen: also not one with a later id. */
static void unseen_calls_of_high_ids_are_strays(void **state)
{
	(void)state;
	xs_op_tracker_note_op((UINT32_C(3) << 30) + 300 * EACH);
	assert_int_equal(xs_op_tracker_unmatched(), 1);
}

/* In either order of call and op. */
static void an_op_is_awaited_until_it_comes(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(ops_of_seen_calls_are_no_strays, forget),
	    cmocka_unit_test_setup(one_of_many_unseen_calls_is_a_stray, forget),
	    cmocka_unit_test_setup(late_ops_are_not_judged, forget),
	    cmocka_unit_test_setup(ids_wrap, forget),
	    cmocka_unit_test_setup(unseen_calls_of_high_ids_are_strays, forget),
	    cmocka_unit_test(an_op_is_awaited_until_it_comes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
