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
	XS_ARRAY_ADD(lanes->items, lanes->count, (struct xs_lanes_item){0});
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
	item->key = key;
	item->lane.kind = kind;
	return item;
}

void xs_lanes_add(struct xs_lanes_item *item,
		  const struct xs_result_slice *slice)
{
	XS_ARRAY_ADD(item->lane.slices, item->lane.count, *slice);
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
	if (lane.count)
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
	for (size_t i = 0; i < lanes->count; i++)
		view->lanes[view->lane_count++] =
		    move(lanes, lanes->items[i].lane);
	free(lanes->items);
	lanes->items = NULL;
	lanes->count = 0;
}

struct xs_lanes_item *xs_lanes_host(struct xs_lanes *lanes,
				    enum xs_result_lane_kind kind,
				    uint32_t thread)
{
	static const char *const parts[] = {"ranges", "calls", "waits",
					    "allocations"};
	struct xs_lanes_item *item =
	    xs_lanes_get(lanes, kind, xs_lanes_key(kind, thread));

	if (!item->lane.name)
		item->lane.name = xs_print(lanes->arena, "thread %u: %s",
					   thread, parts[kind]);
	return item;
}

struct xs_lanes_item *xs_lanes_range(struct xs_lanes *lanes, uint32_t thread,
				     bool is_process, unsigned depth)
{
	const uint64_t first =
	    xs_lanes_key(XS_LANE_RANGES, is_process ? 0 : thread);
	struct xs_lanes_item *item =
	    xs_lanes_get(lanes, XS_LANE_RANGES, first + depth);

	if (!item->lane.name)
		item->lane.name =
		    is_process
			? "process: NVTX"
			: xs_print(lanes->arena, "thread %u: NVTX", thread);
	return item;
}

unsigned xs_lanes_op_kind(const struct xs_step *step)
{
	static const unsigned kinds[XS_STEP_KERNEL + 1] = {
	    [XS_STEP_H2D] = XS_OP_H2D, [XS_STEP_D2H] = XS_OP_D2H,
	    [XS_STEP_D2D] = XS_OP_D2D, [XS_STEP_H2H] = XS_OP_H2H,
	    [XS_STEP_SET] = XS_OP_SET, [XS_STEP_KERNEL] = XS_OP_KERNEL};

	return step->kind <= XS_STEP_KERNEL ? kinds[step->kind] : XS_OP_KINDS;
}

/* " of GPU 1", if there are several. */
static const char *of_device(struct xs_lanes *lanes,
			     const struct xs_trace *trace, unsigned device)
{
	return trace->device_count < 2
		   ? ""
		   : xs_print(lanes->arena, " of GPU %u", device);
}

static const char *op_lane_name(struct xs_lanes *lanes,
				const struct xs_trace *trace, unsigned kind,
				const struct xs_queue *queue)
{
	static const char *const names[XS_OP_KINDS] = {
	    "copies in",	  "copies out", "copies on the device",
	    "copies on the host", "sets",	NULL,
	    "copies between GPUs"};
	const char *device = of_device(lanes, trace, queue->device);

	if (kind != XS_OP_KERNEL)
		return xs_print(lanes->arena, "%s%s", names[kind], device);
	return xs_print(lanes->arena, "kernels, stream %u%s", queue->stream,
			device);
}

struct xs_lanes_item *xs_lanes_op(struct xs_lanes *lanes,
				  const struct xs_trace *trace, unsigned kind,
				  uint32_t queue)
{
	static const struct xs_queue unknown;
	const struct xs_queue *in =
	    queue < trace->queue_count ? &trace->queues[queue] : &unknown;
	const enum xs_result_lane_kind lane =
	    kind == XS_OP_KERNEL ? XS_LANE_KERNELS : XS_LANE_COPIES;
	const uint64_t owner =
	    (uint64_t)in->device << 32 | (kind == XS_OP_KERNEL ? queue : kind);
	struct xs_lanes_item *item =
	    xs_lanes_get(lanes, lane, xs_lanes_key(lane, owner));

	if (!item->lane.name)
		item->lane.name = op_lane_name(lanes, trace, kind, in);
	return item;
}
