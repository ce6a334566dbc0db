/* SPDX-License-Identifier: MIT */
#include "preload/util/mappings.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#define SLOTS 250u

struct slot {
	_Atomic uintptr_t begin; /* 0: free; 1: about to be filled */
	_Atomic size_t bytes;
};

/* Never freed: whoever is in a table may stay there. */
struct table {
	struct slot slots[SLOTS];
	_Atomic(struct table *) next;
};

static struct table first;

/* The table after this one, made if there is none. NULL without memory. */
static struct table *next_of(struct table *table)
{
	struct table *next = atomic_load(&table->next), *made;

	if (next)
		return next;
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&table->next, &next, made))
		return made;
	munmap(made, sizeof(*made));
	return next;
}

bool xs_mappings_add(const struct xs_mapping *mapping)
{
	for (struct table *table = &first; table; table = next_of(table))
		for (size_t i = 0; i < SLOTS; i++) {
			struct slot *slot = &table->slots[i];
			uintptr_t none = 0;

			if (atomic_load(&slot->begin) ||
			    !atomic_compare_exchange_strong(&slot->begin, &none,
							    1))
				continue;
			atomic_store(&slot->bytes, mapping->bytes);
			atomic_store(&slot->begin, (uintptr_t)mapping->begin);
			return true;
		}
	return false;
}

size_t xs_mappings_remove(const void *begin)
{
	for (struct table *table = &first; table;
	     table = atomic_load(&table->next))
		for (size_t i = 0; i < SLOTS; i++) {
			struct slot *slot = &table->slots[i];
			size_t bytes = atomic_load(&slot->bytes);

			if (atomic_load(&slot->begin) != (uintptr_t)begin)
				continue;
			atomic_store(&slot->begin, 0);
			return bytes;
		}
	return 0;
}

bool xs_mappings_find(const void *address, struct xs_mapping *mapping)
{
	for (struct table *table = &first; table;
	     table = atomic_load(&table->next))
		for (size_t i = 0; i < SLOTS; i++) {
			struct slot *slot = &table->slots[i];
			uintptr_t begin = atomic_load(&slot->begin);
			size_t bytes = atomic_load(&slot->bytes);

			if (begin > 1 && (uintptr_t)address - begin < bytes) {
				*mapping =
				    (struct xs_mapping){(void *)begin, bytes};
				return true;
			}
		}
	return false;
}
