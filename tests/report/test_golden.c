/* SPDX-License-Identifier: MIT */
/*
 * Whole parts of reports on traces written by hand, as the command prints them.
 * To renew: look at what it prints, and why it changed.
 */
#include "tests/report/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLDER XS_SOURCE_DIR "/tests/report/"

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in || getdelim(&text, &size, '\0', in) < 0)
		fail_msg("%s cannot be read", path);
	fclose(in);
	return text;
}

static void expect_golden(const char *arguments, const char *path)
{
	struct program program = program_run(arguments);
	char *golden = read_file(path);

	assert_int_equal(program.code, 0);
	assert_string_equal(program.out, golden);
	free(golden);
	program_free(&program);
}

/* A round whose second kernel works on what the first left. */
static void two_kernels_a_round(void **state)
{
	(void)state;
	expect_golden("report --machine h200 " FOLDER "traces/two-kernels.txt "
		      "| sed -n '/^Phases/,$p'",
		      FOLDER "golden/two-kernels.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_kernels_a_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
