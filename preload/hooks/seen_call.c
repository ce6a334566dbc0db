/* SPDX-License-Identifier: MIT */
#include "preload/hooks/seen_call.h"
#include "preload/callstack/callstack.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/call_effects.h"
#include "preload/record/copy_probe.h"
#include "preload/record/count.h"
#include "preload/record/emit.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

static struct xs_ended_call seen_call(const struct xs_seen_call *seen,
				      const struct xs_place *place)
{
	return (struct xs_ended_call){
	    .fn = seen->fn,
	    .site = xs_site_find(seen->fn, place->address, 0),
	    .address = place->address,
	    .walk_skipped = place->walk_skipped,
	    .unhooked = true,
	    .error = seen->error,
	    .arguments = seen->arguments};
}

/* *frame is the thread's address. */
static void begin_seen(struct xs_thread *thread,
		       struct xs_thread *const volatile *frame)
{
	thread->inside = (const void *)frame;
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = true;
	xs_lifecycle_call_returned();
	xs_thread_open(thread, &xs_session_trace);
}

XS_HOT void xs_seen_call_count(struct xs_thread *thread,
			       const struct xs_seen_call *seen)
{
	struct xs_thread *const volatile frame = thread;
	struct xs_place place;
	struct xs_ended_call call;

	begin_seen(thread, &frame);
	place = xs_callstack_counted(thread, seen->fn, seen->arguments);
	call = seen_call(seen, &place);
	xs_count_call(thread, &call, seen->correlation);
	xs_call_effects_after(seen->fn);
	thread->busy = false;
}

XS_HOT void xs_seen_call_record(struct xs_thread *thread,
				const struct xs_seen_call *seen)
{
	struct xs_span span = {.correlation = seen->correlation,
			       .start_ns = seen->start_ns,
			       .end_ns = xs_clock_realtime_ns()};
	struct xs_thread *const volatile frame = thread;
	struct xs_place place;
	struct xs_ended_call call;

	xs_copy_probe_end(&thread->copy_probe);
	begin_seen(thread, &frame);
	place = xs_callstack_seen(thread, seen->fn, seen->arguments);
	call = seen_call(seen, &place);
	span.site = place.site;
	xs_emit_pending(&call, span.correlation);
	xs_emit(thread, &call, &span);
	xs_call_effects_after(seen->fn);
	thread->busy = false;
}
