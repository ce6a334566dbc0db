/* SPDX-License-Identifier: MIT */
#include "analyzer/records/record_schema.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NO_TEXT(field)
#define NO_FIELD(type, field)
#define FIELD_ROW(type, field) {#field, sizeof(type)},
#define TEXT_NAME(field)       #field
#define RECORD_HEAD_BYTES      2 /* kind and words */

#define KIND_FIELDS(number, kind)                                              \
	static const struct xs_record_field fields_of_##kind[] = {             \
	    XS_FIELDS_##kind(FIELD_ROW, NO_TEXT)};
XS_RECORDS(KIND_FIELDS)

/* A kind without text gets the empty string. */
#define KIND_ROW(number, kind)                                                 \
	{#kind,                                                                \
	 number,                                                               \
	 sizeof(struct xs_rec_##kind),                                         \
	 "" XS_FIELDS_##kind(NO_FIELD, TEXT_NAME),                             \
	 {fields_of_##kind, COUNT(fields_of_##kind), RECORD_HEAD_BYTES}},
static const struct xs_record_schema kinds[] = {XS_RECORDS(KIND_ROW)};

static const struct xs_record_field file_fields[] = {
    {"version", 2},
    {"header_bytes", 2},
    {"byte_order", 4},
    {"pid", 4},
    {"state", 4},
    {"start_realtime_ns", 8},
    {"start_monotonic_ns", 8},
    {"flush_realtime_ns", 8},
    {"end_realtime_ns", 8},
    {"tail_bytes", 8},
    {"lost_calls", 8},
    {"lost_ops", 8},
    {"lost_cupti", 8},
};

static const struct xs_record_field chunk_fields[] = {
    {"capacity_bytes", 4}, {"used_bytes", 4}, {"thread", 4},
    {"base_ns", 8},	   {"reserved", 8},
};

const struct xs_record_layout xs_file_layout = {
    file_fields, COUNT(file_fields), offsetof(struct xs_file_header, version)};
const struct xs_record_layout xs_chunk_layout = {
    chunk_fields, COUNT(chunk_fields),
    offsetof(struct xs_chunk_header, capacity_bytes)};

const struct xs_record_schema *xs_record_schema_by_number(unsigned number)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].number == number)
			return &kinds[i];
	return NULL;
}

const struct xs_record_schema *xs_record_schema_by_name(const char *name)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

uint64_t xs_record_field_get(const void *at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	return value;
}

bool xs_record_field_put(void *at, size_t bytes, uint64_t value)
{
	memcpy(at, &value, bytes);
	return bytes >= sizeof(value) || value >> (8 * bytes) == 0;
}
