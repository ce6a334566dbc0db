/* SPDX-License-Identifier: MIT */
#include "analyzer/records/trace_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct walk {
	const xs_u8 *data;
	uint64_t size;
	bool closed; /* in order: nobody was killed while writing */
	const struct xs_sink *sink;
};

static int __attribute__((format(printf, 3, 4)))
defect(const struct walk *walk, uint64_t at, const char *format, ...)
{
	char text[120];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return walk->sink->defect(walk->sink->self, at, text);
}

static uint64_t page_up(uint64_t at)
{
	return (at + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES * XS_PAGE_BYTES;
}

/* The first page boundary in [from, end) that begins a chunk, or end. */
static uint64_t find_chunk(const struct walk *walk, uint64_t from, uint64_t end)
{
	for (uint64_t at = page_up(from); at < end && end - at >= 4;
	     at += XS_PAGE_BYTES) {
		xs_u32 magic;

		memcpy(&magic, walk->data + at, sizeof(magic));
		if (magic == XS_CHUNK_MAGIC)
			return at;
	}
	return end;
}

static bool all_zero(const xs_u8 *data, uint64_t size)
{
	return size == 0 ||
	       (data[0] == 0 && memcmp(data, data + 1, size - 1) == 0);
}

static int check_header(const struct walk *walk, struct xs_file_header *header,
			const char **error)
{
	if (walk->size < sizeof(*header) ||
	    memcmp(walk->data, XS_FORMAT_MAGIC, sizeof(header->magic)) != 0) {
		*error = walk->size == 0
			     ? "the file is empty; the program ended before "
			       "tracing began"
			     : "not an xferspy trace; give a file that "
			       "libxferspy.so or xferspy dump wrote";
		return -EPROTO;
	}
	memcpy(header, walk->data, sizeof(*header));
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

/* The records in [at, end). Zeros are damage only before used_end. */
static int walk_records(const struct walk *walk, uint64_t at, uint64_t end,
			uint64_t used_end)
{
	while (end - at >= 4) {
		const xs_u8 *record = walk->data + at;
		uint64_t bytes = record[1] * 4u;
		int rc;

		if (record[0] == 0 && at >= used_end)
			return 0;
		if (record[0] == 0 || bytes == 0 || bytes > end - at)
			return defect(walk, at,
				      "damaged record; %" PRIu64
				      " bytes of this chunk are skipped",
				      end - at);
		rc = walk->sink->record(walk->sink->self, at, record);
		if (rc)
			return rc;
		at += bytes;
	}
	if (end > at)
		return defect(walk, at, "%" PRIu64 " bytes are no record",
			      end - at);
	return 0;
}

/* One chunk; *next: where the next may be. */
static int walk_chunk(const struct walk *walk, uint64_t at, uint64_t *next)
{
	struct xs_chunk_header chunk;
	uint64_t end, used_end, limit = walk->size;
	int rc;

	memcpy(&chunk, walk->data + at, sizeof(chunk));
	rc = walk->sink->chunk(walk->sink->self, at, &chunk);
	if (rc)
		return rc;
	if (chunk.capacity_bytes == 0 ||
	    chunk.capacity_bytes % XS_PAGE_BYTES != 0)
		rc = defect(walk, at, "the chunk's size is damaged");
	else if (chunk.capacity_bytes < limit - at)
		limit = at + chunk.capacity_bytes;
	end = find_chunk(walk, at + XS_PAGE_BYTES, limit);
	if (!rc && end < limit)
		rc = defect(walk, at, "the chunk is shorter than it says");
	*next = end;

	used_end = at + chunk.used_bytes;
	if (rc)
		return rc;
	if (chunk.used_bytes < sizeof(chunk)) {
		rc = defect(walk, at, "the chunk's used size is damaged");
		used_end = at + sizeof(chunk);
	} else if (used_end > end) {
		rc = defect(walk, end,
			    "%" PRIu64 " bytes of records are missing",
			    used_end - end);
		used_end = end;
	} else {
		if (walk->closed &&
		    !all_zero(walk->data + used_end, end - used_end))
			rc = defect(walk, used_end,
				    "what follows the chunk's records is "
				    "damaged; some may be missing");
		end = used_end;
	}
	return rc ? rc : walk_records(walk, at + sizeof(chunk), end, used_end);
}

/* A large trace shall not stay in memory beside what is made of it. */
static void drop_pages(const void *data, uint64_t from, uint64_t end)
{
	madvise((char *)(uintptr_t)data + from, end - from, MADV_DONTNEED);
}

int xs_walk(const void *data, uint64_t size, bool mapped,
	    const struct xs_sink *sink, const char **error)
{
	struct walk walk = {.data = data, .size = size, .sink = sink};
	struct xs_file_header header;
	uint64_t at = XS_PAGE_BYTES;
	int rc = check_header(&walk, &header, error);

	walk.closed = !rc && header.state == XS_FILE_CLOSED;
	if (!rc)
		rc = sink->header(sink->self, &header, size, size);
	if (!rc && header.tail_bytes > size)
		rc =
		    defect(&walk, size,
			   "the file ends early: %" PRIu64 " bytes are missing",
			   header.tail_bytes - size);
	while (!rc && at < size) {
		uint64_t next = find_chunk(&walk, at, size);

		if (!all_zero(walk.data + at, next - at))
			rc = defect(&walk, at,
				    "%" PRIu64 " bytes are no chunk: skipped",
				    next - at);
		at = next;
		if (rc || size - at < sizeof(struct xs_chunk_header))
			break;
		rc = walk_chunk(&walk, at, &next);
		if (mapped)
			drop_pages(data, at, next);
		at = next;
	}
	return rc;
}
