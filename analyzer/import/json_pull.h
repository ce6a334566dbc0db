/* SPDX-License-Identifier: MIT */
/* JSON token by token, in memory that does not depend on the file's size. */
#pragma once

#include "analyzer/records/pieces.h"

/* Longer texts are cut, and deeper values refused. */
#define XS_JSON_TEXT  16384u
#define XS_JSON_DEPTH 64u

enum xs_json_token {
	XS_JSON_END, /* of the input */
	XS_JSON_OBJECT,
	XS_JSON_OBJECT_END,
	XS_JSON_ARRAY,
	XS_JSON_ARRAY_END,
	XS_JSON_KEY,
	XS_JSON_STRING,
	XS_JSON_NUMBER,
	XS_JSON_WORD, /* true, false, null */
};

struct xs_json_pull {
	struct xs_pieces input;
	char piece[XS_PIECE_BYTES];
	size_t at, end;	 /* in the piece */
	uint64_t before; /* bytes of earlier pieces */
	unsigned depth;
	bool in_object[XS_JSON_DEPTH];
	bool wants_value;     /* after a colon or the first bracket */
	bool wants_separator; /* after a value */
	unsigned high;	      /* the last unit, if it was the first of a pair */
	size_t length, after_high;
	char text[XS_JSON_TEXT + 8]; /* of a key, string, number or word */
	const char *wrong;	     /* what is, after -EPROTO */
};

int xs_json_pull_open(struct xs_json_pull *json,
		      const struct xs_trace_bytes *bytes);
void xs_json_pull_release(struct xs_json_pull *json);
/* Returns the next token, or -errno: -EPROTO where the text is no JSON. */
int xs_json_pull_next(struct xs_json_pull *json);
/* Passes over the rest of a value whose first token was `token`. */
int xs_json_pull_skip(struct xs_json_pull *json, int token);
