/* SPDX-License-Identifier: MIT */
#include "analyzer/import/json_pull.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xs_json_pull_open(struct xs_json_pull *j,
		      const struct xs_trace_bytes *bytes)
{
	j->at = j->end = j->length = 0;
	j->before = 0;
	j->depth = 0;
	j->wants_value = true;
	j->wants_separator = false;
	j->wrong = NULL;
	return xs_pieces_open(&j->input, bytes);
}

void xs_json_pull_release(struct xs_json_pull *j)
{
	xs_pieces_release(&j->input);
}

static int fail(struct xs_json_pull *j, const char *what)
{
	j->wrong = what;
	return -EPROTO;
}

/* Returns the next byte without taking it; -1 at the end, -errno - 1 if it
 * cannot be read. */
static int peek(struct xs_json_pull *j)
{
	long bytes;

	if (j->at < j->end)
		return (unsigned char)j->piece[j->at];
	bytes = xs_pieces_read(&j->input, j->piece);
	if (bytes == -EPROTO)
		j->wrong = j->input.wrong;
	if (bytes <= 0)
		return (int)bytes - 1;
	j->before += j->end;
	j->at = 0;
	j->end = (size_t)bytes;
	return (unsigned char)j->piece[0];
}

static int skip_spaces(struct xs_json_pull *j)
{
	int c;

	while ((c = peek(j)) == ' ' || c == '\n' || c == '\t' || c == '\r')
		j->at++;
	return c;
}

static void put(struct xs_json_pull *j, char c)
{
	if (j->length < XS_JSON_TEXT)
		j->text[j->length++] = c;
}

/* Stores a code point as UTF-8. */
static void put_code(struct xs_json_pull *j, unsigned code)
{
	if (code < 0x80) {
		put(j, code ? (char)code : '?');
		return;
	}
	if (code < 0x800) {
		put(j, (char)(0xc0 | code >> 6));
	} else if (code < 0x10000) {
		put(j, (char)(0xe0 | code >> 12));
		put(j, (char)(0x80 | (code >> 6 & 63)));
	} else {
		put(j, (char)(0xf0 | code >> 18));
		put(j, (char)(0x80 | (code >> 12 & 63)));
		put(j, (char)(0x80 | (code >> 6 & 63)));
	}
	put(j, (char)(0x80 | (code & 63)));
}

/* Stores a unit of UTF-16. A surrogate is a question mark, which the second
 * one of a pair replaces with the code point. */
static void put_unit(struct xs_json_pull *j, unsigned unit)
{
	const bool surrogate = unit >= 0xd800 && unit < 0xe000;

	if (surrogate && unit >= 0xdc00 && j->high &&
	    j->length == j->after_high) {
		j->length--;
		put_code(j,
			 0x10000 + ((j->high & 0x3ff) << 10) + (unit & 0x3ff));
		j->high = 0;
		return;
	}
	put_code(j, surrogate ? '?' : unit);
	j->high = surrogate && unit < 0xdc00 ? unit : 0;
	j->after_high = j->length;
}

static int read_escape(struct xs_json_pull *j)
{
	static const char names[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
	int c = peek(j);
	const char *name = c > 0 ? strchr(names, c) : NULL;
	char digits[5] = "";

	if (name) {
		j->at++;
		put(j, codes[name - names]);
		return 0;
	}
	if (c != 'u')
		return c < -1 ? c + 1 : fail(j, "a text has a wrong escape");
	j->at++;
	for (size_t i = 0; i < 4; i++, j->at++) {
		c = peek(j);
		if (c < 0 || !strchr("0123456789abcdefABCDEF", c) || !c)
			return c < -1 ? c + 1
				      : fail(j, "a text has a wrong escape");
		digits[i] = (char)c;
	}
	put_unit(j, (unsigned)strtoul(digits, NULL, 16));
	return 0;
}

static int read_text(struct xs_json_pull *j)
{
	int c, rc = 0;

	j->at++;
	j->high = 0;
	while (!rc && (c = peek(j)) != '"') {
		if (c < 0)
			return c < -1 ? c + 1 : fail(j, "it ends in a text");
		j->at++;
		if (c == '\\')
			rc = read_escape(j);
		else
			put(j, c ? (char)c : '?');
	}
	if (!rc)
		j->at++;
	return rc;
}

/* A number or a word: their letters are not checked, but are these only. */
static int read_bare(struct xs_json_pull *j, int first)
{
	const bool number = first == '-' || (first >= '0' && first <= '9');
	int c;

	while ((c = peek(j)) >= 0 &&
	       ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+')) {
		put(j, (char)c);
		j->at++;
	}
	if (c < -1)
		return c + 1;
	return j->length ? number ? XS_JSON_NUMBER : XS_JSON_WORD
			 : fail(j, "it is no JSON");
}

static int begin(struct xs_json_pull *j, bool object)
{
	if (j->depth == XS_JSON_DEPTH)
		return fail(j, "its values are nested too deeply");
	j->in_object[j->depth++] = object;
	j->at++;
	j->wants_value = !object;
	j->wants_separator = false;
	return object ? XS_JSON_OBJECT : XS_JSON_ARRAY;
}

static int end(struct xs_json_pull *j, bool object)
{
	if (!j->depth || j->in_object[j->depth - 1] != object)
		return fail(j, "its brackets do not match");
	j->depth--;
	j->at++;
	j->wants_separator = true;
	return object ? XS_JSON_OBJECT_END : XS_JSON_ARRAY_END;
}

static int read_key(struct xs_json_pull *j)
{
	int rc = read_text(j), c;

	if (rc)
		return rc;
	c = skip_spaces(j);
	if (c != ':')
		return c < -1 ? c + 1 : fail(j, "a key has no value");
	j->at++;
	j->wants_value = true;
	return XS_JSON_KEY;
}

static int read_value(struct xs_json_pull *j, int c)
{
	int rc;

	if (c == '{' || c == '[')
		return begin(j, c == '{');
	if (c == '"') {
		rc = read_text(j);
		rc = rc ? rc : XS_JSON_STRING;
	} else {
		rc = read_bare(j, c);
	}
	j->wants_value = j->depth && !j->in_object[j->depth - 1];
	j->wants_separator = true;
	return rc;
}

int xs_json_pull_next(struct xs_json_pull *j)
{
	int c = skip_spaces(j), rc;

	j->length = 0;
	if (c == ',' && j->depth && j->wants_separator) {
		j->at++;
		j->wants_separator = false;
		j->wants_value = !j->in_object[j->depth - 1];
		c = skip_spaces(j);
	}
	if (c < -1)
		return c + 1;
	if (c == -1)
		return j->depth || !j->wants_separator
			   ? fail(j, "it ends early")
			   : XS_JSON_END;
	if (c == '}' || c == ']')
		return end(j, c == '}');
	if (j->wants_separator)
		return fail(j, "a comma is missing");
	if (j->wants_value)
		rc = read_value(j, c);
	else
		rc = c == '"' ? read_key(j) : fail(j, "a key is missing");
	j->text[j->length] = '\0';
	return rc;
}

int xs_json_pull_skip(struct xs_json_pull *j, int token)
{
	const unsigned depth = j->depth;

	if (token != XS_JSON_OBJECT && token != XS_JSON_ARRAY)
		return token < 0 ? token : 0;
	while (token >= 0 && j->depth >= depth)
		token = xs_json_pull_next(j);
	return token < 0 ? token : 0;
}
