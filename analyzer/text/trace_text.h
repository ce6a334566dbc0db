/* SPDX-License-Identifier: MIT */
/*
 * The text form of a trace: one line for each record, `kind field=value ...`,
 * after lines for the headers. It converts back to the same bytes. A field that
 * is left out is 0; sizes that are left out are computed; empty lines and lines
 * that begin with # are ignored. docs/trace-format.md has the rules.
 */
#pragma once

#include "analyzer/records/trace_visitor.h"

#include <stdbool.h>
#include <stdio.h>

#define XS_TEXT_MAGIC "xferspy-text 1"

struct xs_text_error {
	unsigned long line;
	char text[120];
};

/*
 * Writes the binary trace that a text describes. Returns 0 or -errno: -EPROTO
 * with *error filled, -EPROTONOSUPPORT for a newer text, -EIO.
 */
int xs_text_parse(FILE *in, FILE *out, struct xs_text_error *error);

/* Passes the parts of a text to a visitor. source_bytes: its size; 0: unknown.
 * Returns as xs_text_parse(). */
int xs_text_read(FILE *in, uint64_t source_bytes,
		 const struct xs_trace_visitor *visitor,
		 struct xs_text_error *error);

/* Returns whether the data begins like a text trace. */
bool xs_text_is(const void *data, size_t size);
