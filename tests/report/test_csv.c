/* SPDX-License-Identifier: MIT */
/* CSV: read back by the rules of RFC 4180, each row has the columns and values
 * of its estimate. */
#include "report/render/renderer.h"
#include "report/result/columns.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Trace, phase and rounds come before an estimate's columns. */
#define FIRST 3u

static char *csv_of(struct xs_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xs_renderer_find("csv", XS_RENDER_REPORT)
			     ->report(&result, 1, NULL, out),
			 0);
	fclose(out);
	return text;
}

/* Reads the next field into a buffer. Returns what ends it: a comma or a line
 * feed. */
static char next_field(const char **at, char *field, size_t bytes)
{
	const bool quoted = **at == '"';
	size_t n = 0;

	*at += quoted;
	for (; **at; ++*at) {
		if (quoted && (*at)[0] == '"' && (*at)[1] == '"')
			++*at;
		else if (quoted ? **at == '"' : strchr(",\n", **at) != NULL)
			break;
		assert_true(n + 1 < bytes);
		field[n++] = **at;
	}
	field[n] = '\0';
	*at += quoted;
	assert_true(**at == ',' || **at == '\n');
	return *(*at)++;
}

/* Reads one row's fields and returns the one of that column. */
static const char *field_of(const char **at, size_t column)
{
	static char field[4096];
	const size_t count = FIRST + xs_estimate_column_count;
	char other[4096] = "";

	for (size_t i = 0; i < count; i++)
		assert_int_equal(
		    next_field(at, i == column ? field : other, sizeof(field)),
		    i + 1 < count ? ',' : '\n');
	return field;
}

static size_t column_of(const char *key)
{
	for (size_t i = 0; i < xs_estimate_column_count; i++)
		if (strcmp(xs_estimate_columns[i].key, key) == 0)
			return FIRST + i;
	fail_msg("no column %s", key);
	return 0;
}

TEST(text_may_contain_anything)
{
	static const char *const texts[] = {
	    "plain",	  "a \"quoted\" word", "\"", "one, two",
	    "two\nlines", "\",\"\n",	       ""};
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];

	assert_true(phase->estimate_count > 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *at;
		char *csv;

		phase->estimates[0].why = texts[i];
		at = csv = csv_of(result);
		assert_string_equal(field_of(&at, column_of("why")), "why");
		assert_string_equal(field_of(&at, column_of("why")), texts[i]);
		free(csv);
	}
	xs_result_free(result);
}

TEST(rows_have_the_values_of_the_estimates)
{
	struct xs_result *result = fixture_result();
	char *csv = csv_of(result), want[32];
	const char *at = csv;

	field_of(&at, 0);
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		for (size_t k = 0; k < phase->estimate_count; k++) {
			const int64_t ns = phase->estimates[k].round_ns;

			want[0] = '\0'; /* unknown */
			if (ns != XS_UNKNOWN)
				snprintf(want, sizeof(want), "%" PRId64, ns);
			assert_string_equal(
			    field_of(&at, column_of("round_ns")), want);
		}
	}
	assert_int_equal(*at, '\0');
	free(csv);
	xs_result_free(result);
}
