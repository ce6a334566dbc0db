/* SPDX-License-Identifier: MIT */
/* Where an output is shown. */
#ifndef XS_REPORT_RESULT_DISPLAY_H
#define XS_REPORT_RESULT_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of an output that is no terminal. */
#define XS_DISPLAY_COLUMNS 80

struct xs_display {
	bool color;  /* it shows colours */
	int columns; /* that a line has */
};

/* Whether a byte is a later one of a character, in UTF-8. */
static inline bool xs_display_continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Returns the columns of text without escape sequences: one a character. */
static inline int xs_display_width(const char *text, size_t bytes)
{
	int width = 0;

	while (bytes)
		width += !xs_display_continues(text[--bytes]);
	return width;
}

/* Returns the bytes of the first `columns` characters of a longer text. */
static inline int xs_display_bytes(const char *text, int columns)
{
	int bytes = 0;

	while (columns-- > 0)
		while (xs_display_continues(text[++bytes]))
			;
	return bytes;
}

#endif
