/* SPDX-License-Identifier: MIT */
/* The live allocations that kernels can access: device, managed and pinned
 * memory. Used only if the pointers of launches are
 * recorded. */
#ifndef XS_PRELOAD_RECORD_LIVE_MEMORY_H
#define XS_PRELOAD_RECORD_LIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_LIVE_MEMORY_MOST 1000000u

/* The functions below take a lock: call them in a guard (util/guard.h). Times
 * are CLOCK_REALTIME ns. */

/* Adds memory that an allocation in this context, 0 if unknown, returned at
 * `end_ns`; 0 bytes: its size is unknown. Older entries that overlap it are
 * dropped: their memory was freed. */
void xs_live_memory_add(uint64_t address, uint64_t bytes, uint32_t context,
			uint64_t end_ns);

/* Removes the memory at `address` that a call which began at `start_ns` freed.
 * Memory that was allocated there since then stays. */
void xs_live_memory_remove(uint64_t address, uint64_t start_ns);

/* Removes all memory of the context, or of all contexts if it is 0, that was
 * added with a time of at most `start_ns`. */
void xs_live_memory_remove_all(uint32_t context, uint64_t start_ns);

/* Returns whether all of the live memory is known: false from the moment on
 * when there was more than XS_LIVE_MEMORY_MOST of it, no space, or memory of an
 * unknown size. */
bool xs_live_memory_is_complete(void);

/* Distinct addresses in live memory. */
struct xs_live_addresses {
	uint64_t *addresses;
	size_t count, room;
	bool overflow; /* there were more than `room` */
};

/* Adds those of `words` 8-byte words at `from`, which need not be aligned, that
 * lie in live memory. */
void xs_live_memory_collect(const void *from, size_t words,
			    struct xs_live_addresses *found);

#endif
