/* SPDX-License-Identifier: MIT */
/* Reads the records of a trace file by the rules of format.h only: the tests of
 * the writer do not depend on the reader. */
#pragma once

#include "preload/format.h"

#include <stdbool.h>

/* A record; if timed, with its complete times and place. */
struct record {
	const void *at; /* in the file's image; of `again` the repeated one */
	uint8_t kind;
	bool again; /* an `again` record: the times in `at` are another's */
	uint32_t correlation;
	uint32_t thread; /* the chunk's thread */
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
	uint32_t chunk_bytes[64]; /* sizes of the first chunks, in file order */
	int damaged; /* records beyond their chunk, unknown magics, invalid
			`again` */
};

/* Reads a file. Exits if that fails. */
void records_read(struct records *records, const char *path);
void records_free(struct records *records);

/* Returns the number of records of a kind. */
size_t records_of(const struct records *records, uint8_t kind);

/* Returns the n-th record of a kind, or NULL. */
const struct record *records_get(const struct records *records, uint8_t kind,
				 size_t n);
