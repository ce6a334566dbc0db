/* SPDX-License-Identifier: MIT */
/* Collects the slices of a view by lane. */
#pragma once

#include "report/result/arena.h"
#include "report/result/timeline.h"

/* A lane, whose slices are owned until the end. */
struct xs_lanes_item {
	uint64_t key;
	struct xs_result_lane lane;
};

/* Set the arena; the rest of it has to be zero. */
struct xs_lanes {
	struct xs_arena *arena;
	struct xs_lanes_item *items; /* owned */
	size_t count, last;
};

/* Key of a lane. Lanes are in its order: those of host threads first, then
 * those of devices. owner: number of the thread, or device and stream. The keys
 * of ranges leave room for XS_LANES_DEPTHS depths: add one to the key. */
#define XS_LANES_DEPTHS 16u
uint64_t xs_lanes_key(enum xs_result_lane_kind kind, uint64_t owner);

/* Returns the lane with the key, which is new if its name is NULL. Valid until
 * the next call. NULL without memory. */
struct xs_lanes_item *xs_lanes_get(struct xs_lanes *lanes,
				   enum xs_result_lane_kind kind, uint64_t key);

/* Adds a slice; nothing if item is NULL. Without memory, the arena has failed.
 */
void xs_lanes_add(struct xs_lanes *lanes, struct xs_lanes_item *item,
		  const struct xs_result_slice *slice);

/* Moves all lanes, in order, to the view, and frees the rest. */
void xs_lanes_finish(struct xs_lanes *lanes, struct xs_result_view *view);
