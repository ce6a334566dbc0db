/* SPDX-License-Identifier: MIT */
/* Expands `again` records, which repeat an earlier record of their chunk with
 * another time. */
#pragma once

#include "preload/format.h"

/* The calls and ops of the current chunk. Zero-initialise before use. */
struct xs_again {
	uint64_t chunk_at;
	xs_u32 *starts; /* by offset in the chunk, in words of 4 bytes: offset
			 * in bytes + 1, or 0 */
	size_t offset_end; /* one more than the largest index in use */
	size_t offset_room;
	xs_u8 *bytes; /* copies of the records */
	size_t used, room;
	xs_u32 expanded[XS_RECORD_MAX_BYTES / 4]; /* the expanded record */
	xs_u8 timed[256]; /* by record kind: 0 unknown, 1 no times, 2 has times
			   */
};

/* Begins a chunk at this offset in the file. */
void xs_again_begin(struct xs_again *again, uint64_t chunk_at);

/* Keeps a record if it is a call or an op, so that later ones can repeat it.
 * The record must have at least the size of its kind. */
void xs_again_keep(struct xs_again *again, uint64_t at, const xs_u8 *record);

/* Returns the record that was kept at this offset of the chunk, in words, or
 * NULL. */
const xs_u8 *xs_again_find(const struct xs_again *again, xs_u16 offset);

/*
 * Takes a record of at least the size of its kind. Points *record to the
 * expanded record if it is an `again` record; that memory is valid until the
 * next call. Returns 0, or -ENOENT when the repeated record is missing.
 */
int xs_again_expand(struct xs_again *again, uint64_t at, const xs_u8 **record);

void xs_again_release(struct xs_again *again);
