/* SPDX-License-Identifier: MIT */
#include "preload/record/count.h"
#include "preload/record/call_counter.h"
#include "preload/record/callsite_cache.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/session.h"
#include "preload/util/hot.h"

/*
 * A thread asks for a sample window after this many counted calls or bytes of a
 * kind that was never recorded. Bytes, too, since few large copies may be most
 * of a run. A single call does not mean that the program's behaviour changed.
 */
#define UNSEEN_CALLS 16
#define UNSEEN_BYTES (16u << 20)

static uint8_t direction_of(const struct xs_ended_call *call,
			    const struct xs_event *event)
{
	const uint8_t call_class = xs_functions[call->fn].call_class;

	/* a poll's error means: not ready */
	return call->error != cudaSuccess && call_class != XS_CALL_POLL
		   ? XS_TALLY_FAILED
		   : xs_tally_direction(call_class, event->direction);
}

/* Bit of a size and direction in a site's mask of recorded kinds. Two sizes
 * share a bit if one is 2^32 times the other. */
static uint64_t recorded_bit(uint8_t size, uint8_t direction)
{
	unsigned bit = direction == XS_DIR_D2H ? size + 32u : size;

	return 1ull << bit % 64;
}

/* Lets further launches of this hooked site take the fast path: a launch has no
 * size, no direction and no effect on the recording. */
static void cache_counted_callsite(struct xs_thread *thread,
				   const struct xs_ended_call *call,
				   struct xs_rec_tally *record)
{
	const xs_real_fn real = (xs_real_fn)atomic_load_explicit(
	    &call->site->real, memory_order_acquire);
	struct xs_callsite *callsite = NULL;

	if (real && xs_functions[call->fn].call_class == XS_CALL_LAUNCH)
		callsite = xs_callsite_cache_add(thread, call->fn,
						 call->address, real);
	if (callsite)
		callsite->counter = record;
}

XS_HOT void xs_count_event(struct xs_thread *thread,
			   const struct xs_ended_call *call,
			   const struct xs_event *event)
{
	const struct xs_call_counter_key key = {
	    .site = xs_site_id(call->site, &thread->writer, call->fn,
			       call->address, 0),
	    .size = xs_tally_size(event->bytes),
	    .direction = direction_of(call, event),
	};
	struct xs_rec_tally *record = NULL;

	if (key.site)
		record = xs_call_counter_count(thread, key, event->bytes);
	else /* no space for the function's name */
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);

	if (!record || call->walk_skipped ||
	    (record->calls < UNSEEN_CALLS && record->bytes < UNSEEN_BYTES))
		return;
	if (xs_capture_mode_records_again() &&
	    !(xs_relaxed(&call->site->recorded) &
	      recorded_bit(key.size, key.direction)))
		xs_capture_mode_note_unseen();
	else if (call->error == cudaSuccess)
		cache_counted_callsite(thread, call, record);
}

XS_HOT void xs_count_call(struct xs_thread *thread,
			  const struct xs_ended_call *call,
			  uint32_t correlation)
{
	struct xs_event event = {0};

	xs_sample_window_note_counted(correlation);
	if (call->error == cudaSuccess)
		xs_functions[call->fn].fill(call->arguments, &event);
	xs_count_event(thread, call, &event);
}

XS_COLD static void note_new_kind(struct xs_thread *thread,
				  const struct xs_ended_call *call,
				  uint32_t site)
{
	struct xs_rec_unhooked record = {XS_RECORD(unhooked), .site = site};

	xs_capture_mode_note_new_kind();
	if (call->unhooked && !xs_capture_mode_is_whole &&
	    xs_writer_plain(&thread->writer, &record, NULL, 0))
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS, 1);
}

XS_HOT void xs_count_recorded(struct xs_thread *thread,
			      const struct xs_ended_call *call,
			      const struct xs_event *event, uint32_t site)
{
	const uint64_t bit = recorded_bit(xs_tally_size(event->bytes),
					  direction_of(call, event));

	if (!(xs_relaxed(&call->site->recorded) & bit) &&
	    !(atomic_fetch_or(&call->site->recorded, bit) & bit))
		note_new_kind(thread, call, site);
}
