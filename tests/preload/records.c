/* SPDX-License-Identifier: MIT */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_image(struct records *r, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size < (long)sizeof(r->header)) {
		fprintf(stderr, "%s: no trace\n", path);
		exit(2);
	}
	rewind(file);
	r->image_bytes = (size_t)size;
	r->image = malloc(r->image_bytes);
	if (!r->image ||
	    fread(r->image, 1, r->image_bytes, file) != r->image_bytes)
		exit(2);
	fclose(file);
	memcpy(&r->header, r->image, sizeof(r->header));
}

static void add(struct records *r, const struct record *record)
{
	/* The list is full at each power of two. */
	if ((r->count & (r->count - 1)) == 0) {
		size_t room = r->count ? r->count * 2 : 1;
		r->list = realloc(r->list, room * sizeof(*r->list));
		if (!r->list)
			exit(2);
	}
	r->list[r->count++] = *record;
}

/* Finds the record of this chunk that an `again` record repeats. */
static void find_repeated(struct records *r, const void *chunk,
			  struct record *record)
{
	const struct xs_rec_again *again = record->at;
	const xs_u8 *repeated = (const xs_u8 *)chunk + again->record * 4u;

	record->again = true;
	for (size_t i = r->count; i-- > 0;)
		if (r->list[i].at == repeated && !r->list[i].again) {
			record->at = repeated;
			record->kind = repeated[0];
			record->place = r->list[i].place;
			return;
		}
	r->damaged++;
}

static void read_chunk(struct records *r, const struct xs_chunk_header *chunk)
{
	const unsigned char *at = (const void *)(chunk + 1);
	const unsigned char *end =
	    (const unsigned char *)chunk + chunk->used_bytes;
	uint64_t base_ns = chunk->base_ns;
	struct xs_rec_wide wide = {0};

	while (at < end) {
		const struct xs_rec_call *head = (const void *)at;
		struct record record = {
		    .at = at, .kind = head->kind, .thread = chunk->thread};
		if (!head->kind || !head->words ||
		    at + head->words * 4u > end) {
			r->damaged++;
			return;
		}
		if (head->kind == XS_REC_time) {
			base_ns = ((const struct xs_rec_time *)at)->base_ns;
		} else if (head->kind == XS_REC_wide) {
			wide = *(const struct xs_rec_wide *)at;
		} else if (head->kind >= XS_REC_call) {
			record.correlation = head->correlation;
			record.place =
			    head->site == XS_WIDE16 ? wide.site : head->site;
			record.start_ns = base_ns + head->start;
			record.end_ns =
			    record.start_ns + (head->duration == XS_WIDE32
						   ? wide.duration_ns
						   : head->duration);
		}
		if (head->kind == XS_REC_again)
			find_repeated(r, chunk, &record);
		add(r, &record);
		at += head->words * 4u;
	}
}

void records_read(struct records *r, const char *path)
{
	size_t at = XS_PAGE_BYTES;

	memset(r, 0, sizeof(*r));
	read_image(r, path);
	while (at + sizeof(struct xs_chunk_header) <= r->image_bytes) {
		const struct xs_chunk_header *chunk =
		    (const void *)(r->image + at);
		if (chunk->magic != XS_CHUNK_MAGIC) {
			if (at < r->header.tail_bytes)
				r->damaged++;
			at += XS_PAGE_BYTES;
			continue;
		}
		if (r->chunks < 64)
			r->chunk_bytes[r->chunks] = chunk->capacity_bytes;
		r->chunks++;
		read_chunk(r, chunk);
		at += chunk->capacity_bytes;
	}
}

void records_free(struct records *r)
{
	free(r->image);
	free(r->list);
	*r = (struct records){0};
}

size_t records_of(const struct records *r, uint8_t kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->list[i].kind == kind;
	return n;
}

const struct record *records_get(const struct records *r, uint8_t kind,
				 size_t n)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->list[i].kind == kind && n-- == 0)
			return &r->list[i];
	return NULL;
}
