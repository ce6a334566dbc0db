/* SPDX-License-Identifier: MIT */
/* Maps keys (bytes) to numbers: kernel names, shapes, queues, modules.
 * Allocates with mmap, never with the application's malloc. Not thread-safe;
 * the owner locks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct xs_intern_slot;

struct xs_intern {
	struct xs_intern_slot *slots;
	struct xs_intern_slot *last; /* of the last lookup; NULL: none */
	size_t slot_count;	     /* a power of two, or 0 */
	size_t used;
	char *keys; /* block that new keys are copied to */
	size_t keys_left;
};

/* Returns a key's number, 0 if the key is new: the caller then stores the
 * number once it is written to the trace. Valid until the next call. NULL if
 * out of memory. */
uint32_t *xs_intern_number(struct xs_intern *table, const void *key,
			   size_t bytes);

/* Returns the XXH3 hash of a key. */
uint64_t xs_hash(const void *key, size_t bytes);
