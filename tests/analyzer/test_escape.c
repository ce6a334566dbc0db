/* SPDX-License-Identifier: MIT */
/* Text for a terminal. */
#include "tests/unit.h"

#include "analyzer/util/escape.h"

#include <stdlib.h>

static void check(const char *text, const char *keep, const char *expected)
{
	char *out = xs_escape_copy(text, keep);

	assert_string_equal(out, expected);
	free(out);
}

TEST(plain_text_stays)
{
	static const char *const texts[] = {"",	    "main.cu:12", "é ß Ω → ×",
					    "内核", "\U0001F600", "\\x1b \\"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check(texts[i], "", texts[i]);
}

TEST(controls_are_escaped)
{
	check("\033[31m\r\b\x7f", "", "\\x1b[31m\\x0d\\x08\\x7f");
	check("a\nb\tc", "", "a\\x0ab\\x09c");
	check("a\nb\tc", "\n", "a\nb\\x09c");
	check("\xc2\x80\xc2\x9b", "", "\\xc2\\x80\\xc2\\x9b"); /* C1 */
}

TEST(marks_that_reorder_text_are_escaped)
{
	check("\u202e", "", "\\xe2\\x80\\xae");
	check("\u2066x\u2069", "", "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9");
	check("\u200b\u2028\ufeff", "",
	      "\\xe2\\x80\\x8b\\xe2\\x80\\xa8\\xef\\xbb\\xbf");
	check("\U000e0041", "", "\\xf3\\xa0\\x81\\x81");
}

TEST(bytes_that_are_not_utf8_are_escaped)
{
	check("\xff\xfe", "", "\\xff\\xfe");
	check("a\x80z", "", "a\\x80z");
	check("\xc0\xaf", "", "\\xc0\\xaf");	      /* too long a form */
	check("\xed\xa0\x80", "", "\\xed\\xa0\\x80"); /* a surrogate */
	check("\xf4\x90\x80\x80", "", "\\xf4\\x90\\x80\\x80");
	check("\xe2\x82", "", "\\xe2\\x82"); /* cut */
	check("\xe2Z", "", "\\xe2Z");
}

TEST(nul_is_escaped)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	xs_escape_write("a\0b", 3, "\n", out);
	fclose(out);
	assert_string_equal(text, "a\\x00b");
	free(text);
}
