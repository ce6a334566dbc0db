/* SPDX-License-Identifier: MIT */
/* Numbers handles of any size from 0 on. */
#ifndef XS_MODEL_REPLAY_NUMBERING_H
#define XS_MODEL_REPLAY_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

/* The handles, sorted, each once. */
struct xs_numbering {
	uint64_t *values; /* owned */
	size_t count;
};

/* Allocates room for count values, which the caller writes. Returns 0 or
 * -ENOMEM. */
int xs_numbering_init(struct xs_numbering *numbering, size_t count);
void xs_numbering_free(struct xs_numbering *numbering);

/* Sorts the values and drops repeated ones. */
void xs_numbering_sort(struct xs_numbering *numbering);

/* Returns the number of a handle, which must be one of the values. */
uint32_t xs_numbering_find(const struct xs_numbering *numbering,
			   uint64_t value);

#endif
