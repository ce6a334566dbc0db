/* SPDX-License-Identifier: MIT */
/* Growing arrays, and sorting. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A sort key with the original index of its element. */
struct xs_key {
	uint64_t key;
	uint32_t index;
};

/*
 * Makes room for one more element after count. Sizes double, so the array is
 * full when count is a power of two and its size need not be stored. Returns
 * the array, which may have moved.
 */
void *xs_array_grow(void *items, size_t count, size_t item_bytes);

/* Appends an item to an array of `count` items, which are two lvalues, and
 * counts it. The array grows as by xs_array_grow(). */
#define XS_ARRAY_ADD(items, count, ...)                                        \
	((items) = xs_array_grow(items, count, sizeof(*(items))),              \
	 (items)[(count)++] = (__VA_ARGS__))

/* Sorts by key, then by index. Linear for sorted ones. */
void xs_keys_sort(struct xs_key *keys, size_t count);

/* Returns the index of the first key of at least that value in sorted keys. */
size_t xs_keys_from(const struct xs_key *keys, size_t count, uint64_t key);

/* Sorts the numbers 0 to count - 1 so that what contains another comes first:
 * by start, and of those that start together the longest first. Fills keys;
 * their `key` has no meaning. */
void xs_keys_sort_nested(struct xs_key *keys, size_t count, const void *self,
			 uint64_t (*start_ns)(const void *self, uint32_t i),
			 uint64_t (*end_ns)(const void *self, uint32_t i));

/* Moves items[keys[i].index] to items[i] for all i, and sets keys[i].index = i.
 * item_bytes: at most 128. */
void xs_keys_apply(struct xs_key *keys, size_t count, void *items,
		   size_t item_bytes);

/* Sorts plain values. */
void xs_values_sort(uint64_t *values, size_t count);
