/* SPDX-License-Identifier: MIT */
#include "analyzer/records/trace_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Read at once from a file. */
#define STEP_BYTES (1u << 20)
/* Searched for a chunk before the bytes are dropped. */
#define GAP_BYTES (64u << 20)

struct trace_reader {
	struct xs_trace_bytes *bytes;
	const xs_u8 *data;
	uint64_t size;
	bool closed; /* the writer closed the file: it was not killed */
	const struct xs_trace_visitor *visitor;
	int error; /* of reading the file */
};

int xs_trace_bytes_need(struct xs_trace_bytes *bytes, uint64_t end)
{
	if (bytes->fd < 0 || end <= bytes->filled)
		return 0;
	end = (end + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
	end = end < bytes->size ? end : bytes->size;
	while (bytes->filled < end) {
		const ssize_t n = pread(
		    bytes->fd, (xs_u8 *)(uintptr_t)bytes->data + bytes->filled,
		    end - bytes->filled, (off_t)bytes->filled);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			bytes->filled = bytes->size;
		if (n > 0)
			bytes->filled += (uint64_t)n;
	}
	return 0;
}

static void __attribute__((format(printf, 3, 4)))
defect(const struct trace_reader *reader, uint64_t at, const char *format, ...)
{
	char text[120];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	reader->visitor->defect(reader->visitor->self, at, text);
}

static uint64_t page_up(uint64_t at)
{
	return (at + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES * XS_PAGE_BYTES;
}

/* Returns where the hole of the file at the page boundary `at` ends, and `at`
 * if there is none. All bytes of a hole are 0. */
static uint64_t hole_end(const struct xs_trace_bytes *bytes, uint64_t at)
{
	const off_t data =
	    bytes->fd < 0 ? (off_t)at : lseek(bytes->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? bytes->size : at;
	return (uint64_t)data / XS_PAGE_BYTES * XS_PAGE_BYTES;
}

/* Returns `at`, or where the hole that begins there ends, at most `end`. What
 * is skipped counts as read. */
static uint64_t skip_hole(struct xs_trace_bytes *bytes, uint64_t at,
			  uint64_t end)
{
	uint64_t next;

	if (at < bytes->filled || at >= end)
		return at;
	next = hole_end(bytes, at);
	bytes->filled = next < end ? next : end;
	return bytes->filled;
}

/* Returns the first page boundary in [from, end) where a chunk begins, or end.
 * Reads all up to there, and the page of the chunk. */
static uint64_t find_chunk(struct trace_reader *reader, uint64_t from,
			   uint64_t end)
{
	for (uint64_t at = page_up(from);; at += XS_PAGE_BYTES) {
		xs_u32 magic;

		at = skip_hole(reader->bytes, at, end);
		if (at >= end)
			break;
		reader->error =
		    xs_trace_bytes_need(reader->bytes, at + XS_PAGE_BYTES);
		if (reader->error || end - at < sizeof(magic))
			break;
		memcpy(&magic, reader->data + at, sizeof(magic));
		if (magic == XS_CHUNK_MAGIC)
			return at;
	}
	return end;
}

/* Whether the bytes in [at, end), which were read, are 0. */
static bool all_zero(const struct trace_reader *reader, uint64_t at,
		     uint64_t end)
{
	for (;;) {
		const xs_u8 *data;
		uint64_t next;

		if (at % XS_PAGE_BYTES == 0)
			at = hole_end(reader->bytes, at);
		if (at >= end)
			return true;
		data = reader->data + at;
		next = end - at > STEP_BYTES ? page_up(at + STEP_BYTES) : end;
		if (data[0] || memcmp(data, data + 1, next - at - 1) != 0)
			return false;
		at = next;
	}
}

static int check_header(const struct trace_reader *reader,
			struct xs_file_header *header, const char **error)
{
	if (reader->size < sizeof(*header) ||
	    memcmp(reader->data, XS_FORMAT_MAGIC, sizeof(header->magic)) != 0) {
		*error = reader->size == 0
			     ? "the file is empty; the program ended before "
			       "tracing began"
			     : "not an xferspy trace; give one of its own, an "
			       "SQLite export of Nsight Systems, or a JSON "
			       "trace of PyTorch or JAX";
		return -EPROTO;
	}
	memcpy(header, reader->data, sizeof(*header));
	if (header->byte_order != XS_FORMAT_BYTE_ORDER ||
	    header->version == 0) {
		*error = "the trace's header is damaged; record it again";
		return -EPROTO;
	}
	if (header->version > XS_FORMAT_VERSION) {
		*error = "the trace was written by a newer xferspy; read it "
			 "with that version";
		return -EPROTONOSUPPORT;
	}
	return 0;
}

/* Reads the records in [at, end). Zeros are damage only before used_end. */
static void read_records(const struct trace_reader *reader, uint64_t at,
			 uint64_t end, uint64_t used_end)
{
	while (end - at >= 4) {
		const xs_u8 *record = reader->data + at;
		uint64_t bytes = record[1] * 4u;

		if (record[0] == 0 && at >= used_end)
			return;
		if (record[0] == 0 || bytes == 0 || bytes > end - at) {
			defect(reader, at,
			       "damaged record; %" PRIu64
			       " bytes of this chunk are skipped",
			       end - at);
			return;
		}
		reader->visitor->record(reader->visitor->self, at, record);
		at += bytes;
	}
	if (end > at)
		defect(reader, at, "%" PRIu64 " bytes do not form a record",
		       end - at);
}

/* The used size of a whole chunk is checked: records end at *end, and at
 * *used_end if none is missing. */
static void check_used(struct trace_reader *reader, uint64_t at,
		       const struct xs_chunk_header *chunk, uint64_t *end,
		       uint64_t *used_end)
{
	*used_end = at + chunk->used_bytes;
	if (chunk->used_bytes < sizeof(*chunk)) {
		defect(reader, at, "the chunk's used size is damaged");
		*used_end = at + sizeof(*chunk);
	} else if (*used_end > *end) {
		defect(reader, *end, "%" PRIu64 " bytes of records are missing",
		       *used_end - *end);
		*used_end = *end;
	} else {
		if (reader->closed && !all_zero(reader, *used_end, *end))
			defect(reader, *used_end,
			       "the bytes after the chunk's records are "
			       "damaged; records may be missing");
		*end = *used_end;
	}
}

/* Reads one chunk. Stores in *next where the next chunk may begin. */
static int read_chunk(struct trace_reader *reader, uint64_t at, uint64_t *next)
{
	struct xs_chunk_header chunk;
	uint64_t end, used_end, limit = reader->size;

	memcpy(&chunk, reader->data + at, sizeof(chunk));
	reader->visitor->chunk(reader->visitor->self, at, &chunk);
	if (chunk.capacity_bytes == 0 ||
	    chunk.capacity_bytes % XS_PAGE_BYTES != 0)
		defect(reader, at, "the chunk's size is damaged");
	else if (chunk.capacity_bytes < limit - at)
		limit = at + chunk.capacity_bytes;
	end = find_chunk(reader, at + XS_PAGE_BYTES, limit);
	if (reader->error)
		return reader->error;
	if (end < limit)
		defect(reader, at, "the chunk is shorter than its header says");
	*next = end;
	check_used(reader, at, &chunk, &end, &used_end);
	read_records(reader, at + sizeof(chunk), end, used_end);
	return 0;
}

/* Drops pages that are no longer needed, many at a time. */
static void drop_pages(struct xs_trace_bytes *bytes, uint64_t end)
{
	if (bytes->fd < 0 || end - bytes->dropped < STEP_BYTES)
		return;
	madvise((char *)(uintptr_t)bytes->data + bytes->dropped,
		end - bytes->dropped, MADV_DONTNEED);
	bytes->dropped = end;
}

/* Reads the chunk that begins at `at`, or the bytes up to the next one. Stores
 * in *next where to go on. */
static int read_next(struct trace_reader *reader, uint64_t at, uint64_t *next)
{
	const uint64_t end =
	    reader->size - at > GAP_BYTES ? at + GAP_BYTES : reader->size;

	*next = find_chunk(reader, at, end);
	if (reader->error)
		return reader->error;
	if (*next == at && reader->size - at >= sizeof(struct xs_chunk_header))
		return read_chunk(reader, at, next);
	if (*next == at) {
		*next = reader->size;
		return 0;
	}
	if (!all_zero(reader, at, *next))
		defect(reader, at,
		       "%" PRIu64 " bytes do not belong to a chunk; skipped",
		       *next - at);
	return 0;
}

int xs_trace_reader_read(struct xs_trace_bytes *bytes,
			 const struct xs_trace_visitor *visitor,
			 const char **error)
{
	const uint64_t size = bytes->size;
	struct trace_reader reader = {.bytes = bytes,
				      .data = bytes->data,
				      .size = size,
				      .visitor = visitor};
	struct xs_file_header header = {0};
	uint64_t at = XS_PAGE_BYTES, next;
	int rc = xs_trace_bytes_need(bytes, XS_PAGE_BYTES);

	if (!rc)
		rc = check_header(&reader, &header, error);
	if (rc)
		return rc;
	reader.closed = header.state == XS_FILE_CLOSED;
	visitor->header(visitor->self, &header, size, size);
	if (header.tail_bytes > size)
		defect(&reader, size,
		       "the file ends early: %" PRIu64 " bytes are missing",
		       header.tail_bytes - size);
	while (!rc && at < size) {
		rc = read_next(&reader, at, &next);
		at = next;
		drop_pages(bytes, at);
	}
	return rc;
}
