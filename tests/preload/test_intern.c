/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "preload/util/intern.h"

#include <stdio.h>

#define KEYS 20000u

TEST(each_key_keeps_its_number)
{
	struct xs_intern table = {0};
	char key[64];

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < KEYS; i++) {
			int n = snprintf(key, sizeof(key), "_Z%ukernelPf", i);
			uint32_t *number =
			    xs_intern_number(&table, key, (size_t)n);
			assert_non_null(number);
			assert_int_equal(*number, round ? i + 1 : 0);
			*number = i + 1;
		}
	}
	assert_int_equal(table.used, KEYS);
}

/* If no number was stored, since the trace was full, the key stays new. */
TEST(key_without_a_number_stays_new)
{
	struct xs_intern table = {0};

	assert_int_equal(*xs_intern_number(&table, "a", 1), 0);
	assert_int_equal(*xs_intern_number(&table, "a", 1), 0);
	*xs_intern_number(&table, "a", 1) = 3;
	assert_int_equal(*xs_intern_number(&table, "a", 1), 3);
}

TEST(keys_differ_by_their_bytes_and_length)
{
	struct xs_intern table = {0};
	static const char zeros[200000];

	*xs_intern_number(&table, "", 0) = 1;
	*xs_intern_number(&table, zeros, 1) = 2;
	*xs_intern_number(&table, zeros, 8) = 3;
	*xs_intern_number(&table, zeros, sizeof(zeros)) = 4;
	assert_int_equal(*xs_intern_number(&table, "", 0), 1);
	assert_int_equal(*xs_intern_number(&table, zeros, 1), 2);
	assert_int_equal(*xs_intern_number(&table, zeros, 8), 3);
	assert_int_equal(*xs_intern_number(&table, zeros, sizeof(zeros)), 4);
	assert_int_equal(*xs_intern_number(&table, zeros, 9), 0);
}
