/* SPDX-License-Identifier: MIT */
/*
 * A trace as a stream of its parts. Sources hand each part to a sink: the
 * binary walk and the text parser are sources; the decoder, the text dump and
 * the binary writer are sinks.
 */
#ifndef XS_ANALYZER_RECORDS_TRACE_READER_H
#define XS_ANALYZER_RECORDS_TRACE_READER_H

#include "preload/format.h"

#include <stdbool.h>

/* Each returns 0, or -errno to end the walk. at: offset in the binary file. */
struct xs_trace_visitor {
	void *self;
	/* file_bytes: of the binary file; 0 when a text leaves it out.
	 * source_bytes: what is read, binary or text; 0 when not known. */
	int (*header)(void *self, const struct xs_file_header *header,
		      uint64_t file_bytes, uint64_t source_bytes);
	/* In a text, a size that was left out is 0. */
	int (*chunk)(void *self, uint64_t at,
		     const struct xs_chunk_header *chunk);
	/* A record of record[1] * 4 bytes, all of them there; 4-aligned. */
	int (*record)(void *self, uint64_t at, const xs_u8 *record);
	int (*defect)(void *self, uint64_t at, const char *text);
};

/*
 * Walks a binary trace in memory, in time and with memory bounded by its
 * size, whatever it holds. What is damaged goes to sink->defect. mapped: data
 * is a mapped file, whose pages are dropped as they are done with. 0, a
 * sink's error, -EPROTO or -EPROTONOSUPPORT with *error (static text).
 */
int xs_trace_reader_read(const void *data, uint64_t size, bool mapped,
			 const struct xs_trace_visitor *visitor,
			 const char **error);

#endif
