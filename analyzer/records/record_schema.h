/* SPDX-License-Identifier: MIT */
/* Tables of the record kinds and their fields, made from the X-macro in
 * format.h. */
#pragma once

#include "preload/format.h"

#include <stdbool.h>

/* Fields follow each other without padding: an offset is the sum of the sizes
 * before. */
struct xs_record_field {
	const char *name;
	size_t bytes; /* 1, 2, 4 or 8 */
};

struct xs_record_layout {
	const struct xs_record_field *fields;
	size_t count;
	size_t offset; /* of the first field */
};

struct xs_record_schema {
	const char *name;
	unsigned number;
	size_t fixed_bytes; /* without the text at the end */
	const char *text;   /* name of the text at the end, or NULL */
	struct xs_record_layout layout;
};

/* Returns NULL for an unknown kind. */
const struct xs_record_schema *xs_record_schema_by_number(unsigned number);
const struct xs_record_schema *xs_record_schema_by_name(const char *name);

/* The file header and the chunk header, each after its magic. */
extern const struct xs_record_layout xs_file_layout, xs_chunk_layout;

/* Reads a field of 1, 2, 4 or 8 bytes. */
uint64_t xs_record_field_get(const void *at, size_t bytes);
/* Returns false when the value does not fit. */
bool xs_record_field_put(void *at, size_t bytes, uint64_t value);
