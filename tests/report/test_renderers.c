/* SPDX-License-Identifier: MIT */
/* The table of renderers, its files, and the help and errors made from it. */
#include "report/render/renderer.h"
#include "tests/report/program.h"
#include "tests/unit.h"

#include <glob.h>
#include <string.h>

#define FOLDER XS_SOURCE_DIR "/report/render/"

static const struct {
	const char *name;
	enum xs_render_command command;
} commands[] = {{"report", XS_RENDER_REPORT},
		{"diff", XS_RENDER_DIFF},
		{"model", XS_RENDER_MODEL}};
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
		assert_true(
		    xs_renderer_offers(xs_renderers[0], commands[k].command));
}

TEST(only_offered_formats_are_found)
{
	for (size_t i = 0; i < xs_renderer_count; i++)
		for (size_t k = 0; k < COMMANDS; k++)
			assert_ptr_equal(xs_renderer_find(xs_renderers[i]->name,
							  commands[k].command),
					 xs_renderer_offers(xs_renderers[i],
							    commands[k].command)
					     ? xs_renderers[i]
					     : NULL);
	assert_null(xs_renderer_find("html5", XS_RENDER_REPORT));
	assert_null(xs_renderer_find("", XS_RENDER_REPORT));
}

/* The names of the rows with the command's function. */
static void names_of_rows(enum xs_render_command command, char *out)
{
	*out = '\0';
	for (size_t i = 0; i < xs_renderer_count; i++) {
		if (!xs_renderer_offers(xs_renderers[i], command))
			continue;
		if (*out)
			strcat(out, ", ");
		strcat(out, xs_renderers[i]->name);
	}
}

TEST(help_and_errors_list_the_table)
{
	char names[128], line[256], arguments[64];
	struct program program;

	for (size_t k = 0; k < COMMANDS; k++) {
		names_of_rows(commands[k].command, names);
		snprintf(arguments, sizeof(arguments), "%s --help",
			 commands[k].name);
		program = program_run(arguments);
		assert_int_equal(program.code, 0);
		snprintf(line, sizeof(line),
			 "\n  --format FORMAT      one of: %s (default: %s)",
			 names, xs_renderers[0]->name);
		assert_has(program.out, line);
		program_free(&program);

		snprintf(arguments, sizeof(arguments), "%s x --format none",
			 commands[k].name);
		program = program_run(arguments);
		assert_int_equal(program.code, 1);
		snprintf(line, sizeof(line),
			 "xferspy: none: unknown format; use one of: %s\n",
			 names);
		assert_string_equal(program.err, line);
		program_free(&program);
	}
}
