/* SPDX-License-Identifier: MIT */
/*
 * cmocka, the headers that it requires, and the tests of a file, which run in
 * its order:
 *
 *	TEST(a_copy_is_counted)
 *	{
 *		assert_int_equal(...);
 *	}
 *
 *	RUN_TESTS(NULL, NULL)
 */
#ifndef XS_TESTS_UNIT_H
#define XS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Expect that a text has a part, or does not; NULL has none. */
#define assert_has(text, part)                                                 \
	do {                                                                   \
		const char *unit_text = (text);                                \
                                                                               \
		if (!unit_text || !strstr(unit_text, part))                    \
			fail_msg("\"%s\" has no \"%s\"", unit_text, part);     \
	} while (0)
#define assert_has_not(text, part)                                             \
	do {                                                                   \
		const char *unit_text = (text);                                \
                                                                               \
		if (unit_text && strstr(unit_text, part))                      \
			fail_msg("\"%s\" has \"%s\"", unit_text, part);        \
	} while (0)

#define UNIT_TESTS_MOST 100

__attribute__((unused)) static struct CMUnitTest unit_tests[UNIT_TESTS_MOST];
__attribute__((unused)) static size_t unit_test_count;

/* Begins a test; *state is what its setup function left there. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same with its own setup and teardown function, or NULL. */
#define TEST_WITH(name, setup, teardown)                                       \
	static void name(void **state);                                        \
	__attribute__((constructor)) static void unit_add_##name(void)         \
	{                                                                      \
		if (unit_test_count == UNIT_TESTS_MOST)                        \
			abort();                                               \
		unit_tests[unit_test_count++] =                                \
		    (struct CMUnitTest){#name, name, setup, teardown, NULL};   \
	}                                                                      \
	static void name(__attribute__((unused)) void **state)

/* Runs all tests, with setup and teardown for those that have none of their
 * own. begin, end: before the first and after the last test, or NULL. Returns
 * the number of failures. */
static inline int unit_run(CMFixtureFunction begin, CMFixtureFunction end,
			   CMFixtureFunction setup, CMFixtureFunction teardown)
{
	for (size_t i = 0; i < unit_test_count; i++) {
		if (!unit_tests[i].setup_func)
			unit_tests[i].setup_func = setup;
		if (!unit_tests[i].teardown_func)
			unit_tests[i].teardown_func = teardown;
	}
	return _cmocka_run_group_tests("tests", unit_tests, unit_test_count,
				       begin, end);
}

/* Defines main(). */
#define RUN_TESTS(setup, teardown)                                             \
	int main(void)                                                         \
	{                                                                      \
		return unit_run(NULL, NULL, setup, teardown);                  \
	}

#endif
