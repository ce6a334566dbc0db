/* SPDX-License-Identifier: MIT */
#include "report/render/json/values.h"

#include "analyzer/util/escape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *xs_json_number(int64_t number)
{
	return number == XS_UNKNOWN ? json_null() : json_integer(number);
}

json_t *xs_json_ratio(double ratio)
{
	/* four digits after the point */
	const double digits = round(ratio * 1e4);

	return isfinite(digits) ? json_real(digits / 1e4) : json_null();
}

/* Text of a damaged trace may not be UTF-8: other bytes become '?'. */
json_t *xs_json_text(const char *text)
{
	json_t *out = text ? json_string(text) : json_null();
	char *ascii;

	if (out || !text)
		return out;
	ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	out = json_string_nocheck(ascii);
	free(ascii);
	return out;
}

json_t *xs_json_texts(const char *const *items, size_t count)
{
	json_t *out = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(out, xs_json_text(items[i]));
	return out;
}

/* Writes a character that a terminal must not get. Returns its bytes. */
static size_t write_unsafe(const char *text, size_t size, FILE *out)
{
	uint32_t code;
	bool unsafe;
	const size_t length = xs_escape_next(text, size, &code, &unsafe);

	if (code <= 0xffff)
		fprintf(out, "\\u%04x", code);
	else /* UTF-16, as JSON asks for */
		fprintf(out, "\\u%04x\\u%04x",
			0xd800 + ((code - 0x10000) >> 10),
			0xdc00 + ((code - 0x10000) & 0x3ff));
	return length;
}

/* Writes a part of the document. Only strings have such characters; jansson
 * itself escapes those below 0x20. */
static int write_part(const char *text, size_t size, void *out)
{
	for (size_t at = 0; at < size;) {
		const size_t safe = xs_escape_safe(text + at, size - at, "\n");

		fwrite(text + at, 1, safe, out);
		at += safe;
		if (at < size)
			at += write_unsafe(text + at, size - at, out);
	}
	return ferror((FILE *)out) ? -1 : 0;
}

int xs_json_write(json_t *root, FILE *out)
{
	const int err = json_dump_callback(
	    root, write_part, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

	json_decref(root);
	return err < 0 || fputc('\n', out) == EOF ? -EIO : 0;
}
