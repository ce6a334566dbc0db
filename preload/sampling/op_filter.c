/* SPDX-License-Identifier: MIT */
#include "preload/sampling/op_filter.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/session.h"

#include <stdatomic.h>

/* Correlation ids of counted launches whose op without times is to come. Few
 * are at the same time. */
#define COUNTED_SLOTS 256u
static _Atomic uint32_t counted[COUNTED_SLOTS]; /* 0: none */

void xs_op_filter_note_counted(uint32_t correlation)
{
	atomic_store(&counted[correlation % COUNTED_SLOTS], correlation);
}

static bool is_counted(uint32_t correlation)
{
	uint32_t expected = correlation;

	return correlation &&
	       atomic_compare_exchange_strong(
		   &counted[correlation % COUNTED_SLOTS], &expected, 0);
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
	if (!xs_sample_window_has_all() && !is_counted(op->correlation))
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_OPS, 1);
	return false;
}
