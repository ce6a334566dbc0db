/* SPDX-License-Identifier: MIT */
/*
 * xferspy model against equations worked out by hand, on a machine of round
 * numbers (machine.json): L+o 10 us, G 0.1 ns a byte, g 1 us, both ways; two
 * copy engines, no implicit synchronisation.
 */
#include "tests/report/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "model --machine " XS_SOURCE_DIR "/tests/report/machine.json "
/* 4 ms in, 2 ms out */
#define BYTES "--h2d-bytes 40MB --d2h-bytes 20MB "

/* round_ns of the row of a model, strategy and n (0: of no n). */
static int64_t round_of(const char *arguments, const char *strategy,
			const char *model, int64_t n)
{
	struct program program = program_run(arguments);
	json_t *root = json_loads(program.out, 0, NULL), *row;
	int64_t found = -1;
	size_t i;

	assert_int_equal(program.code, 0);
	json_array_foreach(json_object_get(root, "estimates"), i, row)
	{
		json_t *streams = json_object_get(row, "n_streams");

		if (!strcmp(json_string_value(json_object_get(row, "strategy")),
			    strategy) &&
		    !strcmp(json_string_value(json_object_get(row, "model")),
			    model) &&
		    json_integer_value(streams) == n)
			found = json_integer_value(
			    json_object_get(row, "round_ns"));
	}
	json_decref(root);
	program_free(&program);
	return found;
}

/* 0.01 + 4 + 8 + 0.01 + 2 = 14.02 ms */
static void explicit_copies(void **state)
{
	(void)state;
	assert_int_equal(round_of(MODEL BYTES "--kernel-ms 8 --format json",
				  "pinned", "vanwerkhoven2014-explicit", 0),
			 14020000);
}

/*
 * Equation 5 for n = 4, the longest of
 *	0.01 + 4 + 0.003 + 8/4 + 0.01 + 2/4 = 6.523 ms
 *	0.01 + 4/4 + 8 + 0.01 + 2/4         = 9.52 ms
 *	0.01 + 4/4 + 8/4 + 0.01 + 2 + 0.003 = 5.023 ms
 */
static void a_dominant_kernel(void **state)
{
	(void)state;
	assert_int_equal(round_of(MODEL BYTES
				  "--kernel-ms 8 --streams 4 --format json",
				  "streams", "vanwerkhoven2014-eq5", 4),
			 9520000);
}

/*
 * With a kernel of 1 ms:
 *	0.01 + 4 + 0.003 + 1/4 + 0.01 + 2/4 = 4.773 ms
 *	0.01 + 4/4 + 1 + 0.01 + 2/4         = 2.52 ms
 *	0.01 + 4/4 + 1/4 + 0.01 + 2 + 0.003 = 3.273 ms
 */
static void dominant_copies(void **state)
{
	(void)state;
	assert_int_equal(round_of(MODEL BYTES
				  "--kernel-ms 1 --streams 4 --format json",
				  "streams", "vanwerkhoven2014-eq5", 4),
			 4773000);
}

/* Equation 6: 0.01 + max(4, 8, 2) + 0.01 = 8.02 ms */
static void mapped_memory(void **state)
{
	(void)state;
	assert_int_equal(round_of(MODEL BYTES "--kernel-ms 8 --format json",
				  "mapped", "vanwerkhoven2014-eq6", 0),
			 8020000);
}

/* The same times, given as times. */
static void times_stand_for_bytes(void **state)
{
	(void)state;
	assert_int_equal(round_of(MODEL "--h2d-ms 4 --d2h-ms 2 --kernel-ms 8 "
					"--streams 4 --format json",
				  "streams", "vanwerkhoven2014-eq5", 4),
			 9520000);
}

static void json_has_three_keys(void **state)
{
	struct program program =
	    program_run(MODEL BYTES "--kernel-ms 8 --format json");
	json_t *root = json_loads(program.out, 0, NULL);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(root, "schema")),
			 1);
	assert_string_equal(json_string_value(json_object_get(
				json_object_get(root, "machine"), "name")),
			    "round");
	assert_true(json_array_size(json_object_get(root, "estimates")) >= 4);
	json_decref(root);
	program_free(&program);
}

/* Of 14 ms and the latencies, all but the 8 ms of the kernel can be hidden. */
static void text_says_what_dominates(void **state)
{
	struct program program = program_run(MODEL BYTES "--kernel-ms 8");

	(void)state;
	assert_int_equal(program.code, 0);
	assert_non_null(strstr(program.out, "The kernel dominates; overlap "
					    "gains at most 6.02 ms"));
	assert_non_null(strstr(program.out, "vanwerkhoven2014-eq5"));
	program_free(&program);
	program = program_run(MODEL BYTES "--kernel-ms 1");
	assert_non_null(strstr(program.out, "The copies in dominate; overlap "
					    "gains at most 3.01 ms"));
	program_free(&program);
}

static void wrong_use_is_explained(void **state)
{
	static const struct {
		const char *arguments, *err;
	} wrong[] = {
	    {"model", "--machine FILE|NAME: it is missing; see"},
	    {MODEL "--kernel-ms 8", "--h2d-bytes N or --h2d-ms T: it is"},
	    {MODEL BYTES, "--kernel-ms T: it is missing"},
	    {MODEL "--h2d-bytes lots", "give bytes, such as"},
	    {MODEL "--kernel-ms -1", "give milliseconds"},
	    {MODEL BYTES "--kernel-ms 8 --streams 0", "a whole number from 1"},
	    {MODEL BYTES "--kernel-ms 8 more", "model takes options alone"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct program program = program_run(wrong[i].arguments);

		assert_int_equal(program.code, 1);
		assert_non_null(strstr(program.err, wrong[i].err));
		program_free(&program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(explicit_copies),
	    cmocka_unit_test(a_dominant_kernel),
	    cmocka_unit_test(dominant_copies),
	    cmocka_unit_test(mapped_memory),
	    cmocka_unit_test(times_stand_for_bytes),
	    cmocka_unit_test(json_has_three_keys),
	    cmocka_unit_test(text_says_what_dominates),
	    cmocka_unit_test(wrong_use_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
