/* SPDX-License-Identifier: MIT */
/* Numbers distinct values: strings, or structs without padding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_distinct_value {
	size_t offset, bytes;
};

/* Zero-initialise before use. Values are aligned to 8 bytes. */
struct xs_distinct {
	char *data;
	size_t used, room;
	struct xs_distinct_value *values; /* by number, from 0 */
	size_t count;
	uint32_t *slots; /* number + 1; 0: free */
	size_t slot_count;
};

/* Returns the number of a value, which is copied when it is new. */
uint32_t xs_distinct_find(struct xs_distinct *distinct, const void *value,
			  size_t bytes);

bool xs_distinct_has(const struct xs_distinct *distinct, const void *value,
		     size_t bytes);

/* Returns a value. Valid until the next one is added. */
static inline const void *xs_distinct_value(const struct xs_distinct *distinct,
					    size_t number)
{
	return distinct->data + distinct->values[number].offset;
}

void xs_distinct_release(struct xs_distinct *distinct);

/* An item for each distinct key. Zero-initialise before use. */
struct xs_distinct_map {
	struct xs_distinct keys;
	void *items; /* by number of the key */
};

/* Returns the item of a key, zeroed if the key is new; item_bytes are the same
 * in all calls. Valid until the next call. */
void *xs_distinct_map_find(struct xs_distinct_map *map, const void *key,
			   size_t bytes, size_t item_bytes);
/* Items are not freed beyond themselves. */
void xs_distinct_map_release(struct xs_distinct_map *map);
