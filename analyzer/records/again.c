/* SPDX-License-Identifier: MIT */
#include "analyzer/records/again.h"

#include "analyzer/records/record_schema.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OFFSETS (UINT16_MAX + 1u)

/* All call and op records begin with the same fields. */
_Static_assert(sizeof(struct xs_rec_call) == sizeof(struct xs_rec_again) &&
		   offsetof(struct xs_rec_call, correlation) ==
		       offsetof(struct xs_rec_again, correlation) &&
		   offsetof(struct xs_rec_call, start) ==
		       offsetof(struct xs_rec_again, start) &&
		   offsetof(struct xs_rec_call, duration) ==
		       offsetof(struct xs_rec_again, duration),
	       "an again record begins like every call record");

static bool field_is(const struct xs_record_layout *layout, size_t i,
		     const char *name)
{
	return i < layout->count && strcmp(layout->fields[i].name, name) == 0;
}

static bool find_timed(unsigned number)
{
	const struct xs_record_schema *kind =
	    xs_record_schema_by_number(number);

	return kind && number != XS_REC_again &&
	       field_is(&kind->layout, 1, "correlation") &&
	       field_is(&kind->layout, 2, "start") &&
	       field_is(&kind->layout, 3, "duration");
}

static bool is_timed(struct xs_again *a, xs_u8 kind)
{
	if (!a->timed[kind])
		a->timed[kind] = find_timed(kind) ? 2 : 1;
	return a->timed[kind] == 2;
}

void xs_again_begin(struct xs_again *a, uint64_t chunk_at)
{
	a->offset_end = 0;
	a->used = 0;
	a->chunk_at = chunk_at;
}

/* Makes the offset the last one, or one before it. */
static void reserve_offset(struct xs_again *a, size_t offset)
{
	size_t room = a->offset_room ? a->offset_room : OFFSETS / 64;

	while (room <= offset)
		room *= 2;
	if (room > a->offset_room) {
		a->starts = xs_realloc(a->starts, room * sizeof(*a->starts));
		a->offset_room = room;
	}
	for (; a->offset_end <= offset; a->offset_end++)
		a->starts[a->offset_end] = 0;
}

/* Returns room for more bytes, 4-aligned. */
static xs_u8 *reserve(struct xs_again *a, size_t bytes)
{
	if (bytes > a->room - a->used) {
		size_t room = 2 * a->room + XS_PAGE_BYTES;

		a->bytes = xs_realloc(a->bytes, room);
		a->room = room;
	}
	return a->bytes + a->used;
}

void xs_again_keep(struct xs_again *a, uint64_t at, const xs_u8 *record)
{
	uint64_t offset = (at - a->chunk_at) / 4;
	size_t bytes = record[1] * 4u;
	xs_u8 *kept;

	if (!is_timed(a, record[0]) || offset >= OFFSETS)
		return;
	kept = reserve(a, bytes);
	reserve_offset(a, offset);
	memcpy(kept, record, bytes);
	a->starts[offset] = (xs_u32)a->used + 1;
	a->used += bytes;
}

const xs_u8 *xs_again_find(const struct xs_again *a, xs_u16 offset)
{
	if (offset >= a->offset_end || !a->starts[offset])
		return NULL;
	return a->bytes + a->starts[offset] - 1;
}

int xs_again_expand(struct xs_again *a, uint64_t at, const xs_u8 **record)
{
	const struct xs_rec_again *again = (const void *)*record;
	struct xs_rec_call *head = (void *)a->expanded;
	const xs_u8 *kept;

	if (again->kind != XS_REC_again) {
		xs_again_keep(a, at, *record);
		return 0;
	}
	kept = xs_again_find(a, again->record);
	if (!kept)
		return -ENOENT;
	memcpy(a->expanded, kept, kept[1] * 4u);
	head->correlation = again->correlation;
	head->start = again->start;
	head->duration = again->duration;
	*record = (const xs_u8 *)a->expanded;
	return 0;
}

void xs_again_release(struct xs_again *a)
{
	free(a->starts);
	free(a->bytes);
}
