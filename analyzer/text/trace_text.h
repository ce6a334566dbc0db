/* SPDX-License-Identifier: MIT */
/*
 * The text form of a trace: one line a record, `kind field=value ...`, after
 * lines for the headers. It reads back to the same bytes. A field that is
 * left out is 0; sizes that are left out are worked out; empty lines and
 * lines that begin with # are comments. docs/trace-format.md has the rules.
 */
#ifndef XS_ANALYZER_TEXT_TRACE_TEXT_H
#define XS_ANALYZER_TEXT_TRACE_TEXT_H

#include "analyzer/records/trace_reader.h"

#include <stdbool.h>
#include <stdio.h>

#define XS_TEXT_MAGIC "xferspy-text 1"

struct xs_text_error {
	unsigned long line;
	char text[120];
};

/*
 * Writes the binary trace that a text stands for. 0 or -errno: -EPROTO with
 * *error filled, -EPROTONOSUPPORT for a newer text, -EIO, -ENOMEM.
 */
int xs_text_parse(FILE *in, FILE *out, struct xs_text_error *error);

/* Feeds a text of source_bytes (0: not known) to a sink. As xs_text_parse. */
int xs_text_read(FILE *in, uint64_t source_bytes,
		 const struct xs_trace_visitor *visitor,
		 struct xs_text_error *error);

/* Does it begin as a text does? */
bool xs_text_is(const void *data, size_t size);

#endif
