/* SPDX-License-Identifier: MIT */
#include "analyzer/read/text_dump.h"

#include "analyzer/read/trace_input.h"
#include "analyzer/records/again.h"
#include "analyzer/records/record_schema.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/util/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct dump {
	FILE *out;
	bool damaged;
	struct xs_again again;
};

/* Addresses and handles are easier to read and compare in hex. */
static bool wants_hex(const char *name)
{
	static const char *const names[] = {
	    "dst", "src", "stream", "event", "offset", "address", "byte_order"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void print_field(FILE *out, const char *name, uint64_t value)
{
	if (value > 9 && wants_hex(name))
		fprintf(out, " %s=0x%" PRIx64, name, value);
	else
		fprintf(out, " %s=%" PRIu64, name, value);
}

/* A field named zero has a value only in damaged or newer traces; outer is
 * mostly 0. */
static bool is_left_out(const struct xs_record_field *field, uint64_t value)
{
	return value == 0 && (strcmp(field->name, "zero") == 0 ||
			      strcmp(field->name, "outer") == 0);
}

static void print_layout(FILE *out, const struct xs_record_layout *layout,
			 const void *base)
{
	const xs_u8 *at = (const xs_u8 *)base + layout->offset;

	for (size_t i = 0; i < layout->count; i++) {
		const struct xs_record_field *field = &layout->fields[i];
		uint64_t value = xs_record_field_get(at, field->bytes);

		if (!is_left_out(field, value))
			print_field(out, field->name, value);
		at += field->bytes;
	}
}

static void print_hex(FILE *out, const char *name, const xs_u8 *data,
		      size_t size)
{
	fprintf(out, " %s=", name);
	for (size_t i = 0; i < size; i++)
		fprintf(out, "%02x", data[i]);
}

static void print_text(FILE *out, const char *name, const char *text,
		       size_t size)
{
	const char *const end = text + size;

	fprintf(out, " %s=\"", name);
	while (text < end) {
		const char *quote = text;

		while (quote < end && *quote != '"' && *quote != '\\')
			quote++;
		xs_escape_write(text, (size_t)(quote - text), "", out);
		if (quote < end)
			fprintf(out, "\\%c", *quote++);
		text = quote;
	}
	putc('"', out);
}

static void dump_header(void *self, const struct xs_file_header *header,
			uint64_t file_bytes, uint64_t source_bytes)
{
	FILE *out = ((struct dump *)self)->out;

	(void)source_bytes;
	fprintf(out, XS_TEXT_MAGIC "\nheader");
	print_layout(out, &xs_file_layout, header);
	if (file_bytes)
		print_field(out, "file_bytes", file_bytes);
	putc('\n', out);
}

static void dump_chunk(void *self, uint64_t at,
		       const struct xs_chunk_header *chunk)
{
	struct dump *d = self;
	FILE *out = d->out;

	xs_again_begin(&d->again, at);
	fprintf(out, "chunk");
	print_field(out, "at", at);
	print_layout(out, &xs_chunk_layout, chunk);
	putc('\n', out);
}

/* Prints text up to its last byte that is not NUL. Prints words= if the record
 * is longer than the shortest one that holds the text. */
static void dump_tail(FILE *out, const struct xs_record_schema *kind,
		      const xs_u8 *record)
{
	size_t size = record[1] * 4u - kind->fixed_bytes;
	const xs_u8 *tail = record + kind->fixed_bytes;
	size_t length = size;

	if (kind->text[0] == '\0') {
		if (size > 0)
			print_hex(out, "tail", tail, size);
		return;
	}
	while (length > 0 && tail[length - 1] == 0)
		length--;
	print_text(out, kind->text, (const char *)tail, length);
	if ((length + 3) / 4 * 4 != size)
		print_field(out, "words", record[1]);
}

/* Prints an `again` record as the record that it repeats, with its position.
 * Prints it unchanged if that record is missing or if the `again` record is
 * longer than this version knows. */
static void dump_record(void *self, uint64_t at, const xs_u8 *record)
{
	const struct xs_record_schema *kind =
	    xs_record_schema_by_number(record[0]);
	const struct xs_rec_again *again = (const void *)record;
	struct dump *d = self;
	FILE *out = d->out;

	if (!kind || record[1] * 4u < kind->fixed_bytes) {
		fprintf(out, "unknown kind=%u", record[0]);
		print_hex(out, "data", record + 2, record[1] * 4u - 2);
		putc('\n', out);
		return;
	}
	if (record[1] * 4u == kind->fixed_bytes || record[0] != XS_REC_again)
		xs_again_expand(&d->again, at, &record);
	kind = xs_record_schema_by_number(record[0]);
	fputs(kind->name, out);
	print_layout(out, &kind->layout, record);
	dump_tail(out, kind, record);
	if (record != (const xs_u8 *)again)
		print_field(out, "again", again->record);
	putc('\n', out);
}

static void dump_defect(void *self, uint64_t at, const char *text)
{
	struct dump *d = self;

	d->damaged = true;
	fprintf(d->out, "# damaged at byte %" PRIu64 ": %s\n", at, text);
}

static struct xs_trace_visitor dump_visitor(struct dump *dump)
{
	return (struct xs_trace_visitor){.self = dump,
					 .header = dump_header,
					 .chunk = dump_chunk,
					 .record = dump_record,
					 .defect = dump_defect};
}

int xs_text_dump(const char *path, FILE *out, bool *damaged, const char **error)
{
	struct dump dump = {.out = out};
	const struct xs_trace_visitor visitor = dump_visitor(&dump);
	int rc = xs_trace_input_visit_file(path, &visitor, error);

	*damaged = dump.damaged;
	xs_again_release(&dump.again);
	return !rc && (ferror(out) || fflush(out)) ? -EIO : rc;
}

int xs_text_dump_memory(const void *data, size_t size, FILE *out,
			const char **error)
{
	struct dump dump = {.out = out};
	const struct xs_trace_visitor visitor = dump_visitor(&dump);
	int rc = xs_trace_input_visit_memory(data, size, &visitor, error);

	xs_again_release(&dump.again);
	return !rc && (ferror(out) || fflush(out)) ? -EIO : rc;
}
