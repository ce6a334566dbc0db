/* SPDX-License-Identifier: MIT */
/* Effects of calls on the recording itself. */
#pragma once

#include "preload/api/functions.h"
#include "preload/cupti/graph_trace.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/thread.h"

/* Returns whether a call of `fn` that begins now is recorded, counted or
 * ignored; XS_CAPTURE_PAUSED: it must wait (cupti/pause.h). */
static inline enum xs_capture xs_call_effects_mode(struct xs_thread *thread,
						   enum xs_function fn)
{
	enum xs_capture mode = xs_capture_mode_take(thread);

	return mode == XS_CAPTURE_IGNORED && xs_function_marks_range(fn)
		   ? XS_CAPTURE_COUNTED
		   : mode;
}

/* Before the call: notes captures and launches of graphs. Captured work is not
 * executed by the captured calls. */
static inline void xs_call_effects_note_graph(enum xs_function fn,
					      const void *arguments)
{
	const uint8_t call_class = xs_functions[fn].call_class;

	if (call_class != XS_CALL_GRAPH_LAUNCH &&
	    call_class != XS_CALL_CAPTURE_BEGIN)
		return;
	xs_op_tracker_note_graph();
	if (call_class == XS_CALL_GRAPH_LAUNCH)
		xs_graph_trace_before_launch(arguments);
}

/* After the call: marks the range of XFERSPY_RANGE=profiler, and has the
 * migrations of managed memory recorded once there is any. */
void xs_call_effects_after(enum xs_function fn);
