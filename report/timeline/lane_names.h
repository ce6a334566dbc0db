/* SPDX-License-Identifier: MIT */
/* The lanes of host threads, copies and streams. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "report/timeline/lanes.h"

/* Return the lane of a part of a host thread, of the copies of a kind, of the
 * kernels of a stream; NULL without memory. */
struct xs_lanes_item *xs_timeline_host_lane(struct xs_lanes *lanes,
					    enum xs_result_lane_kind kind,
					    uint32_t thread);
struct xs_lanes_item *xs_timeline_op_lane(struct xs_lanes *lanes,
					  const struct xs_trace *trace,
					  unsigned kind, uint32_t queue);

/* Returns the lane of a thread's NVTX ranges that lie in so many others, below
 * XS_LANES_DEPTHS; of those of the process, if is_process. */
struct xs_lanes_item *xs_timeline_range_lane(struct xs_lanes *lanes,
					     uint32_t thread, bool is_process,
					     unsigned depth);

/* Returns the enum xs_op_kind of the step's op, XS_OP_KINDS if it has none. */
unsigned xs_timeline_op_kind(const struct xs_step *step);
