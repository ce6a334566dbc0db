/* SPDX-License-Identifier: MIT */
/* Collects the slices of a view by lane. */
#pragma once

#include "analyzer/rounds/phase.h"
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
 * the next call. */
struct xs_lanes_item *xs_lanes_get(struct xs_lanes *lanes,
				   enum xs_result_lane_kind kind, uint64_t key);

void xs_lanes_add(struct xs_lanes_item *item,
		  const struct xs_result_slice *slice);

/* Moves all lanes, in order, to the view, and frees the rest. */
void xs_lanes_finish(struct xs_lanes *lanes, struct xs_result_view *view);

/* Return the lane of a part of a host thread, of the copies of a kind, of the
 * kernels of a stream. */
struct xs_lanes_item *xs_lanes_host(struct xs_lanes *lanes,
				    enum xs_result_lane_kind kind,
				    uint32_t thread);
struct xs_lanes_item *xs_lanes_op(struct xs_lanes *lanes,
				  const struct xs_trace *trace, unsigned kind,
				  uint32_t queue);

/* Returns the lane of a thread's NVTX ranges that lie in so many others, below
 * XS_LANES_DEPTHS; of those of the process, if is_process. */
struct xs_lanes_item *xs_lanes_range(struct xs_lanes *lanes, uint32_t thread,
				     bool is_process, unsigned depth);

/* Returns the enum xs_op_kind of the step's op, XS_OP_KINDS if it has none. */
unsigned xs_lanes_op_kind(const struct xs_step *step);
