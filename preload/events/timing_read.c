/* SPDX-License-Identifier: MIT */
/* Converts events to ops. The driver gives the time between two events in ms of
 * the GPU's clock. The time on the host's clock is known for anchors: events
 * that were recorded in an idle stream and seen to finish at once. */
#include "preload/events/timed.h"
#include "preload/events/timing.h"
#include "preload/sampling/op_filter.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"

/* The clocks drift by about 10 us per second; an anchor costs about 10 us. */
#define ANCHOR_EVERY_NS 100000000u
#define ANCHOR_AGAIN_NS 5000000u /* times the number of failures */
#define PATIENCE_NS	50000u
#define FIRST_PATIENCE_NS                                                      \
	1000000u /* without a first anchor there are no times */
#define GOOD_ERROR_NS 8000u
#define DRIFT	      50e-6

static _Atomic uint64_t worst_error_ns;

uint64_t xs_timing_error_ns(void)
{
	return atomic_load(&worst_error_ns);
}

/* Records an event and polls it until it is finished. Its time is between
 * both. */
static bool try_anchor(struct xs_timed_anchor *anchor, CUstream stream,
		       uint64_t until_ns)
{
	uint64_t begin_ns = xs_clock_realtime_ns(), seen_ns;
	CUresult result;

	if (!anchor->event &&
	    xs_event_api.create(&anchor->event, CU_EVENT_DEFAULT) !=
		CUDA_SUCCESS)
		return false;
	if (xs_event_api.record(anchor->event, stream) != CUDA_SUCCESS)
		return false;
	do {
		result = xs_event_api.query(anchor->event);
		seen_ns = xs_clock_realtime_ns();
	} while (result == CUDA_ERROR_NOT_READY && seen_ns < until_ns);
	anchor->error_ns = (seen_ns - begin_ns) / 2;
	anchor->at_ns = begin_ns + anchor->error_ns;
	return result == CUDA_SUCCESS;
}

/* Returns an anchor's error including drift: an old anchor may be worse than a
 * new one that took longer. */
static uint64_t error_at(const struct xs_timed_anchor *anchor, uint64_t now_ns)
{
	return anchor->error_ns +
	       (uint64_t)(DRIFT * (double)(now_ns - anchor->at_ns));
}

/* Sets an anchor, and keeps it if it is better than the current one. Returns
 * whether the current one is good. */
static bool set_anchor(struct xs_timed_context *context, CUstream stream)
{
	const uint64_t now_ns = xs_clock_realtime_ns();
	const uint64_t until_ns =
	    now_ns + (context->anchored ? PATIENCE_NS : FIRST_PATIENCE_NS);
	const struct xs_timed_anchor *best;
	struct xs_timed_anchor *anchor;

	do {
		best = &context->anchors[context->newest];
		anchor = &context->anchors[!context->newest];
		if (!try_anchor(anchor, stream, until_ns))
			return false;
		if (!context->anchored ||
		    anchor->error_ns <= error_at(best, anchor->at_ns)) {
			context->newest = !context->newest;
			context->anchored = true;
			best = anchor;
		}
	} while (best->error_ns > GOOD_ERROR_NS &&
		 xs_clock_realtime_ns() < until_ns);
	return best->error_ns <= GOOD_ERROR_NS;
}

static void anchor_if_due(struct xs_timed_context *context, CUstream stream)
{
	uint64_t wait_ns = ANCHOR_EVERY_NS;

	if (xs_clock_realtime_ns() < context->next_anchor_ns ||
	    xs_timed_is_capturing(stream))
		return;
	if (set_anchor(context, stream))
		context->failures = 0;
	else if (++context->failures * ANCHOR_AGAIN_NS < ANCHOR_EVERY_NS)
		wait_ns = context->failures * ANCHOR_AGAIN_NS;
	context->next_anchor_ns = xs_clock_realtime_ns() + wait_ns;
}

/* Nanoseconds between two events; negative if `to` was earlier. */
static bool between(CUevent from, CUevent to, int64_t *ns)
{
	float ms;

	if (xs_event_api.elapsed(&ms, from, to) != CUDA_SUCCESS)
		return false;
	*ns = (int64_t)((double)ms * 1e6);
	return true;
}

/* Computes the op's times on the host's clock, limited to what the host
 * observed. */
static bool find_times(struct xs_timed *timed)
{
	const struct xs_timed_queue *queue = timed->queue;
	const struct xs_timed_anchor *anchor =
	    &queue->context->anchors[queue->context->newest];
	struct xs_gpu_op *op = &timed->op;
	int64_t offset_ns, length_ns = 0;

	if (!between(anchor->event, timed->before, &offset_ns) ||
	    (!timed->ends_with_its_call &&
	     !between(timed->before, timed->after, &length_ns)))
		return false;
	if (anchor->error_ns > atomic_load(&worst_error_ns))
		atomic_store(&worst_error_ns, anchor->error_ns);
	op->start_ns = anchor->at_ns + (uint64_t)offset_ns;
	op->end_ns = timed->ends_with_its_call
			 ? timed->call_end_ns
			 : op->start_ns + (uint64_t)length_ns;
	if (op->start_ns < timed->call_start_ns)
		op->start_ns = timed->call_start_ns;
	if (op->start_ns < queue->last_end_ns)
		op->start_ns = queue->last_end_ns;
	if (op->end_ns < op->start_ns)
		op->end_ns = op->start_ns;
	return true;
}

static void write_op(struct xs_timed *timed)
{
	switch (timed->call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		if (xs_op_filter_wants(&timed->op))
			xs_gpu_records_copy(&timed->op);
		break;
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		if (xs_op_filter_wants(&timed->op))
			xs_gpu_records_set(&timed->op);
		break;
	default:
		if (xs_op_filter_wants(&timed->op))
			xs_gpu_records_kernel(&timed->op, NULL, &timed->shape);
		break;
	}
}

/* The caller has set context->reading. */
static void read_queue(struct xs_timed_queue *queue)
{
	struct xs_timed *timed;
	CUresult result;

	while ((timed = xs_timed_first(queue))) {
		result = xs_event_api.query(
		    timed->ends_with_its_call ? timed->before : timed->after);
		if (result == CUDA_ERROR_NOT_READY)
			return;
		if (!xs_timed_drop_first(queue))
			return;
		if (result == CUDA_SUCCESS && find_times(timed)) {
			queue->last_end_ns = timed->op.end_ns;
			write_op(timed);
		} else {
			xs_timed_count_untimed(1);
		}
		xs_timed_free(timed);
	}
}

void xs_timed_read_queue(struct xs_timed_queue *queue)
{
	struct xs_timed_context *context = queue->context;
	struct xs_guard guard;

	xs_guard_begin(&guard);
	if (!atomic_exchange(&context->reading, true)) {
		if (context->anchored)
			read_queue(queue);
		atomic_store(&context->reading, false);
	}
	xs_guard_end(&guard);
}

/* The caller has set context->reading. */
static void read_queues(struct xs_timed_context *context)
{
	struct xs_timed_queue *queue;

	for (uint32_t i = 0;
	     context->anchored && (queue = xs_timed_queue_at(i)); i++)
		if (queue->context == context)
			read_queue(queue);
}

void xs_timed_read_all(struct xs_timed_context *context, bool idle,
		       CUstream stream)
{
	struct xs_guard guard;

	xs_guard_begin(&guard);
	if (!atomic_exchange(&context->reading, true)) {
		if (idle)
			anchor_if_due(context, stream);
		read_queues(context);
		atomic_store(&context->reading, false);
	}
	xs_guard_end(&guard);
}
