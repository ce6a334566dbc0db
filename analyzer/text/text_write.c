/* SPDX-License-Identifier: MIT */
/* The visitor that writes a binary trace from a text. */
#include "analyzer/text/trace_text.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	FILE *out;
	uint64_t at;	     /* bytes written */
	uint64_t file_bytes; /* required size; 0: no requirement */
	uint64_t chunk_at;
	struct xs_chunk_header chunk;
	xs_u8 *bytes; /* the current chunk, with its header */
	size_t used, room;
};

static void pad_to(struct writer *w, uint64_t end)
{
	static const xs_u8 zeros[XS_PAGE_BYTES];

	while (w->at < end && !ferror(w->out)) {
		size_t size = end - w->at < sizeof(zeros)
				  ? (size_t)(end - w->at)
				  : sizeof(zeros);

		fwrite(zeros, 1, size, w->out);
		w->at += size;
	}
}

static void put(struct writer *w, const void *data, size_t size)
{
	fwrite(data, 1, size, w->out);
	w->at += size;
}

static void keep(struct writer *w, const void *data, size_t size)
{
	if (size > w->room - w->used) {
		size_t room = 2 * w->room + XS_PAGE_BYTES;
		xs_u8 *bytes = xs_realloc(w->bytes, room);

		w->bytes = bytes;
		w->room = room;
	}
	memcpy(w->bytes + w->used, data, size);
	w->used += size;
}

static void flush_chunk(struct writer *w)
{
	uint64_t end;

	if (w->used == 0)
		return;
	w->chunk.used_bytes = (xs_u32)w->used;
	if (w->chunk.capacity_bytes == 0)
		w->chunk.capacity_bytes =
		    (xs_u32)((w->used + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES *
			     XS_PAGE_BYTES);
	memcpy(w->bytes, &w->chunk, sizeof(w->chunk));
	end = w->chunk_at + w->chunk.capacity_bytes;
	pad_to(w, w->chunk_at);
	put(w, w->bytes, w->used);
	/* the file may end within its last chunk */
	if (w->file_bytes && end > w->file_bytes)
		end = w->file_bytes;
	w->used = 0;
	pad_to(w, end);
}

static void write_header(void *self, const struct xs_file_header *header,
			 uint64_t file_bytes, uint64_t source_bytes)
{
	struct writer *w = self;

	(void)source_bytes;
	put(w, header, sizeof(*header));
	w->file_bytes = file_bytes;
	pad_to(w, file_bytes && file_bytes < XS_PAGE_BYTES ? file_bytes
							   : XS_PAGE_BYTES);
}

static void write_chunk(void *self, uint64_t at,
			const struct xs_chunk_header *chunk)
{
	struct writer *w = self;

	flush_chunk(w);
	w->chunk = *chunk;
	w->chunk_at = at;
	keep(w, chunk, sizeof(*chunk));
}

static void write_record(void *self, uint64_t at, const xs_u8 *record)
{
	(void)at;
	keep(self, record, record[1] * 4u);
}

/* A text has no defects. */
static void write_defect(void *self, uint64_t at, const char *text)
{
	(void)self;
	(void)at;
	(void)text;
}

int xs_text_parse(FILE *in, FILE *out, struct xs_text_error *error)
{
	struct writer w = {.out = out};
	const struct xs_trace_visitor visitor = {.self = &w,
						 .header = write_header,
						 .chunk = write_chunk,
						 .record = write_record,
						 .defect = write_defect};
	int rc = xs_text_read(in, 0, &visitor, error);

	if (!rc) {
		flush_chunk(&w);
		pad_to(&w, w.file_bytes);
	}
	if (!rc && (ferror(out) || fflush(out)))
		rc = -EIO;
	free(w.bytes);
	return rc;
}
