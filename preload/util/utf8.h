/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

#define XS_UTF8_MOST_BYTES 4

/* Writes a character, at most XS_UTF8_MOST_BYTES bytes, and no NUL. Returns the
 * end. */
static inline char *xs_utf8_put(char *at, uint32_t c)
{
	if (c < 0x80) {
		*at++ = (char)c;
	} else if (c < 0x800) {
		*at++ = (char)(0xc0 | c >> 6);
		*at++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*at++ = (char)(0xe0 | c >> 12);
		*at++ = (char)(0x80 | (c >> 6 & 0x3f));
		*at++ = (char)(0x80 | (c & 0x3f));
	} else {
		*at++ = (char)(0xf0 | c >> 18);
		*at++ = (char)(0x80 | (c >> 12 & 0x3f));
		*at++ = (char)(0x80 | (c >> 6 & 0x3f));
		*at++ = (char)(0x80 | (c & 0x3f));
	}
	return at;
}
