/* SPDX-License-Identifier: MIT */
/* The table of strategies: complete, and each row filled. */
#include "model/strategies/strategies.h"
#include "tests/model/model_test.h"

#include <dirent.h>

#define STRATEGY_DIR XS_SOURCE_DIR "/model/strategies"

/* strategy_double_buffer.c -> double-buffer; false for any other file. */
static bool id_of_file(const char *file, char id[64])
{
	char name[64];
	int end = 0;

	if (sscanf(file, "strategy_%60[a-z_].c%n", name, &end) != 1 ||
	    end == 0 || file[end] != '\0')
		return false;
	snprintf(id, 64, "%s", name);
	for (char *c = id; *c; c++)
		if (*c == '_')
			*c = '-';
	return true;
}

TEST(each_file_has_a_row)
{
	DIR *dir = opendir(STRATEGY_DIR);
	const struct dirent *entry;
	size_t files = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char id[64];

		if (!id_of_file(entry->d_name, id))
			continue;
		files++;
		if (!xs_strategy_find(id))
			fail_msg("%s has no row in strategies.c",
				 entry->d_name);
	}
	closedir(dir);
	assert_int_equal(files, xs_strategy_count);
}

TEST(each_row_is_filled)
{
	assert_true(xs_strategy_count > 0);
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];

		assert_non_null(strategy->id);
		assert_true(strategy->id[0] != '\0');
		assert_non_null(strategy->build);
		assert_true(strategy->needs != 0);
		assert_non_null(strategy->advice);
		assert_true(strategy->advice[0] != '\0');
	}
}

/* Returns the characters of the longest line, without what is in braces in
 * front of it. */
static size_t longest_line(const char *code)
{
	size_t longest = 0;

	while (code && *code) {
		const char *line = code;
		size_t length;

		while (*line == '{')
			line += strcspn(line, "}") + 1;
		length = strcspn(line, "\n");
		longest = length > longest ? length : longest;
		code = line + length + (line[length] == '\n');
	}
	return longest;
}

/* At most three lines to write, of which some have another in their place, and
 * what a change of effort changes. */
TEST(changes_have_code_and_kind)
{
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_strategy *strategy = xs_strategies[i];

		assert_true((strategy->effort != XS_EFFORT_NONE) ==
			    (strategy->changes != 0));
		assert_false(strategy->changes & strategy->spares);
		for (size_t k = 0; k < XS_LANGUAGES; k++) {
			size_t lines = 1;

			for (const char *at = strategy->code[k]; at && *at;
			     at++)
				lines += (*at == '\n') -
					 !strncmp(at, "{joined}", 8) -
					 !strncmp(at, "{allocate}", 10) -
					 !strncmp(at, "{only_in}", 9) -
					 !strncmp(at, "{apart}{many_out}", 17);
			assert_in_range(lines, 1, 3);
			/* of 80 columns, behind "       | " */
			assert_in_range(longest_line(strategy->code[k]), 0, 71);
		}
	}
}

TEST(ids_are_unique)
{
	for (size_t i = 0; i < xs_strategy_count; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(xs_strategies[i]->id,
						xs_strategies[k]->id);
}

TEST(rows_are_found_by_id)
{
	assert_string_equal(xs_strategies[0]->id, "as-is");
	for (size_t i = 0; i < xs_strategy_count; i++)
		assert_ptr_equal(xs_strategy_find(xs_strategies[i]->id),
				 xs_strategies[i]);
	assert_string_equal(xs_strategy_find("machine:h200")->id, "machine");
	assert_null(xs_strategy_find("pin"));
	assert_null(xs_strategy_find(""));
}
