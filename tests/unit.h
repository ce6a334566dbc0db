/* SPDX-License-Identifier: MIT */
/*
 * cmocka, the headers that it requires, and the tests of a file, which run in
 * its order and in a new folder, which is removed with what they write:
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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Not inlined: compilers would warn of a member of a row that is not there. */
__attribute__((noinline, unused)) static bool unit_has(const char *text,
						       const char *part)
{
	return text && strstr(text, part);
}

/* Expect that a text has a part, or does not; NULL has none. */
#define assert_has(text, part)                                                 \
	do {                                                                   \
		if (!unit_has(text, part))                                     \
			fail_msg("\"%s\" has no \"%s\"", text, part);          \
	} while (0)
#define assert_has_not(text, part)                                             \
	do {                                                                   \
		if (unit_has(text, part))                                      \
			fail_msg("\"%s\" has \"%s\"", text, part);             \
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

/* Begins a setup or teardown function, which returns 0 or -1; *state is what
 * the test gets. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* Runs all tests in a new folder, with setup and teardown for those that have
 * none of their own. begin, end: before the first and after the last test, or
 * NULL. Returns the number of failures. */
static inline int unit_run(CMFixtureFunction begin, CMFixtureFunction end,
			   CMFixtureFunction setup, CMFixtureFunction teardown)
{
	char remove[] = "rm -rf " XS_BINARY_DIR "/tests/run.XXXXXX";
	int failures;

	if (!mkdtemp(remove + 7) || chdir(remove + 7))
		return 1;
	for (size_t i = 0; i < unit_test_count; i++) {
		if (!unit_tests[i].setup_func)
			unit_tests[i].setup_func = setup;
		if (!unit_tests[i].teardown_func)
			unit_tests[i].teardown_func = teardown;
	}
	failures = _cmocka_run_group_tests("tests", unit_tests, unit_test_count,
					   begin, end);
	return system(remove) ? 1 : failures;
}

/* Defines main(). */
#define RUN_TESTS(setup, teardown)                                             \
	int main(void)                                                         \
	{                                                                      \
		return unit_run(NULL, NULL, setup, teardown);                  \
	}

#endif
