/* SPDX-License-Identifier: MIT */
/* Memory that is given back all at once: what a result is made of. */
#ifndef XS_REPORT_RESULT_ARENA_H
#define XS_REPORT_RESULT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Zero is an empty arena. A failed allocation returns NULL and is remembered,
 * so that a builder may check once at its end.
 */
struct xs_arena {
	struct xs_arena_block *blocks;
	bool failed;
};

/* count zeroed items of size bytes, aligned for any type. */
void *xs_arena_alloc(struct xs_arena *arena, size_t count, size_t size);

/* A copy of text; NULL for NULL. Control characters, which a terminal would
 * obey, become '?': a trace may be anybody's. */
const char *xs_arena_copy(struct xs_arena *arena, const char *text);

/* As asprintf. */
__attribute__((format(printf, 2, 3))) const char *
xs_arena_print(struct xs_arena *arena, const char *format, ...);

void xs_arena_free(struct xs_arena *arena);

/* Appends item to a ", "-separated list; NULL is the empty list. Returns NULL
 * without memory. */
const char *xs_arena_join(struct xs_arena *arena, const char *list,
			  const char *item);

#endif
