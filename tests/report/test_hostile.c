/* SPDX-License-Identifier: MIT */
/* Names that would control a terminal or run in a spreadsheet, through
 * everything that the command prints. */
#include "analyzer/util/escape.h"
#include "tests/report/program.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/report/read_file.h"

/* A colour, a C1 introducer, an override, bytes that are not UTF-8. Without
 * slashes and brackets, at which names are cut. */
#define BAD	    "\033c\302\2337m\u202ex\xff\xc0\xaf"
#define BAD_IN_TEXT "\\x1bc\302\2337m\u202ex\\xff\\xc0\\xaf"

#define BASE	XS_SOURCE_DIR "/tests/report/traces/pageable.txt"
#define TRACE	"xs_hostile.txt"
#define PROFILE "./xs_hostile.json"

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* Returns where the text of a line begins that is shown, 0 if it has none. */
static size_t text_at(const char *line)
{
	static const char *const before[] = {
	    "name=\"",	      "text=\"app=",   "text=\"host=",
	    "text=\"driver=", "text=\"cupti=", "text=\"mode="};
	size_t at = 0;

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strstr(line, before[i]))
			at = (size_t)(strstr(line, before[i]) - line) +
			     strlen(before[i]);
	if (strncmp(line, "string", 6) == 0)
		at = (size_t)(strstr(line, "text=\"") - line) + 6;
	return at;
}

/* Writes a trace whose names all begin with bad characters, and a profile of
 * such a name. */
FIXTURE(write_inputs)
{
	char *base = read_file(BASE);
	FILE *out = fopen(TRACE, "w");

	assert_non_null(out);
	for (char *line = strtok(base, "\n"); line; line = strtok(NULL, "\n")) {
		const size_t head = text_at(line);

		fprintf(out, "%.*s%s%s\n", (int)head, line,
			head ? BAD_IN_TEXT : "", line + head);
		if (strncmp(line, "chunk", 5) == 0)
			fputs("info text=\"note=a note " BAD_IN_TEXT "\"\n"
			      "info text=\"rung=" BAD_IN_TEXT "\"\n"
			      "unknown kind=200 data=0a0b\n",
			      out);
	}
	assert_int_equal(fclose(out), 0);
	free(base);
	write_file(
	    PROFILE,
	    "{\"schema\": 1, \"name\": \"m\\u001bc\\u009b7m\\u202e\", \"gpu\": "
	    "\"g\\u001bc\\u009b7m\\u202e\", \"source\": \"file\", "
	    "\"copy_engines\": 2, \"notes\": \"n\\u001bc\\u009b\\u202e\", "
	    "\"parameters\": {\"lo_h2d_ns\": {\"value\": 10000},\"lo_d2h_ns\": "
	    "{\"value\": 10000},\"G_h2d\": {\"value\": 0.1}, \"G_d2h\": "
	    "{\"value\": 0.1},\"g_h2d_ns\": {\"value\": 1000},\"g_d2h_ns\": "
	    "{\"value\": 1000}}}");
	return 0;
}

static void check_safe(const char *arguments, const char *text)
{
	size_t size = strlen(text);

	while (size > 0) {
		uint32_t code;
		bool unsafe;
		const size_t length =
		    xs_escape_next(text, size, &code, &unsafe);

		if (unsafe && *text != '\n')
			fail_msg("'%s' prints byte 0x%02x before '%.20s'",
				 arguments, (unsigned char)*text,
				 text + length);
		text += length;
		size -= length;
	}
}

/* Runs the command; expects a code, safe output, and a text in it. */
static void expect_safe(const char *arguments, int code, const char *text)
{
	struct program program = program_run(arguments);

	if (program.code != code)
		fail_msg("'%s' exits with %d, not %d: %s", arguments,
			 program.code, code, program.err);
	check_safe(arguments, program.out);
	check_safe(arguments, program.err);
	if (!strstr(code ? program.err : program.out, text))
		fail_msg("'%s' does not print '%s': %s", arguments, text,
			 code ? program.err : program.out);
	program_free(&program);
}

TEST(reports_are_safe)
{
	expect_safe("report " TRACE, 0, "\\xc2\\x9b7m\\xe2\\x80\\xaex\\xff");
	expect_safe("report --atgpu --machine " PROFILE " " TRACE, 0,
		    "\\x1bc\\xc2\\x9b");
	expect_safe("report --machine h200 --machine " PROFILE " " TRACE, 0,
		    "c\\xc2\\x9b7m\\xe2\\x80\\xae:");
	expect_safe("report --format json --machine " PROFILE " " TRACE, 0,
		    "\\u009b7m\\u202e");
	expect_safe("report --format csv --machine h200 --machine " PROFILE
		    " " TRACE,
		    0, "machine:m?c\\xc2\\x9b");
	expect_safe("report --format html --machine h200 " TRACE, 0,
		    "<!DOCTYPE html>");
	expect_safe("diff " TRACE " " TRACE, 0, "as fast as before");
	expect_safe("diff --format json " TRACE " " TRACE, 0, "\"schema\"");
	expect_safe("model --h2d-bytes 1M --d2h-bytes 1M --kernel-ms 1 "
		    "--machine " PROFILE,
		    0, "m\\x1bc\\xc2\\x9b7m");
	expect_safe("model --format json --h2d-bytes 1M --d2h-bytes 1M "
		    "--kernel-ms 1 --machine " PROFILE,
		    0, "\\u202e");
}

TEST(lists_are_safe)
{
	mkdir("xs_hostile_machines", 0700);
	assert_int_equal(rename(PROFILE, "xs_hostile_machines/n\033.json"), 0);
	setenv("XFERSPY_MACHINES", "xs_hostile_machines", 1);
	expect_safe("report --machine list", 0, "n\\x1b");
	expect_safe("report --machine list", 0, "g\\x1bc\\xc2\\x9b7m");
	unsetenv("XFERSPY_MACHINES");
	assert_int_equal(rename("xs_hostile_machines/n\033.json", PROFILE), 0);
}

TEST(dumps_are_safe)
{
	expect_safe("dump --read " BASE " -o xs_hostile.xspy", 0, "");
	expect_safe("dump --resolve xs_hostile.xspy -o '" BAD "'", 0,
		    "\\x1bc\\xc2\\x9b7m");
	unlink(BAD);
	expect_safe("dump " TRACE, 0,
		    "app=\\x1bc\\xc2\\x9b7m\\xe2\\x80\\xaex\\xff\\xc0\\xaf");
}

TEST(errors_are_safe)
{
	expect_safe("'" BAD "'", 1, "\\x1bc\\xc2\\x9b7m");
	expect_safe("report '" BAD "'", 2, "\\x1bc\\xc2\\x9b7m");
	expect_safe("report --format '" BAD "'", 1, "\\x1bc\\xc2\\x9b7m");
	expect_safe("report --machine '" BAD "' " TRACE, 2,
		    "\\x1bc\\xc2\\x9b7m");
	write_file("xs_hostile_bad.txt", "xferspy-text 1\n" BAD " x\n");
	expect_safe("report xs_hostile_bad.txt", 2, "line 2");
	write_file("xs_hostile_bad.txt", "xferspy-text 1\nheader\n" BAD " x\n");
	expect_safe("report xs_hostile_bad.txt", 2, "\\x1bc\\xc2\\x9b7m");
	expect_safe("dump --read xs_hostile_bad.txt -o xs_hostile_out", 2,
		    "\\x1bc\\xc2\\x9b7m");
	write_file("./xs_hostile_bad.json", "{\"schema\": 1, " BAD "}");
	expect_safe("report --machine ./xs_hostile_bad.json " TRACE, 2, "json");
}

/* Runs a CSV report of a trace of that name; expects how its rows begin. */
static void expect_row(const char *name, const char *row)
{
	char arguments[128], line[128];
	char *base = read_file(BASE);

	write_file(name, base);
	snprintf(arguments, sizeof(arguments),
		 "report --format csv -- '%s' | sed -n 2p", name);
	snprintf(line, sizeof(line), "%s,1,", row);
	expect_safe(arguments, 0, line);
	free(base);
}

/* A spreadsheet runs a field that begins with one of these characters. */
TEST(csv_fields_are_no_formulas)
{
	expect_row("=cmd|calc", "'=cmd|calc");
	expect_row("+1+cmd", "'+1+cmd");
	expect_row("-2+cmd", "'-2+cmd");
	expect_row("@SUM(1)", "'@SUM(1)");
	expect_row("=a,\"b\"", "\"'=a,\"\"b\"\"\"");
	expect_row("-1.5", "-1.5");
	expect_row("a=b", "a=b");
}

int main(void)
{
	return unit_run(write_inputs, NULL, NULL, NULL);
}
