/* SPDX-License-Identifier: MIT */
#include "analyzer/util/sort.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16
#define ITEMS_MOST (1u << 31) /* their numbers have 32 bits */
#define ITEM_MAX   128

void *xs_array_grow(void *items, size_t count, size_t item_bytes)
{
	if (count == 0)
		return xs_realloc(items, FIRST_ROOM * item_bytes);
	if (count < FIRST_ROOM || (count & (count - 1)) != 0)
		return items;
	if (count >= ITEMS_MOST)
		xs_too_many();
	return xs_realloc(items, 2 * count * item_bytes);
}

size_t xs_keys_from(const struct xs_key *keys, size_t count, uint64_t key)
{
	size_t low = 0;

	XS_BISECT(low, count, i, keys[i].key < key);
	return low;
}

static int by_key(const void *left, const void *right)
{
	const struct xs_key *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void xs_keys_sort(struct xs_key *keys, size_t count)
{
	size_t i = 1;

	while (i < count && by_key(&keys[i - 1], &keys[i]) < 0)
		i++;
	if (i < count)
		qsort(keys, count, sizeof(*keys), by_key);
}

void xs_keys_sort_nested(struct xs_key *keys, size_t count, const void *self,
			 uint64_t (*start_ns)(const void *self, uint32_t i),
			 uint64_t (*end_ns)(const void *self, uint32_t i))
{
	size_t end;

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){start_ns(self, (uint32_t)i), (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i = end) {
		const uint64_t start = keys[i].key;

		for (end = i; end < count && keys[end].key == start; end++)
			keys[end].key =
			    UINT64_MAX - end_ns(self, keys[end].index);
		xs_keys_sort(keys + i, end - i);
	}
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

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left,
		       b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

void xs_values_sort(uint64_t *values, size_t count)
{
	if (count) /* an empty list may be NULL, which qsort() does not take */
		qsort(values, count, sizeof(*values), by_value);
}
