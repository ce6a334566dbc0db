/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The chunk to append. */
struct appender {
	const struct xs_trace *trace;
	char *bytes;
	size_t used, room;
	uint32_t next_string;
	const char *last_file; /* consecutive sites often share a file */
	uint32_t last_file_id;
};

/* Returns zeroed room for more bytes. */
static void *reserve(struct appender *a, size_t bytes)
{
	char *at;

	if (bytes > a->room - a->used) {
		size_t room = 2 * a->room + XS_PAGE_BYTES;

		a->bytes = xs_realloc(a->bytes, room);
		memset(a->bytes + a->room, 0, room - a->room);
		a->room = room;
	}
	at = a->bytes + a->used;
	a->used += bytes;
	return at;
}

/* Stores the new string's id in *id; 0 for no text. */
static void add_string(struct appender *a, const char *text, uint32_t *id)
{
	const size_t part_bytes =
	    XS_RECORD_MAX_BYTES - sizeof(struct xs_rec_string);
	size_t left = text ? strlen(text) : 0;

	*id = left ? a->next_string++ : 0;
	for (xs_u16 part = 0; left > 0; part++) {
		size_t now = left < part_bytes ? left : part_bytes;
		size_t bytes = (sizeof(struct xs_rec_string) + now + 3) / 4 * 4;
		struct xs_rec_string *rec = reserve(a, bytes);

		*rec = (struct xs_rec_string){.kind = XS_REC_string,
					      .words = (xs_u8)(bytes / 4),
					      .part = part,
					      .id = *id};
		memcpy(rec + 1, text, now);
		text += now;
		left -= now;
	}
}

/* Adds the record of a site, or of the function that it is inlined into. */
static void add_site(struct appender *a, uint32_t id,
		     const struct xs_site *site)
{
	struct xs_rec_source *rec;
	uint32_t symbol, file;

	add_string(a, site->symbol, &symbol);
	if (site->file && a->last_file &&
	    strcmp(site->file, a->last_file) == 0) {
		file = a->last_file_id;
	} else {
		add_string(a, site->file, &file);
		a->last_file = site->file;
		a->last_file_id = file;
	}
	rec = reserve(a, sizeof(*rec));
	*rec = (struct xs_rec_source){.kind = XS_REC_source,
				      .words = sizeof(*rec) / 4,
				      .outer = site->outer,
				      .site = id,
				      .symbol = symbol,
				      .file = file,
				      .line = site->line};
}

/* Builds the chunk; it stays empty if there is nothing to append. */
static void build_chunk(struct appender *a)
{
	struct xs_chunk_header header = {.magic = XS_CHUNK_MAGIC};
	size_t padding;

	reserve(a, sizeof(header));
	for (size_t i = 0; i < a->trace->site_count; i++) {
		const struct xs_site *sites = a->trace->sites;
		const struct xs_site *site = &sites[i];

		if (site->id == 0 || site->has_source ||
		    !(site->symbol || site->file))
			continue;
		add_site(a, site->id, site);
		if (site->caller < a->trace->site_count &&
		    sites[site->caller].outer)
			add_site(a, site->id, &sites[site->caller]);
	}
	if (a->used == sizeof(header)) {
		a->used = 0;
		return;
	}
	header.base_ns = a->trace->begin_ns;
	header.used_bytes = (xs_u32)a->used;
	padding = XS_PAGE_BYTES - 1 - (a->used - 1) % XS_PAGE_BYTES;
	reserve(a, padding);
	header.capacity_bytes = (xs_u32)a->used;
	memcpy(a->bytes, &header, sizeof(header));
}

static int write_at(int file, const void *data, size_t size, uint64_t at)
{
	while (size > 0) {
		ssize_t done = pwrite(file, data, size, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		data = (const char *)data + done;
		size -= (size_t)done;
		at += (size_t)done;
	}
	return 0;
}

/* Writes the chunk first: until the header counts it, the old trace stays
 * valid. */
static int append(int file, const struct appender *a)
{
	struct xs_file_header header;
	struct stat status;
	uint64_t at;
	int rc;

	if (fstat(file, &status))
		return -errno;
	if (pread(file, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(&header, &a->trace->header, sizeof(header)) != 0 ||
	    header.state != XS_FILE_CLOSED)
		return -EINVAL;
	at = ((uint64_t)status.st_size + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES *
	     XS_PAGE_BYTES;
	rc = write_at(file, a->bytes, a->used, at);
	header.tail_bytes = at + a->used;
	return rc ? rc : write_at(file, &header, sizeof(header), 0);
}

int xs_symbols_append(const char *path, const struct xs_trace *trace)
{
	struct appender a = {.trace = trace,
			     .next_string = trace->string_id_end};
	int file = open(path, O_RDWR | O_CLOEXEC);
	int rc = 0;

	if (file < 0)
		return -errno;
	if (a.next_string == 0)
		a.next_string = 1;
	build_chunk(&a);
	if (a.used > 0)
		rc = append(file, &a);
	free(a.bytes);
	close(file);
	return rc;
}
