/* SPDX-License-Identifier: MIT */
#include "model/replay/heap.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

static bool before(struct xs_heap_item a, struct xs_heap_item b)
{
	return a.key < b.key || (a.key == b.key && a.id < b.id);
}

void xs_heap_push(struct xs_heap *heap, double key, uint64_t id)
{
	const struct xs_heap_item item = {key, id};
	struct xs_heap_item *grown;
	size_t at, room;

	if (heap->count == heap->room) {
		room = heap->room ? 2 * heap->room : 64;
		grown = xs_realloc(heap->items, room * sizeof(*grown));
		heap->items = grown;
		heap->room = room;
	}
	at = heap->count++;
	while (at && before(item, heap->items[(at - 1) / 2])) {
		heap->items[at] = heap->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->items[at] = item;
}

struct xs_heap_item xs_heap_pop(struct xs_heap *heap)
{
	const struct xs_heap_item top = heap->items[0];
	const struct xs_heap_item last = heap->items[--heap->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    before(heap->items[child + 1], heap->items[child]))
			child++;
		if (!before(heap->items[child], last))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
	return top;
}

void xs_heap_free(struct xs_heap *heap)
{
	free(heap->items);
	memset(heap, 0, sizeof(*heap));
}
