/* SPDX-License-Identifier: MIT */
/* Where the trace is mapped, for who meets an address and asks whose it is. No
 * locks; any thread, also in a signal handler. */
#ifndef XS_PRELOAD_UTIL_MAPPINGS_H
#define XS_PRELOAD_UTIL_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

struct xs_mapping {
	void *begin;
	size_t bytes;
};

/* Keeps a mapping in mind. False without memory. */
bool xs_mappings_add(const struct xs_mapping *mapping);

/* Forgets the mapping that begins there; its bytes, or 0: there is none. */
size_t xs_mappings_remove(const void *begin);

/* The mapping that has the address. It lasts while nobody unmaps it: sure only
 * for who is about to use that address. */
bool xs_mappings_find(const void *address, struct xs_mapping *mapping);

#endif
