/* SPDX-License-Identifier: MIT */
/*
 * From the bytes of a key to a number: kernel names, shapes, queues, modules.
 * Memory comes from mmap, never from the application's malloc. Not safe to
 * share; the owner locks.
 */
#ifndef XS_PRELOAD_UTIL_INTERN_H
#define XS_PRELOAD_UTIL_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct xs_intern_slot;

struct xs_intern {
	struct xs_intern_slot *slots;
	struct xs_intern_slot *last; /* that was asked for; NULL: none */
	size_t slot_count;	     /* a power of two, or 0 */
	size_t used;
	char *keys; /* the block that new keys are copied to */
	size_t keys_left;
};

/*
 * The number of a key: 0 when the key is new; the caller stores its number
 * there once it is written to the trace. Valid until the next call. NULL
 * without memory.
 */
uint32_t *xs_intern_number(struct xs_intern *table, const void *key,
			   size_t bytes);

uint64_t xs_hash(const void *key, size_t bytes);

#endif
