/* SPDX-License-Identifier: MIT */
/*
 * A trace as a stream of its parts. Readers pass each part to a visitor: the
 * binary reader and the text parser are readers; the decoder, the text dump and
 * the binary writer are visitors.
 */
#pragma once

#include "preload/format.h"

/* at: offset in the binary file. */
struct xs_trace_visitor {
	void *self;
	/* file_bytes: size of the binary file; 0 when a text leaves it out.
	 * source_bytes: size of the input, binary or text; 0 when unknown. */
	void (*header)(void *self, const struct xs_file_header *header,
		       uint64_t file_bytes, uint64_t source_bytes);
	/* Sizes that a text leaves out are 0. */
	void (*chunk)(void *self, uint64_t at,
		      const struct xs_chunk_header *chunk);
	/* A complete record of record[1] * 4 bytes, 4-aligned. */
	void (*record)(void *self, uint64_t at, const xs_u8 *record);
	void (*defect)(void *self, uint64_t at, const char *text);
	/* Is passed all of a binary trace of at least survey_bytes before;
	 * NULL: nothing is. */
	const struct xs_trace_visitor *survey;
	uint64_t survey_bytes;
};
