/* SPDX-License-Identifier: MIT */
#include "preload/sampling/op_filter.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/session.h"

#include <stdatomic.h>

static atomic_uint counted; /* launches whose op without times is to come */

void xs_op_filter_note_counted(void)
{
	atomic_fetch_add(&counted, 1);
}

static bool is_counted(void)
{
	unsigned left = atomic_load(&counted);

	while (left && !atomic_compare_exchange_weak(&counted, &left, left - 1))
		;
	return left != 0;
}

bool xs_op_filter_wants(const struct xs_gpu_op *op)
{
	xs_op_tracker_note_op(op->correlation);
	if (!xs_capture_mode_is_whole)
		xs_op_tracker_op_arrived(op->correlation);
	if (xs_sample_window_is_past(op->correlation))
		return false;
	if (op->start_ns && op->end_ns)
		return true;
	if (!xs_sample_window_has_all() && !is_counted())
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_OPS, 1);
	return false;
}
