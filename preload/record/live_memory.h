/* SPDX-License-Identifier: MIT */
/* The live allocations that kernels can access: device, managed and pinned
 * memory, and objects. Used only if the pointers of launches are recorded. */
#pragma once

#include "preload/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_LIVE_MEMORY_MOST 1000000u

/* The functions below take a lock: call them in a guard (util/guard.h). Times
 * are CLOCK_REALTIME ns. */

enum xs_live_kind {
	XS_LIVE_DEVICE,
	XS_LIVE_MAPPED,	 /* a piece of device memory, by cuMemMap() */
	XS_LIVE_HOST,	 /* pinned: the library can look at it */
	XS_LIVE_MANAGED, /* looking at it may migrate it, so it is unknown */
	XS_LIVE_OBJECT,	 /* the number of a texture or surface object */
	XS_LIVE_ALIAS,	 /* device memory that has two addresses */
	XS_LIVE_UNSIZED, /* memory of an unknown size */
};

/* Adds memory that an allocation returned at `end_ns`; 0 bytes: it is
 * XS_LIVE_UNSIZED. Older entries that overlap it are dropped: their memory was
 * freed, by a call that was not seen or with its context. */
void xs_live_memory_add(uint64_t address, uint64_t bytes, uint64_t end_ns,
			enum xs_live_kind kind);

/* Removes the memory at `address` that a call which began at `start_ns` freed,
 * and its tables of addresses.
 * Memory that was allocated there since then stays. */
void xs_live_memory_remove(uint64_t address, uint64_t start_ns);

/* Removes all memory that was added with a time of at most `start_ns`. */
void xs_live_memory_remove_all(uint64_t start_ns);

/* The memory of cuMemMap() that lives at `address` has another address, too.
 * Returns false if none lives there. */
bool xs_live_memory_set_alias(uint64_t address);

/* Returns how many bytes of live memory are at and behind `address`, and sets
 * *kind; 0 if nothing lives there. */
uint64_t xs_live_memory_find(uint64_t address, enum xs_live_kind *kind);

/* Distinct addresses in live memory. */
struct xs_live_addresses {
	uint64_t *addresses;
	size_t count, room;
	bool first;		      /* stop at the first one, in data */
	enum xs_pointers_known known; /* set to the reason if there is other
				       * memory */
};

/* Adds those of `words` 8-byte words at `from`, which need not be aligned, that
 * lie in live memory. The end of live memory, where
 * nothing else lives, stands for its last byte; a word up to 64 KiB before some
 * for its first one: arrays may begin with another index than 0. */
void xs_live_memory_collect(const void *from, size_t words,
			    struct xs_live_addresses *found);
