/* SPDX-License-Identifier: MIT */
/* The name=value pairs of a line of a text trace. */
#ifndef XS_ANALYZER_TEXT_TEXT_PAIR_H
#define XS_ANALYZER_TEXT_TEXT_PAIR_H

#include "analyzer/text/trace_text.h"

/* A quoted value is unescaped in place. */
struct xs_text_pair {
	const char *name;
	char *value;
	size_t length;
	bool quoted;
};

/* Says why a line is refused. Always -EPROTO. */
int xs_text_pair_fail(struct xs_text_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next pair of the line, which is cut up: 1, 0 at its end, or -EPROTO. */
int xs_text_pair_next(struct xs_text_error *error, char **cursor,
		      struct xs_text_pair *pair);

/* The pair's value as a number. 0 or -EPROTO. */
int xs_text_pair_number(struct xs_text_error *error,
			const struct xs_text_pair *pair, uint64_t *value);

/* The byte that two hex digits are, or -1. */
int xs_text_pair_hex(const char *text);

#endif
