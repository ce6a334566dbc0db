/* SPDX-License-Identifier: MIT */
/* "Did you mean ...". */
#include "report/commands/nearest.h"

#include "tests/unit.h"

static const char *nearest_to(const char *word)
{
	static const char *const names[] = {"run", "report", "diff", "--format",
					    "gtx-680"};
	struct xs_nearest nearest = {.word = word};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		xs_nearest_offer(&nearest, names[i]);
	return nearest.best;
}

TEST(near_words_are_found)
{
	assert_string_equal(nearest_to("rn"), "run");
	assert_string_equal(nearest_to("runn"), "run");
	assert_string_equal(nearest_to("reprot"), "report");
	assert_string_equal(nearest_to("DIF"), "diff");
	assert_string_equal(nearest_to("--fromat=json"), "--format");
	assert_string_equal(nearest_to("GTX680"), "gtx-680");
}

TEST(far_words_are_not)
{
	static const char longest[] =
	    "a word that is longer than the names of all commands and options";

	assert_null(nearest_to(""));
	assert_null(nearest_to("x"));
	assert_null(nearest_to("calibrate"));
	assert_null(nearest_to("--"));
	assert_null(nearest_to("--frob"));
	assert_null(nearest_to(longest));
}
