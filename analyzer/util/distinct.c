/* SPDX-License-Identifier: MIT */
#include "analyzer/util/distinct.h"

#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64
#define ALIGNMENT   8u

static uint64_t hash_of(const void *value, size_t bytes)
{
	const unsigned char *at = value;
	uint64_t hash = bytes, word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = xs_hash_mix(hash, word);
		at += sizeof(word);
	}
	word = 0;
	memcpy(&word, at, bytes);
	return xs_hash_mix(hash, word);
}

/* Returns the slot of a value, or the free one where it belongs. */
static uint32_t *find_slot(const struct xs_distinct *d, const void *value,
			   size_t bytes)
{
	size_t at = hash_of(value, bytes) & (d->slot_count - 1);

	for (;; at = (at + 1) & (d->slot_count - 1)) {
		uint32_t *slot = &d->slots[at];

		if (!*slot || (d->values[*slot - 1].bytes == bytes &&
			       memcmp(xs_distinct_value(d, *slot - 1), value,
				      bytes) == 0))
			return slot;
	}
}

/* Keeps half of the slots free. */
static void grow_slots(struct xs_distinct *d)
{
	const size_t count = d->slot_count ? 2 * d->slot_count : FIRST_SLOTS;
	uint32_t *slots;

	if (2 * (d->count + 1) < d->slot_count)
		return;
	slots = xs_calloc(count, sizeof(*slots));
	free(d->slots);
	d->slots = slots;
	d->slot_count = count;
	for (size_t i = 0; i < d->count; i++)
		*find_slot(d, xs_distinct_value(d, i), d->values[i].bytes) =
		    (uint32_t)i + 1;
}

static void add(struct xs_distinct *d, const void *value, size_t bytes)
{
	const size_t room = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	const struct xs_distinct_value added = {d->used, bytes};

	if (room > d->room - d->used) {
		d->room = 2 * d->room + room + 4096;
		d->data = xs_realloc(d->data, d->room);
	}
	memcpy(d->data + d->used, value, bytes);
	memset(d->data + d->used + bytes, 0, room - bytes);
	d->used += room;
	XS_ARRAY_ADD(d->values, d->count, added);
}

uint32_t xs_distinct_find(struct xs_distinct *d, const void *value,
			  size_t bytes)
{
	uint32_t *slot;

	grow_slots(d);
	slot = find_slot(d, value, bytes);
	if (!*slot) {
		add(d, value, bytes);
		*slot = (uint32_t)d->count;
	}
	return *slot - 1;
}

bool xs_distinct_has(const struct xs_distinct *d, const void *value,
		     size_t bytes)
{
	return d->slot_count && *find_slot(d, value, bytes);
}

void xs_distinct_release(struct xs_distinct *d)
{
	free(d->data);
	free(d->values);
	free(d->slots);
}

void *xs_distinct_map_find(struct xs_distinct_map *map, const void *key,
			   size_t bytes, size_t item_bytes)
{
	const size_t before = map->keys.count;
	const uint32_t number = xs_distinct_find(&map->keys, key, bytes);
	char *item;

	map->items = xs_array_grow(map->items, before, item_bytes);
	item = (char *)map->items + number * item_bytes;
	if (number == before)
		memset(item, 0, item_bytes);
	return item;
}

void xs_distinct_map_release(struct xs_distinct_map *map)
{
	xs_distinct_release(&map->keys);
	free(map->items);
}
