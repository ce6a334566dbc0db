/* SPDX-License-Identifier: MIT */
/* The records of a trace file as they lie there, by the rules of format.h
 * alone: the tests of the writer do not lean on the reader. */
#ifndef XS_TESTS_PRELOAD_RECORDS_H
#define XS_TESTS_PRELOAD_RECORDS_H

#include "preload/format.h"

#include <stdbool.h>

/* A timed record with its times and place in full. */
struct record {
	const void *at; /* the record in the file's image; what it repeats */
	uint8_t kind;
	bool again; /* it is written short: `at` has another's times */
	uint32_t correlation;
	uint32_t thread; /* of the chunk */
	uint32_t place;	 /* site or queue; timed records only */
	uint64_t start_ns, end_ns;
};

struct records {
	unsigned char *image;
	size_t image_bytes;
	struct xs_file_header header;
	struct record *list;
	size_t count;
	size_t chunks;
	uint32_t chunk_bytes[64]; /* of the first chunks, in file order */
	int damaged; /* a record that leaves its chunk, an unknown magic, a
		      * repetition of nothing */
};

/* Reads a file; the process is done for if it cannot be read at all. */
void records_read(struct records *records, const char *path);
void records_free(struct records *records);

/* How many records of a kind there are. */
size_t records_of(const struct records *records, uint8_t kind);

/* The n-th of a kind, or NULL. */
const struct record *records_get(const struct records *records, uint8_t kind,
				 size_t n);

#endif
