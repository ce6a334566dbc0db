/* SPDX-License-Identifier: MIT */
#include "analyzer/text/text_pair.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int xs_text_pair_fail(struct xs_text_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -EPROTO;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int xs_text_pair_hex(const char *text)
{
	int high = hex_digit(text[0]);

	return high < 0 || hex_digit(text[1]) < 0
		   ? -1
		   : high * 16 + hex_digit(text[1]);
}

/* Reads a quoted string that begins at *cursor, and moves past its end. */
static int read_quoted(struct xs_text_error *error, char **cursor,
		       struct xs_text_pair *pair)
{
	char *from = *cursor + 1, *to = pair->value = from;

	for (; *from != '"'; from++) {
		if (*from == '\0')
			return xs_text_pair_fail(
			    error, "the text of '%s' has no closing quote",
			    pair->name);
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		if (*from == '"' || *from == '\\') {
			*to++ = *from;
		} else if (*from == 'x' && xs_text_pair_hex(from + 1) >= 0) {
			*to++ = (char)xs_text_pair_hex(from + 1);
			from += 2;
		} else {
			return xs_text_pair_fail(
			    error, "unknown escape in the text of '%s'",
			    pair->name);
		}
	}
	pair->length = (size_t)(to - pair->value);
	pair->quoted = true;
	*cursor = from + 1;
	return 0;
}

int xs_text_pair_next(struct xs_text_error *error, char **cursor,
		      struct xs_text_pair *pair)
{
	char *equals;
	int rc = 0;

	*cursor += strspn(*cursor, " \t\r\n");
	if (**cursor == '\0')
		return 0;
	equals = strpbrk(*cursor, "= \t\r\n");
	if (!equals || *equals != '=')
		return xs_text_pair_fail(
		    error, "expected name=value at '%.20s'", *cursor);
	*equals = '\0';
	*pair = (struct xs_text_pair){.name = *cursor, .value = equals + 1};
	*cursor = equals + 1;
	if (**cursor == '"') {
		rc = read_quoted(error, cursor, pair);
	} else {
		pair->length = strcspn(*cursor, " \t\r\n");
		*cursor += pair->length;
	}
	if (!rc && **cursor != '\0') {
		if (!isspace((unsigned char)**cursor))
			return xs_text_pair_fail(
			    error, "expected a space after '%s'", pair->name);
		if (!pair->quoted)
			**cursor = '\0';
		(*cursor)++;
	}
	return rc ? rc : 1;
}

int xs_text_pair_number(struct xs_text_error *error,
			const struct xs_text_pair *pair, uint64_t *value)
{
	char *end;

	if (pair->quoted || !isdigit((unsigned char)pair->value[0]))
		return xs_text_pair_fail(error, "'%s' needs a number",
					 pair->name);
	errno = 0;
	*value = strtoull(pair->value, &end, 0);
	if (errno || *end != '\0')
		return xs_text_pair_fail(error, "'%s' is not a 64-bit number",
					 pair->name);
	return 0;
}
