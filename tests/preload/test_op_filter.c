/* SPDX-License-Identifier: MIT */
/* Ops that CUPTI gives no times: lost, unless the counters of their launch were
 * read. */
#include "preload/sampling/op_filter.h"
#include "preload/trace/session.h"

#include "tests/unit.h"

static struct xs_file_header header;

/* Returns how many ops are lost when one without times arrives. */
static uint64_t lost_with(uint32_t correlation)
{
	const struct xs_gpu_op op = {.correlation = correlation};

	header.lost_ops = 0;
	xs_session_trace.header = &header;
	assert_false(xs_op_filter_wants(&op));
	xs_session_trace.header = NULL;
	return header.lost_ops;
}

TEST(an_op_without_times_is_lost)
{
	assert_int_equal(lost_with(7), 1);
	assert_int_equal(lost_with(0), 1);
}

TEST(that_of_a_counted_launch_is_not)
{
	xs_op_filter_note_counted(UINT32_MAX);
	xs_op_filter_note_counted(8);
	assert_int_equal(lost_with(8), 0);
	assert_int_equal(lost_with(UINT32_MAX), 0);
	assert_int_equal(lost_with(8), 1);
}

TEST(a_counted_launch_without_op_hides_no_loss)
{
	xs_op_filter_note_counted(9); /* it failed */
	assert_int_equal(lost_with(10), 1);
	assert_int_equal(lost_with(9 + 256), 1);
}
