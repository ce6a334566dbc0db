/* SPDX-License-Identifier: MIT */
#include "report/timeline/lanes.h"

#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

uint64_t xs_lanes_key(enum xs_result_lane_kind kind, uint64_t owner)
{
	if (kind < XS_LANE_COPIES)
		return (owner << 2 | kind) * XS_LANES_DEPTHS;
	return (uint64_t)kind << 60 | owner;
}

static struct xs_lanes_item *add_lane(struct xs_lanes *lanes)
{
	if (XS_ARRAY_ADD(lanes->items, lanes->count,
			 (struct xs_lanes_item){0})) {
		lanes->arena->failed = true;
		return NULL;
	}
	lanes->last = lanes->count - 1;
	return &lanes->items[lanes->last];
}

struct xs_lanes_item *xs_lanes_get(struct xs_lanes *lanes,
				   enum xs_result_lane_kind kind, uint64_t key)
{
	struct xs_lanes_item *item;

	if (lanes->last < lanes->count && lanes->items[lanes->last].key == key)
		return &lanes->items[lanes->last];
	for (size_t i = 0; i < lanes->count; i++) {
		if (lanes->items[i].key == key) {
			lanes->last = i;
			return &lanes->items[i];
		}
	}
	item = add_lane(lanes);
	if (item) {
		item->key = key;
		item->lane.kind = kind;
	}
	return item;
}

void xs_lanes_add(struct xs_lanes *lanes, struct xs_lanes_item *item,
		  const struct xs_result_slice *slice)
{
	if (item && XS_ARRAY_ADD(item->lane.slices, item->lane.count, *slice))
		lanes->arena->failed = true;
}

static int by_key(const void *a, const void *b)
{
	const struct xs_lanes_item *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

static int by_start(const void *a, const void *b)
{
	const struct xs_result_slice *left = a, *right = b;

	return (left->start_ns > right->start_ns) -
	       (left->start_ns < right->start_ns);
}

static void sort_slices(struct xs_result_lane *lane)
{
	for (size_t i = 1; i < lane->count; i++) {
		if (by_start(&lane->slices[i - 1], &lane->slices[i]) > 0) {
			qsort(lane->slices, lane->count, sizeof(*lane->slices),
			      by_start);
			return;
		}
	}
}

/* Returns a lane whose slices the arena owns. */
static struct xs_result_lane move(struct xs_lanes *lanes,
				  struct xs_result_lane lane)
{
	const size_t bytes = lane.count * sizeof(*lane.slices);
	struct xs_result_slice *slices =
	    xs_arena_alloc(lanes->arena, lane.count, sizeof(*lane.slices));

	sort_slices(&lane);
	if (slices && lane.count)
		memcpy(slices, lane.slices, bytes);
	free(lane.slices);
	lane.slices = slices;
	return lane;
}

void xs_lanes_finish(struct xs_lanes *lanes, struct xs_result_view *view)
{
	XS_ARENA_NEW(lanes->arena, view->lanes, lanes->count);
	if (lanes->count)
		qsort(lanes->items, lanes->count, sizeof(*lanes->items),
		      by_key);
	for (size_t i = 0; i < lanes->count; i++) {
		struct xs_result_lane lane = move(lanes, lanes->items[i].lane);

		if (view->lanes)
			view->lanes[view->lane_count++] = lane;
	}
	free(lanes->items);
	lanes->items = NULL;
	lanes->count = 0;
}
