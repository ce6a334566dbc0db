/* SPDX-License-Identifier: MIT */
/*
 * Reads the binary form of a trace and passes each part to a visitor. Visitors
 * are the decoder, the text dump and the binary writer; the text parser is the
 * other reader.
 */
#ifndef XS_ANALYZER_RECORDS_TRACE_READER_H
#define XS_ANALYZER_RECORDS_TRACE_READER_H

#include "preload/format.h"

#include <stdbool.h>

/* Each function returns 0, or -errno to stop reading. at: offset in the binary
 * file. */
struct xs_trace_visitor {
	void *self;
	/* file_bytes: size of the binary file; 0 when a text leaves it out.
	 * source_bytes: size of the input, binary or text; 0 when unknown. */
	int (*header)(void *self, const struct xs_file_header *header,
		      uint64_t file_bytes, uint64_t source_bytes);
	/* Sizes that a text leaves out are 0. */
	int (*chunk)(void *self, uint64_t at,
		     const struct xs_chunk_header *chunk);
	/* A complete record of record[1] * 4 bytes, 4-aligned. */
	int (*record)(void *self, uint64_t at, const xs_u8 *record);
	int (*defect)(void *self, uint64_t at, const char *text);
};

/*
 * Reads a binary trace in memory. Time and memory are bounded by its size,
 * whatever the input. Damage is reported to visitor->defect. mapped: data is a
 * mapped file, whose pages are dropped once read. Returns 0, an error of the
 * visitor, or -EPROTO or -EPROTONOSUPPORT with *error set to static text.
 */
int xs_trace_reader_read(const void *data, uint64_t size, bool mapped,
			 const struct xs_trace_visitor *visitor,
			 const char **error);

#endif
