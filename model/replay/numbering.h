/* SPDX-License-Identifier: MIT */
/* Numbers handles of any size from 0 on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define XS_NUMBERING_RECENT 64u

/* The handles, once sorted, each once. */
struct xs_numbering {
	uint64_t *values; /* owned */
	size_t count;
	/* Of handles that were added lately, by hash: index in values + 1. Most
	 * handles of a long round repeat, and sorting them all takes longer
	 * than replaying the round. */
	uint32_t recent[XS_NUMBERING_RECENT];
};

/* Allocates room for `most` values. */
void xs_numbering_init(struct xs_numbering *numbering, size_t most);
void xs_numbering_free(struct xs_numbering *numbering);

/* Adds a handle, perhaps again. */
void xs_numbering_add(struct xs_numbering *numbering, uint64_t value);

/* Sorts the handles and drops repeated ones. Call it once, after the last one
 * was added. */
void xs_numbering_sort(struct xs_numbering *numbering);

/* Returns the number of a handle, which must have been added. */
uint32_t xs_numbering_find(const struct xs_numbering *numbering,
			   uint64_t value);
