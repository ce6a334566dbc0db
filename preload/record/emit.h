/* SPDX-License-Identifier: MIT */
/* Writes the records of a call. */
#pragma once

#include "preload/record/count.h"
#include "preload/record/span.h"
#include "preload/sampling/capture_mode.h"
#include "preload/trace/thread.h"

/*
 * Records a call that has returned. Arguments of failed calls are not read,
 * since their pointers may be invalid, except for polls, whose arguments are no
 * pointers. If only the reserved part of the trace has space left, the call is
 * counted. The thread is open.
 */
void xs_emit(struct xs_thread *thread, const struct xs_ended_call *call,
	     const struct xs_span *span);

/* Like xs_emit(), for calls without further effects, in a trace without a
 * limit. *event has the arguments, read before the call, which may have
 * failed. */
void xs_emit_fast(struct xs_thread *thread, enum xs_call_class call_class,
		  const struct xs_event *event, cudaError_t error,
		  const struct xs_span *span);

/* Slow path of xs_emit_pending(). */
void xs_emit_note_pending(const struct xs_ended_call *call,
			  uint32_t correlation);

/* Call after a call returned and before it is recorded: tells the op tracker
 * whether an op is pending, if only a part of the run is recorded. correlation:
 * 0 if unknown. */
static inline void xs_emit_pending(const struct xs_ended_call *call,
				   uint32_t correlation)
{
	if (XS_UNLIKELY(!xs_capture_mode_is_whole))
		xs_emit_note_pending(call, correlation);
}
