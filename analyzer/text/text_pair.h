/* SPDX-License-Identifier: MIT */
/* Reads the name=value pairs of a line of a text trace. */
#pragma once

#include "analyzer/text/trace_text.h"

/* A quoted value is unescaped in place. */
struct xs_text_pair {
	const char *name;
	char *value;
	size_t length;
	bool quoted;
};

/* Stores the reason why a line is refused. Returns -EPROTO. */
int xs_text_pair_fail(struct xs_text_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Splits off the next pair of the line. Returns 1, 0 at the end, or -EPROTO. */
int xs_text_pair_next(struct xs_text_error *error, char **cursor,
		      struct xs_text_pair *pair);

/* Stores the value as a number in *value. Returns 0 or -EPROTO. */
int xs_text_pair_number(struct xs_text_error *error,
			const struct xs_text_pair *pair, uint64_t *value);

/* Returns the byte of two hex digits, or -1. */
int xs_text_pair_hex(const char *text);
