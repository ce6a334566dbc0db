/* SPDX-License-Identifier: MIT */
/* The records of a call. */
#ifndef XS_PRELOAD_RECORD_EMIT_H
#define XS_PRELOAD_RECORD_EMIT_H

#include "preload/record/count.h"
#include "preload/sampling/capture_mode.h"
#include "preload/trace/thread.h"

struct xs_span {
	uint32_t site, correlation; /* numbers of the trace, and CUPTI's */
	uint64_t start_ns, end_ns;
};

/*
 * Records a call that has returned. Arguments of a call that failed may point
 * anywhere: they are not read, but for those of a question, which point
 * nowhere. Where there is no room but in the part of the trace that is for
 * counts, it is counted. The thread is open.
 */
void xs_emit(struct xs_thread *thread, const struct xs_ended_call *call,
	     const struct xs_span *span);

/* The same of a call that left its record alone, where the trace has no limit:
 * its class, and its arguments as they were; read before it, which may have
 * failed. */
void xs_emit_fast(struct xs_thread *thread, enum xs_call_class call_class,
		  const struct xs_event *event, cudaError_t error,
		  const struct xs_span *span);

/* Where that is asked for: see xs_emit_pending(). */
void xs_emit_note_pending(const struct xs_ended_call *call,
			  uint32_t correlation);

/* A call returned that is about to be recorded: says whether the device owes an
 * op (op_tracker.h), where only a part of the run is
 * recorded. correlation: 0 where it is not known.
 */
static inline void xs_emit_pending(const struct xs_ended_call *call,
				   uint32_t correlation)
{
	if (XS_UNLIKELY(!xs_capture_mode_is_whole))
		xs_emit_note_pending(call, correlation);
}

#endif
