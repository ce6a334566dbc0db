/* SPDX-License-Identifier: MIT */
#include "analyzer/util/escape.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

/* Code points from first to last. */
struct range {
	uint32_t first, last;
};

static const struct range unsafe_ranges[] = {
    /* sorted */
    {0x00, 0x1f},	{0x7f, 0x9f},	  /* controls */
    {0x00ad, 0x00ad},			  /* soft hyphen */
    {0x061c, 0x061c},			  /* Arabic letter mark */
    {0x200b, 0x200f},	{0x2028, 0x202e}, /* marks, separators, overrides */
    {0x2060, 0x206f},			  /* isolates, invisible operators */
    {0xfeff, 0xfeff},	{0xfff9, 0xfffb}, /* byte order mark, annotations */
    {0xe0000, 0xe007f},			  /* tags */
};

static bool is_unsafe(uint32_t code)
{
	const size_t count = sizeof(unsafe_ranges) / sizeof(*unsafe_ranges);

	for (size_t i = 0; i < count && code >= unsafe_ranges[i].first; i++)
		if (code <= unsafe_ranges[i].last)
			return true;
	return false;
}

/* Decodes one character of UTF-8 (RFC 3629). Returns its length, 0 if it is
 * not valid. */
static size_t decode(const unsigned char *text, size_t size, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char lead = text[0];
	const size_t length = lead < 0x80	      ? 1
			      : (lead & 0xe0) == 0xc0 ? 2
			      : (lead & 0xf0) == 0xe0 ? 3
			      : (lead & 0xf8) == 0xf0 ? 4
						      : 0;

	if (length == 0 || length > size)
		return 0;
	*code = length == 1 ? lead : lead & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return length;
}

size_t xs_escape_next(const char *text, size_t size, uint32_t *code,
		      bool *unsafe)
{
	const size_t length = decode((const unsigned char *)text, size, code);

	*unsafe = length == 0 || is_unsafe(*code);
	return length ? length : 1;
}

size_t xs_escape_safe(const char *text, size_t size, const char *keep)
{
	size_t at = 0;

	while (at < size) {
		uint32_t code;
		bool unsafe;
		const size_t length =
		    xs_escape_next(text + at, size - at, &code, &unsafe);

		if (unsafe && (!text[at] || !strchr(keep, text[at])))
			break;
		at += length;
	}
	return at;
}

void xs_escape_write(const char *text, size_t size, const char *keep, FILE *out)
{
	for (size_t at = 0; at < size; at++) {
		const size_t safe = xs_escape_safe(text + at, size - at, keep);

		fwrite(text + at, 1, safe, out);
		at += safe;
		if (at < size)
			fprintf(out, "\\x%02x", (unsigned char)text[at]);
	}
}

char *xs_escape_copy(const char *text, const char *keep)
{
	char *out = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&out, &size);

	if (!memory)
		xs_no_memory();
	xs_escape_write(text, strlen(text), keep, memory);
	/* closing what lacks memory may succeed, without a text */
	if (fclose(memory) || !out)
		xs_no_memory();
	return out;
}
