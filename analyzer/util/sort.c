/* SPDX-License-Identifier: MIT */
#include "analyzer/util/sort.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/large.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16
#define BLOCK	   32 /* sorted by insertion before blocks are merged */
#define ITEM_MAX   128

/* Returns the new number of elements; 0: there is room. */
static size_t room_after(size_t count)
{
	if (count == 0)
		return FIRST_ROOM;
	return count < FIRST_ROOM || (count & (count - 1)) != 0 ? 0 : 2 * count;
}

void *xs_array_grow(void *items, size_t count, size_t item_bytes)
{
	const size_t room = room_after(count);

	return room ? realloc(items, room * item_bytes) : items;
}

void *xs_array_grow_large(void *items, size_t count, size_t item_bytes)
{
	const size_t room = room_after(count);

	return room ? xs_large_resize(items, count * item_bytes,
				      room * item_bytes)
		    : items;
}

bool xs_array_make_room(void *(*grow)(void *, size_t, size_t), void *items_at,
			size_t count, size_t item_bytes)
{
	void *items;

	memcpy(&items, items_at, sizeof(items));
	items = grow(items, count, item_bytes);
	if (items)
		memcpy(items_at, &items, sizeof(items));
	return items != NULL;
}

static void sort_block(struct xs_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct xs_key key = keys[i];
		size_t j = i;

		for (; j > 0 && keys[j - 1].key > key.key; j--)
			keys[j] = keys[j - 1];
		keys[j] = key;
	}
}

size_t xs_keys_from(const struct xs_key *keys, size_t count, uint64_t key)
{
	size_t low = 0;

	XS_BISECT(low, count, i, keys[i].key < key);
	return low;
}

/*
 * Merges the sorted halves [0, left) and [left, count). Does not move keys that
 * are in place already, which in nearly sorted input are almost all.
 */
static void merge(struct xs_key *keys, size_t left, size_t count,
		  struct xs_key *scratch)
{
	if (keys[left - 1].key <= keys[left].key)
		return;

	size_t out = xs_keys_from(keys, left, keys[left].key + 1);
	size_t end =
	    left + xs_keys_from(keys + left, count - left, keys[left - 1].key);
	size_t a = 0, a_end = left - out, b = left;

	memcpy(scratch, keys + out, a_end * sizeof(*keys));
	while (a < a_end && b < end)
		keys[out++] =
		    keys[b].key < scratch[a].key ? keys[b++] : scratch[a++];
	memcpy(keys + out, scratch + a, (a_end - a) * sizeof(*keys));
}

int xs_keys_sort(struct xs_key *keys, size_t count)
{
	struct xs_key *scratch;
	size_t i = 1;

	while (i < count && keys[i - 1].key <= keys[i].key)
		i++;
	if (i >= count)
		return 0;
	scratch = xs_large_new(count, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	for (i = 0; i < count; i += BLOCK)
		sort_block(keys + i, count - i < BLOCK ? count - i : BLOCK);
	for (size_t width = BLOCK; width < count; width *= 2)
		for (i = 0; i + width < count; i += 2 * width)
			merge(keys + i, width,
			      count - i < 2 * width ? count - i : 2 * width,
			      scratch);
	xs_large_free(scratch);
	return 0;
}

int xs_keys_sort_nested(struct xs_key *keys, size_t count, const void *self,
			uint64_t (*start_ns)(const void *self, uint32_t i),
			uint64_t (*end_ns)(const void *self, uint32_t i))
{
	size_t end;
	int rc;

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){start_ns(self, (uint32_t)i), (uint32_t)i};
	rc = xs_keys_sort(keys, count);
	for (size_t i = 0; !rc && i < count; i = end) {
		const uint64_t start = keys[i].key;

		for (end = i; end < count && keys[end].key == start; end++)
			keys[end].key =
			    UINT64_MAX - end_ns(self, keys[end].index);
		rc = xs_keys_sort(keys + i, end - i);
	}
	return rc;
}

void xs_keys_apply(struct xs_key *keys, size_t count, void *items,
		   size_t item_bytes)
{
	char saved[ITEM_MAX];
	char *base = items;

	for (size_t i = 0; i < count; i++) {
		size_t to = i;

		if (keys[i].index == i)
			continue;
		memcpy(saved, base + i * item_bytes, item_bytes);
		while (keys[to].index != i) {
			size_t from = keys[to].index;

			memcpy(base + to * item_bytes, base + from * item_bytes,
			       item_bytes);
			keys[to].index = (uint32_t)to;
			to = from;
		}
		memcpy(base + to * item_bytes, saved, item_bytes);
		keys[to].index = (uint32_t)to;
	}
}

/* Radix sort, least significant byte first; stops at the highest byte in use.
 */
void xs_values_sort(uint64_t *values, uint64_t *scratch, size_t count)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= values[i];
	for (unsigned shift = 0; shift < 64 && all >> shift; shift += 8) {
		size_t start[257] = {0};

		for (size_t i = 0; i < count; i++)
			start[(values[i] >> shift & 0xff) + 1]++;
		for (size_t i = 1; i < 257; i++)
			start[i] += start[i - 1];
		for (size_t i = 0; i < count; i++)
			scratch[start[values[i] >> shift & 0xff]++] = values[i];
		memcpy(values, scratch, count * sizeof(*values));
	}
}
