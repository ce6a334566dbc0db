/* SPDX-License-Identifier: MIT */
/* A binary min-heap of (key, id), ordered by key, then by id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_heap_item {
	double key;
	uint64_t id;
};

struct xs_heap {
	struct xs_heap_item *items; /* owned; items[0] is the smallest */
	size_t count, room;
};

void xs_heap_push(struct xs_heap *heap, double key, uint64_t id);
/* Removes and returns the smallest item. The heap must not be empty. */
struct xs_heap_item xs_heap_pop(struct xs_heap *heap);
void xs_heap_free(struct xs_heap *heap);
