/* SPDX-License-Identifier: MIT */
/* The table of renderers, and its files. */
#include "report/render/renderer.h"
#include "tests/unit.h"

#include <glob.h>
#include <string.h>

#define FOLDER XS_SOURCE_DIR "/report/render/"

static const enum xs_render_command commands[] = {
    XS_RENDER_REPORT, XS_RENDER_DIFF, XS_RENDER_MODEL};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static bool is_in_table(const char *name)
{
	for (size_t i = 0; i < xs_renderer_count; i++)
		if (strcmp(xs_renderers[i]->name, name) == 0)
			return true;
	return false;
}

TEST(each_file_has_a_row)
{
	char name[32];
	glob_t files;

	assert_int_equal(glob(FOLDER "render_*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		assert_int_equal(sscanf(files.gl_pathv[i] + strlen(FOLDER),
					"render_%31[a-z0-9].c", name),
				 1);
		assert_true(is_in_table(name));
	}
	assert_int_equal(files.gl_pathc, xs_renderer_count);
	globfree(&files);
}

/* A row may lack some functions, but the default has all. */
TEST(each_row_has_a_name_and_functions)
{
	for (size_t i = 0; i < xs_renderer_count; i++) {
		const struct xs_renderer *row = xs_renderers[i];

		assert_true(row->name && row->name[0]);
		assert_true(row->report || row->diff || row->model);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(row->name,
						xs_renderers[k]->name);
	}
	for (size_t k = 0; k < COMMANDS; k++)
		assert_true(xs_renderer_offers(xs_renderers[0], commands[k]));
}

TEST(only_offered_formats_are_found)
{
	for (size_t i = 0; i < xs_renderer_count; i++)
		for (size_t k = 0; k < COMMANDS; k++)
			assert_ptr_equal(
			    xs_renderer_find(xs_renderers[i]->name,
					     commands[k]),
			    xs_renderer_offers(xs_renderers[i], commands[k])
				? xs_renderers[i]
				: NULL);
	assert_null(xs_renderer_find("html5", XS_RENDER_REPORT));
	assert_null(xs_renderer_find("", XS_RENDER_REPORT));
}
