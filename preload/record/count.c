/* SPDX-License-Identifier: MIT */
#include "preload/record/count.h"
#include "preload/record/call_counter.h"
#include "preload/record/callsite_cache.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/sample_window.h"
#include "preload/util/hot.h"

/* Of a kind, counted and not recorded by a thread, before it is worth a window:
 * calls, or bytes, for few large copies may be most of a run. What happens once
 * is no change of what the program does. */
#define UNSEEN_CALLS 16
#define UNSEEN_BYTES (16u << 20)

static uint8_t direction_of(const struct xs_ended_call *call,
			    const struct xs_event *event)
{
	const uint8_t call_class = xs_functions[call->fn].call_class;

	/* a poll's is that there is nothing yet */
	return call->error != cudaSuccess && call_class != XS_CALL_POLL
		   ? XS_TALLY_FAILED
		   : xs_tally_direction(call_class, event->direction);
}

/* Of a site's calls, those of one size and direction; two sizes have the same
 * bit where one is 2^32 times the other. */
static uint64_t kind_bit(uint8_t size, uint8_t direction)
{
	unsigned bit = direction == XS_DIR_D2H ? size + 32u : size;

	return 1ull << bit % 64;
}

/* The next call of a launch that a hook sees at this place: a launch has no
 * size, no direction and no meaning for the recording itself. */
static void let_counted_pass(struct xs_thread *thread,
			     const struct xs_ended_call *call,
			     struct xs_rec_tally *record)
{
	const xs_real_fn real = (xs_real_fn)atomic_load_explicit(
	    &call->site->real, memory_order_acquire);
	struct xs_callsite *callsite = NULL;

	if (real && xs_functions[call->fn].call_class == XS_CALL_LAUNCH)
		callsite = xs_callsite_cache_keep(thread, call->fn,
						  call->address, real);
	if (callsite)
		callsite->record = record;
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
	struct xs_rec_tally *record =
	    xs_call_counter_count(thread, key, event->bytes);

	if (!record || call->walk_skipped ||
	    (record->calls < UNSEEN_CALLS && record->bytes < UNSEEN_BYTES))
		return;
	if (!(atomic_load_explicit(&call->site->recorded,
				   memory_order_relaxed) &
	      kind_bit(key.size, key.direction)))
		xs_capture_mode_note_unseen();
	else if (call->error == cudaSuccess)
		let_counted_pass(thread, call, record);
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

XS_HOT void xs_count_recorded(const struct xs_ended_call *call,
			      const struct xs_event *event)
{
	const uint64_t bit =
	    kind_bit(xs_tally_size(event->bytes), direction_of(call, event));

	if (!(atomic_load_explicit(&call->site->recorded,
				   memory_order_relaxed) &
	      bit))
		atomic_fetch_or(&call->site->recorded, bit);
}
