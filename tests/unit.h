/* SPDX-License-Identifier: MIT */
/*
 * cmocka, the headers that it requires, and the tests of a file, which run in
 * its order and in a new folder, which is removed with what they write:
 *
 *	TEST(a_copy_is_counted)
 *	{
 *		assert_int_equal(...);
 *	}
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Return whether a text has a part, or lacks it. NULL is no text: neither. */
bool unit_has(const char *text, const char *part);
bool unit_lacks(const char *text, const char *part);

/* Expect that a text has a part, or lacks it. */
#define assert_has(text, part)                                                 \
	do {                                                                   \
		if (!unit_has(text, part))                                     \
			fail_msg("\"%s\" has no \"%s\"", text, part);          \
	} while (0)
#define assert_has_not(text, part)                                             \
	do {                                                                   \
		if (!unit_lacks(text, part))                                   \
			fail_msg("\"%s\" has \"%s\"", text, part);             \
	} while (0)

void unit_add(struct CMUnitTest test);

/* Begins a test; *state is what its setup function left there. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same with its own setup and teardown function, or NULL. */
#define TEST_WITH(name, setup, teardown)                                       \
	static void name(void **state);                                        \
	__attribute__((constructor)) static void unit_add_##name(void)         \
	{                                                                      \
		unit_add(                                                      \
		    (struct CMUnitTest){#name, name, setup, teardown, NULL});  \
	}                                                                      \
	static void name(__attribute__((unused)) void **state)

/* Begins a setup or teardown function, which returns 0 or -1; *state is what
 * the test gets. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* Runs all tests in a new folder, with setup and teardown for those that have
 * none of their own. begin, end: before the first and after the last test, or
 * NULL. Returns the number of failures. */
int unit_run(CMFixtureFunction begin, CMFixtureFunction end,
	     CMFixtureFunction setup, CMFixtureFunction teardown);

/* Ends a file whose tests have a setup or a teardown function, or NULL. */
#define RUN_TESTS(setup, teardown)                                             \
	int main(void)                                                         \
	{                                                                      \
		return unit_run(NULL, NULL, setup, teardown);                  \
	}
