/* SPDX-License-Identifier: MIT */
/* What `again` records stand for. */
#ifndef XS_ANALYZER_RECORDS_AGAIN_H
#define XS_ANALYZER_RECORDS_AGAIN_H

#include "preload/format.h"

/* The calls and ops of the chunk at hand. All zero: no chunk yet. */
struct xs_again {
	uint64_t chunk_at;
	xs_u32 *starts;	  /* by place in the chunk: offset in bytes + 1, or 0 */
	size_t place_end; /* above the places in use */
	xs_u8 *bytes;	  /* the records */
	size_t used, room;
	xs_u32 full[XS_RECORD_MAX_BYTES / 4]; /* that an `again` stood for */
	xs_u8 timed[256]; /* by kind: 0 not looked at, 1 no, 2 yes */
};

/* A chunk begins, at this offset in the file. */
void xs_again_begin(struct xs_again *again, uint64_t chunk_at);

/* Keeps a record, of at least its kind's size, where it is a call or an op:
 * later ones can repeat it. 0 or -ENOMEM. */
int xs_again_keep(struct xs_again *again, uint64_t at, const xs_u8 *record);

/* The record that was kept at this place of the chunk, or NULL. */
const xs_u8 *xs_again_find(const struct xs_again *again, xs_u16 place);

/*
 * Takes a record, of at least its kind's size. *record stays, or where it is
 * an `again` record becomes what it stands for, in memory that lasts until the
 * next. 0, -ENOENT when there is nothing that it could repeat, or -ENOMEM.
 */
int xs_again_expand(struct xs_again *again, uint64_t at, const xs_u8 **record);

void xs_again_release(struct xs_again *again);

#endif
