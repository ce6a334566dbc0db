/* SPDX-License-Identifier: MIT */
/* Numbers of handles, and how many are kept to be sorted. */
#include "model/replay/numbering.h"

#include "tests/unit.h"

#define MANY 100000u

TEST(handles_are_numbered_by_size)
{
	static const uint64_t values[] = {7, 0, UINT64_MAX, 7, 0, 9, 7};
	struct xs_numbering n;

	xs_numbering_init(&n, 7);
	for (size_t i = 0; i < 7; i++)
		xs_numbering_add(&n, values[i]);
	xs_numbering_sort(&n);
	assert_int_equal(n.count, 4);
	assert_int_equal(xs_numbering_find(&n, 0), 0);
	assert_int_equal(xs_numbering_find(&n, 7), 1);
	assert_int_equal(xs_numbering_find(&n, 9), 2);
	assert_int_equal(xs_numbering_find(&n, UINT64_MAX), 3);
	xs_numbering_free(&n);
}

/* As in a round of many ops on some streams: none of the repeated handles is
 * sorted. */
TEST(repeated_handles_are_kept_once)
{
	const uint64_t base = 0x7f0000001000;
	struct xs_numbering n;

	xs_numbering_init(&n, MANY);
	for (unsigned i = 0; i < MANY; i++)
		xs_numbering_add(&n, base + i % 8 * 0x2340);
	assert_true(n.count < MANY / 10);
	xs_numbering_sort(&n);
	assert_int_equal(n.count, 8);
	xs_numbering_free(&n);
}

TEST(handles_that_differ_are_all_kept)
{
	struct xs_numbering n;

	xs_numbering_init(&n, 2 * MANY);
	for (unsigned i = 0; i < 2 * MANY; i++)
		xs_numbering_add(&n, (MANY - i % MANY) * 3);
	xs_numbering_sort(&n);
	assert_int_equal(n.count, MANY);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(xs_numbering_find(&n, (i + 1) * 3), i);
	xs_numbering_free(&n);
}
