/* SPDX-License-Identifier: MIT */
#include "analyzer/text/trace_text.h"

#include "analyzer/records/again.h"
#include "analyzer/records/record_schema.h"
#include "analyzer/text/text_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Zeros that a text may ask for, between, in and after chunks. A process that
 * was killed leaves 64 MiB after the last chunk; a line of a chunk that a dump
 * printed is longer than 64 KiB / ZEROS_PER_BYTE.
 */
#define ZEROS_LEAST    (UINT64_C(128) << 20)
#define ZEROS_PER_BYTE 4096u

struct parser {
	const struct xs_trace_visitor *visitor;
	struct xs_text_error *error;
	uint64_t source_bytes;
	uint64_t text_bytes, zero_bytes; /* read and asked for so far */
	bool header_seen, chunk_seen;
	uint64_t at; /* offset of the next record */
	uint64_t chunk_at;
	struct xs_chunk_header chunk; /* sizes are 0 when left out */
	uint64_t file_bytes;
	struct xs_again again;
	uint64_t repeats; /* offset of the repeated record, in words; 0: none */
	_Alignas(8) xs_u8 record[XS_RECORD_MAX_BYTES + 4];
};

bool xs_text_is(const void *data, size_t size)
{
	size_t length = strlen(XS_TEXT_MAGIC) - 2; /* matches any version */

	return size > length && memcmp(data, XS_TEXT_MAGIC, length) == 0;
}

/* Stores a pair in the field of its name. Returns 1, 0 when there is no such
 * field, or -EPROTO. */
static int put_field(struct parser *p, const struct xs_record_layout *layout,
		     void *base, const struct xs_text_pair *pair)
{
	xs_u8 *at = (xs_u8 *)base + layout->offset;
	uint64_t value;
	int rc;

	for (size_t i = 0; i < layout->count; at += layout->fields[i++].bytes) {
		if (strcmp(layout->fields[i].name, pair->name) != 0)
			continue;
		rc = xs_text_pair_number(p->error, pair, &value);
		if (!rc &&
		    !xs_record_field_put(at, layout->fields[i].bytes, value))
			rc = xs_text_pair_fail(
			    p->error, "%" PRIu64 " does not fit into '%s'",
			    value, pair->name);
		return rc ? rc : 1;
	}
	return 0;
}

static int unknown_field(struct parser *p, const struct xs_text_pair *pair)
{
	return xs_text_pair_fail(p->error, "there is no field '%.40s' here",
				 pair->name);
}

static int parse_header(struct parser *p, char *cursor)
{
	struct xs_file_header header = {.magic = XS_FORMAT_MAGIC,
					.version = XS_FORMAT_VERSION,
					.header_bytes = sizeof(header),
					.byte_order = XS_FORMAT_BYTE_ORDER};
	struct xs_text_pair pair;
	int rc;

	if (p->header_seen)
		return xs_text_pair_fail(p->error,
					 "there is a header line already");
	while ((rc = xs_text_pair_next(p->error, &cursor, &pair)) > 0) {
		if (strcmp(pair.name, "file_bytes") == 0) {
			rc = xs_text_pair_number(p->error, &pair,
						 &p->file_bytes);
		} else {
			rc = put_field(p, &xs_file_layout, &header, &pair);
			if (rc == 0)
				rc = unknown_field(p, &pair);
		}
		if (rc < 0)
			return rc;
	}
	if (rc)
		return rc;
	p->header_seen = true;
	p->at = XS_PAGE_BYTES;
	p->visitor->header(p->visitor->self, &header, p->file_bytes,
			   p->source_bytes);
	return 0;
}

/* A few bytes of text must not fill a disk. */
static int add_zeros(struct parser *p, uint64_t bytes)
{
	const uint64_t most = ZEROS_LEAST + ZEROS_PER_BYTE * p->text_bytes;

	if (bytes > most - p->zero_bytes)
		return xs_text_pair_fail(
		    p->error,
		    "the trace would have more than %" PRIu64
		    " MiB of zeros between its records",
		    most >> 20);
	p->zero_bytes += bytes;
	return 0;
}

/* Checks the sizes that the last chunk states, and moves p->at past it. */
static int end_chunk(struct parser *p)
{
	uint64_t used = p->at - p->chunk_at;
	uint64_t capacity = p->chunk.capacity_bytes;

	if (!p->chunk_seen)
		return 0;
	if (p->chunk.used_bytes && p->chunk.used_bytes != used)
		return xs_text_pair_fail(
		    p->error,
		    "the previous chunk says used_bytes=%u, but its records "
		    "have %" PRIu64,
		    p->chunk.used_bytes, used);
	if (capacity == 0)
		capacity =
		    (used + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES * XS_PAGE_BYTES;
	if (capacity < used)
		return xs_text_pair_fail(
		    p->error,
		    "the previous chunk says capacity_bytes=%" PRIu64
		    ", but its records need %" PRIu64,
		    capacity, used);
	p->at = p->chunk_at + capacity;
	return add_zeros(p, capacity - used);
}

static int parse_chunk(struct parser *p, char *cursor)
{
	struct xs_text_pair pair;
	int rc = end_chunk(p);

	if (rc)
		return rc;
	p->chunk = (struct xs_chunk_header){.magic = XS_CHUNK_MAGIC};
	p->chunk_at = p->at;
	while ((rc = xs_text_pair_next(p->error, &cursor, &pair)) > 0) {
		if (strcmp(pair.name, "at") == 0) {
			rc = xs_text_pair_number(p->error, &pair, &p->chunk_at);
		} else {
			rc = put_field(p, &xs_chunk_layout, &p->chunk, &pair);
			if (rc == 0)
				rc = unknown_field(p, &pair);
		}
		if (rc < 0)
			return rc;
	}
	if (rc)
		return rc;
	if (p->chunk_at < p->at || p->chunk_at % XS_PAGE_BYTES != 0)
		return xs_text_pair_fail(
		    p->error, "a chunk cannot be at %" PRIu64, p->chunk_at);
	rc = add_zeros(p, p->chunk_at - p->at);
	if (rc)
		return rc;
	if (p->chunk.capacity_bytes % XS_PAGE_BYTES != 0)
		return xs_text_pair_fail(
		    p->error, "a chunk cannot have capacity_bytes=%u",
		    p->chunk.capacity_bytes);
	p->chunk_seen = true;
	p->at = p->chunk_at + sizeof(p->chunk);
	xs_again_begin(&p->again, p->chunk_at);
	p->visitor->chunk(p->visitor->self, p->chunk_at, &p->chunk);
	return 0;
}

/* Appends bytes to the record after its first *bytes. */
static int append_bytes(struct parser *p, size_t *bytes, const void *data,
			size_t size)
{
	if (size > XS_RECORD_MAX_BYTES - *bytes)
		return xs_text_pair_fail(p->error,
					 "a record has at most %u bytes",
					 XS_RECORD_MAX_BYTES);
	memcpy(p->record + *bytes, data, size);
	*bytes += size;
	return 0;
}

static int append_hex(struct parser *p, size_t *bytes,
		      const struct xs_text_pair *pair)
{
	int rc = 0;

	if (pair->quoted || pair->length % 2 != 0)
		return xs_text_pair_fail(
		    p->error, "'%s' needs pairs of hex digits", pair->name);
	for (size_t i = 0; i < pair->length && !rc; i += 2) {
		int byte = xs_text_pair_hex(pair->value + i);

		if (byte < 0)
			return xs_text_pair_fail(
			    p->error, "'%s' needs hex digits", pair->name);
		rc = append_bytes(p, bytes, &(xs_u8){(xs_u8)byte}, 1);
	}
	return rc;
}

static int put_pair(struct parser *p, const struct xs_record_schema *kind,
		    const struct xs_text_pair *pair, size_t *bytes,
		    uint64_t *words)
{
	int rc;

	if (strcmp(pair->name, "words") == 0)
		return xs_text_pair_number(p->error, pair, words);
	if (kind && strcmp(pair->name, "again") == 0)
		return xs_text_pair_number(p->error, pair, &p->repeats);
	if (!kind && strcmp(pair->name, "data") == 0)
		return append_hex(p, bytes, pair);
	if (!kind && strcmp(pair->name, "kind") == 0) {
		uint64_t number;

		rc = xs_text_pair_number(p->error, pair, &number);
		if (!rc && (number == 0 || number > 255))
			rc = xs_text_pair_fail(p->error,
					       "a kind must be 1 to 255");
		p->record[0] = (xs_u8)number;
		return rc;
	}
	if (!kind)
		return unknown_field(p, pair);
	if (kind->text[0] == '\0' && strcmp(pair->name, "tail") == 0)
		return append_hex(p, bytes, pair);
	if (pair->quoted && strcmp(pair->name, kind->text) == 0)
		return append_bytes(p, bytes, pair->value, pair->length);
	rc = put_field(p, &kind->layout, p->record, pair);
	if (rc < 0)
		return rc;
	return rc > 0 ? 0 : unknown_field(p, pair);
}

/* Turns the record into an `again` record. The record at that offset must equal
 * the line: a hand-edited text may refer to another one. */
static int repeat(struct parser *p)
{
	struct xs_rec_again *again = (void *)p->record;
	const size_t place_end = offsetof(struct xs_rec_again, correlation);
	const xs_u8 *old = NULL;

	if (p->repeats <= UINT16_MAX)
		old = xs_again_find(&p->again, (xs_u16)p->repeats);
	if (!old || memcmp(old, p->record, place_end) != 0 ||
	    memcmp(old + sizeof(*again), p->record + sizeof(*again),
		   old[1] * 4u - sizeof(*again)) != 0)
		return xs_text_pair_fail(
		    p->error,
		    "the record at again=%" PRIu64
		    " differs from this line; remove again=",
		    p->repeats);
	again->kind = XS_REC_again;
	again->words = sizeof(*again) / 4;
	again->record = (xs_u16)p->repeats;
	return 0;
}

/* kind: NULL for a record of unknown kind. */
static int parse_record(struct parser *p, const struct xs_record_schema *kind,
			char *cursor)
{
	size_t bytes = kind ? kind->fixed_bytes : 2;
	uint64_t words = 0;
	struct xs_text_pair pair;
	int rc;

	if (!p->chunk_seen)
		return xs_text_pair_fail(
		    p->error, "a record must come after a chunk line");
	memset(p->record, 0, sizeof(p->record));
	p->record[0] = kind ? (xs_u8)kind->number : 0;
	p->repeats = 0;
	while ((rc = xs_text_pair_next(p->error, &cursor, &pair)) > 0) {
		rc = put_pair(p, kind, &pair, &bytes, &words);
		if (rc)
			return rc;
	}
	if (rc)
		return rc;
	if (p->record[0] == 0)
		return xs_text_pair_fail(p->error,
					 "an unknown record needs kind=");
	if (words == 0)
		words = (bytes + 3) / 4;
	if (words > 255 || words * 4 < bytes)
		return xs_text_pair_fail(
		    p->error, "words=%" PRIu64 " does not fit the record",
		    words);
	p->record[1] = (xs_u8)words;
	if (p->repeats)
		rc = repeat(p);
	else
		xs_again_keep(&p->again, p->at, p->record);
	if (!rc)
		p->visitor->record(p->visitor->self, p->at, p->record);
	p->at += p->record[1] * 4u;
	return rc;
}

static int parse_line(struct parser *p, char *line)
{
	size_t length = strcspn(line, " \t\r\n");
	char *cursor = line + length + (line[length] != '\0');
	const struct xs_record_schema *kind;

	if (length == 0 || line[0] == '#')
		return line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#'
			   ? 0
			   : xs_text_pair_fail(
				 p->error, "a line must begin with its kind");
	line[length] = '\0';
	if (strcmp(line, "header") == 0)
		return parse_header(p, cursor);
	if (!p->header_seen)
		return xs_text_pair_fail(p->error,
					 "the header line must come first");
	if (strcmp(line, "chunk") == 0)
		return parse_chunk(p, cursor);
	if (strcmp(line, "unknown") == 0)
		return parse_record(p, NULL, cursor);
	kind = xs_record_schema_by_name(line);
	return kind ? parse_record(p, kind, cursor)
		    : xs_text_pair_fail(p->error, "there is no kind '%.40s'",
					line);
}

static int parse_magic(struct parser *p, char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	if (strcmp(line, XS_TEXT_MAGIC) == 0)
		return 0;
	if (!xs_text_is(line, strlen(line)))
		return xs_text_pair_fail(
		    p->error, "the first line must be '" XS_TEXT_MAGIC "'");
	xs_text_pair_fail(p->error, "the text was written by a newer xferspy");
	return -EPROTONOSUPPORT;
}

int xs_text_read(FILE *in, uint64_t source_bytes,
		 const struct xs_trace_visitor *visitor,
		 struct xs_text_error *error)
{
	struct parser p = {
	    .visitor = visitor, .error = error, .source_bytes = source_bytes};
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int rc = 0;

	*error = (struct xs_text_error){0};
	while (!rc && (length = getline(&line, &room, in)) >= 0) {
		error->line++;
		p.text_bytes += (uint64_t)length;
		if (strlen(line) != (size_t)length)
			rc = xs_text_pair_fail(error, "a NUL byte");
		else if (error->line == 1)
			rc = parse_magic(&p, line);
		else
			rc = parse_line(&p, line);
	}
	if (!rc && ferror(in))
		rc = -EIO;
	if (!rc && !p.header_seen)
		rc = xs_text_pair_fail(error, "there is no header line");
	if (!rc)
		rc = end_chunk(&p);
	if (!rc && p.file_bytes > p.at)
		rc = add_zeros(&p, p.file_bytes - p.at);
	xs_again_release(&p.again);
	free(line);
	return rc;
}
