/* SPDX-License-Identifier: MIT */
#include "report/timeline/lane_names.h"

struct xs_lanes_item *xs_timeline_host_lane(struct xs_lanes *lanes,
					    enum xs_result_lane_kind kind,
					    uint32_t thread)
{
	static const char *const parts[] = {"ranges", "calls", "waits",
					    "allocations"};
	struct xs_lanes_item *item =
	    xs_lanes_get(lanes, kind, xs_lanes_key(kind, thread));

	if (item && !item->lane.name)
		item->lane.name = xs_print(lanes->arena, "thread %u: %s",
					   thread, parts[kind]);
	return item;
}

struct xs_lanes_item *xs_timeline_range_lane(struct xs_lanes *lanes,
					     uint32_t thread, bool is_process,
					     unsigned depth)
{
	const uint64_t first =
	    xs_lanes_key(XS_LANE_RANGES, is_process ? 0 : thread);
	struct xs_lanes_item *item =
	    xs_lanes_get(lanes, XS_LANE_RANGES, first + depth);

	if (item && !item->lane.name)
		item->lane.name =
		    is_process
			? "process: NVTX"
			: xs_print(lanes->arena, "thread %u: NVTX", thread);
	return item;
}

unsigned xs_timeline_op_kind(const struct xs_step *step)
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

struct xs_lanes_item *xs_timeline_op_lane(struct xs_lanes *lanes,
					  const struct xs_trace *trace,
					  unsigned kind, uint32_t queue)
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

	if (item && !item->lane.name)
		item->lane.name = op_lane_name(lanes, trace, kind, in);
	return item;
}
