/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#define TESTS_MOST 100

static struct CMUnitTest tests[TESTS_MOST];
static size_t test_count;

void unit_add(struct CMUnitTest test)
{
	if (test_count == TESTS_MOST)
		abort();
	tests[test_count++] = test;
}

bool unit_has(const char *text, const char *part)
{
	return text && strstr(text, part);
}

bool unit_lacks(const char *text, const char *part)
{
	return text && !strstr(text, part);
}

int unit_run(CMFixtureFunction begin, CMFixtureFunction end,
	     CMFixtureFunction setup, CMFixtureFunction teardown)
{
	char folder[] = XS_BINARY_DIR "/tests/run.XXXXXX";
	int failures;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	for (size_t i = 0; i < test_count; i++) {
		if (!tests[i].setup_func)
			tests[i].setup_func = setup;
		if (!tests[i].teardown_func)
			tests[i].teardown_func = teardown;
	}
	failures =
	    _cmocka_run_group_tests("tests", tests, test_count, begin, end);
	/* its name may have any character */
	return setenv("XS_FOLDER", folder, 1) || system("rm -rf \"$XS_FOLDER\"")
		   ? 1
		   : failures;
}

/* Of a file without RUN_TESTS. */
__attribute__((weak)) int main(void)
{
	return unit_run(NULL, NULL, NULL, NULL);
}
