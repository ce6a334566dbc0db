/* SPDX-License-Identifier: MIT */
#include "report/result/arena.h"

#include <ctype.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 16384

struct xs_arena_block {
	struct xs_arena_block *next;
	size_t used, room;
	alignas(max_align_t) unsigned char bytes[];
};

static struct xs_arena_block *add_block(struct xs_arena *arena, size_t bytes)
{
	size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct xs_arena_block *block = xs_calloc(1, sizeof(*block) + room);

	block->room = room;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

void *xs_arena_alloc(struct xs_arena *arena, size_t count, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct xs_arena_block *block = arena->blocks;
	size_t bytes;
	void *out;

	if (size && count > (SIZE_MAX / 2) / size)
		xs_no_memory();
	bytes = (count * size + align - 1) / align * align;
	if (!block || block->room - block->used < bytes)
		block = add_block(arena, bytes);
	out = block->bytes + block->used;
	block->used += bytes;
	return out;
}

const char *xs_arena_copy(struct xs_arena *arena, const char *text)
{
	size_t length;
	char *out;

	if (!text)
		return NULL;
	length = strlen(text);
	out = xs_arena_alloc(arena, length + 1, 1);
	for (size_t i = 0; i < length; i++)
		out[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
	return out;
}

const char *xs_print(struct xs_arena *arena, const char *format, ...)
{
	va_list args, again;
	char *out;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	out = xs_arena_alloc(arena, (size_t)length + 1, 1);
	vsnprintf(out, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	return out;
}

void xs_arena_free(struct xs_arena *arena)
{
	while (arena->blocks) {
		struct xs_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}

const char *xs_arena_join(struct xs_arena *arena, const char *list,
			  const char *item)
{
	return list ? xs_print(arena, "%s, %s", list, item) : item;
}

const char *xs_arena_join_once(struct xs_arena *arena, const char *list,
			       const char *item)
{
	const size_t bytes = item ? strlen(item) : 0;

	for (const char *at = list; at && item;) {
		if (strncmp(at, item, bytes) == 0 &&
		    (!at[bytes] || strncmp(at + bytes, ", ", 2) == 0))
			return list;
		at = strstr(at, ", ");
		at = at ? at + 2 : NULL;
	}
	return item ? xs_arena_join(arena, list, item) : list;
}
