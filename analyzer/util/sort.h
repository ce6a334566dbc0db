/* SPDX-License-Identifier: MIT */
/* Arrays that grow, and sorting of input that is nearly in order already. */
#ifndef XS_ANALYZER_UTIL_SORT_H
#define XS_ANALYZER_UTIL_SORT_H

#include <stddef.h>
#include <stdint.h>

/* What an element is sorted by, and where it stood. */
struct xs_key {
	uint64_t key;
	uint32_t index;
};

/*
 * Room for one more element after count. Sizes double, so that the array
 * itself need not remember its room: it is full when count is a power of two.
 * Returns the array, which may have moved, or NULL (the old one still
 * stands).
 */
void *xs_array_grow(void *items, size_t count, size_t item_bytes);

/* Stable, by key; near linear where long stretches are in order. 0 or
 * -ENOMEM. */
int xs_keys_sort(struct xs_key *keys, size_t count);

/* Puts items[keys[i].index] at items[i] for all i; leaves keys[i].index = i.
 * item_bytes: at most 128. */
void xs_keys_apply(struct xs_key *keys, size_t count, void *items,
		   size_t item_bytes);

/* Sorts plain values; scratch has room for count of them. */
void xs_values_sort(uint64_t *values, uint64_t *scratch, size_t count);

#endif
