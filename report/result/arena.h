/* SPDX-License-Identifier: MIT */
/* Memory of a result, freed all at once. */
#pragma once

#include "analyzer/util/memory.h"

#include <stddef.h>

/* A zeroed struct is an empty arena. */
struct xs_arena {
	struct xs_arena_block *blocks;
};

/* Returns count zeroed items of size bytes, aligned for any type. */
void *xs_arena_alloc(struct xs_arena *arena, size_t count, size_t size);

/* Points at so many new items of the pointer's type. */
#define XS_ARENA_NEW(arena, items, count)                                      \
	((items) = xs_arena_alloc(arena, count, sizeof(*(items))))

/* Returns a copy of text, NULL for NULL. Control characters become '?', so
 * that text of a trace cannot control a terminal. */
const char *xs_arena_copy(struct xs_arena *arena, const char *text);

/* Like asprintf. */
__attribute__((format(printf, 2, 3))) const char *
xs_print(struct xs_arena *arena, const char *format, ...);

void xs_arena_free(struct xs_arena *arena);

/* Appends item to a list separated by ", "; a NULL list is empty. */
const char *xs_arena_join(struct xs_arena *arena, const char *list,
			  const char *item);
/* The same, unless the list has the item. */
const char *xs_arena_join_once(struct xs_arena *arena, const char *list,
			       const char *item);
