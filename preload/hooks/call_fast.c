/* SPDX-License-Identifier: MIT */
/*
 * Start and end of a hooked call, and the fast path: calls of known call sites
 * (record/callsite_cache.h).
 *
 * Without the fast path a launch takes 31 ns more of 4,231 (49 ns in quiet
 * moments), a copy of 4 KiB 140 ns more of 2,040 (33 ns), and a launch with a
 * wait 118 ns more of 9,171 (39 ns). Light mode counts by it. (H200, CUDA 13.0,
 * medians of ten runs of each, 2026-11-23.)
 */
#include "preload/callstack/callstack.h"
#include "preload/hooks/call.h"
#include "preload/record/callsite_cache.h"
#include "preload/record/copy_probe.h"
#include "preload/record/count.h"
#include "preload/record/emit.h"
#include "preload/record/launch_pointers.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

#include <errno.h>

/* Returns whether the call needs no copy probe, as larger copies do
 * (record/copy_probe.h). Larger sets are treated alike. */
static bool is_small(struct xs_open_call *call,
		     const struct xs_callsite *callsite, const void *arguments)
{
	if (!callsite->fill)
		return true;
	callsite->fill(arguments, &call->event);
	return call->event.bytes < XS_COPY_PROBE_MIN_BYTES;
}

/* Leaves the fast path after it was entered. */
static xs_real_fn fall_back(struct xs_thread *thread, struct xs_open_call *call,
			    const void *arguments)
{
	atomic_store_explicit(&thread->in_hook, false, memory_order_release);
	return xs_call_begin_slow(thread, call, arguments);
}

XS_HOT XS_NOINLINE static xs_real_fn
begin_recorded(struct xs_thread *thread, struct xs_open_call *call,
	       const struct xs_callsite *callsite, const void *arguments)
{
	const xs_real_fn real = callsite->real;

	if (!callsite->site || !is_small(call, callsite, arguments))
		return fall_back(thread, call, arguments);
	call->mode = XS_CAPTURE_RECORDED;
	call->site = callsite->site;
	call->call_class = callsite->call_class;
	thread->launched = NULL;
	thread->recorded = true;
	call->start_ns = xs_clock_realtime_ns();
	return real;
}

static xs_real_fn begin_counted(struct xs_thread *thread,
				struct xs_open_call *call,
				const struct xs_callsite *callsite,
				const void *arguments)
{
	if (!callsite->counter)
		return fall_back(thread, call, arguments);
	call->mode = XS_CAPTURE_COUNTED;
	call->counter = callsite->counter;
	return callsite->real;
}

/* Looks nothing up and does not change errno. The call site is read only here:
 * a call in a signal handler may replace its slot, but not while the thread is
 * inside a hook. */
static xs_real_fn begin_fast(struct xs_thread *thread,
			     struct xs_open_call *call, const void *arguments)
{
	const struct xs_callsite *callsite;
	int mode;

	call->thread = thread;
	xs_thread_begin_hook(thread, call);
	callsite = xs_callsite_cache_find(thread, call->fn, call->address);
	if (!callsite)
		return fall_back(thread, call, arguments);
	mode = atomic_load_explicit(&xs_capture_mode_now, memory_order_acquire);
	thread->correlation = 0;
	thread->per_thread = callsite->per_thread;
	call->is_fast = true;
	if (mode == XS_CAPTURE_RECORDED)
		return begin_recorded(thread, call, callsite, arguments);
	if (mode == XS_CAPTURE_COUNTED)
		return begin_counted(thread, call, callsite, arguments);
	return fall_back(thread, call, arguments);
}

static bool can_use_fast_path(const struct xs_thread *thread)
{
	return thread->callsites && !xs_thread_is_inside(thread) &&
	       xs_session_is_recording();
}

XS_HOT xs_real_fn xs_call_begin(struct xs_open_call *call, enum xs_function fn,
				const void *return_address,
				const void *arguments)
{
	struct xs_thread *thread = xs_thread_get();

	call->fn = fn;
	call->address = (uintptr_t)return_address;
	return can_use_fast_path(thread)
		   ? begin_fast(thread, call, arguments)
		   : xs_call_begin_slow(thread, call, arguments);
}

XS_COLD static void count_failed(const struct xs_open_call *open,
				 uint32_t correlation, cudaError_t error,
				 const void *arguments)
{
	struct xs_thread *thread = open->thread;
	const int kept_errno = errno;
	const struct xs_ended_call call = {
	    .fn = open->fn,
	    .site = xs_site_find(open->fn, open->address, 0),
	    .address = open->address,
	    .error = error,
	    .arguments = arguments};

	thread->busy = true;
	xs_count_call(thread, &call, correlation);
	thread->busy = false;
	errno = kept_errno;
}

static void end_counted(const struct xs_open_call *call, cudaError_t error,
			const void *arguments)
{
	struct xs_thread *thread = call->thread;
	const uint32_t correlation = thread->correlation;

	atomic_store_explicit(&thread->in_hook, false, memory_order_release);
	if (!xs_session_is_recording())
		return;
	if (error != cudaSuccess) {
		count_failed(call, correlation, error, arguments);
		return;
	}
	xs_sample_window_note_counted(correlation);
	call->counter->calls++;
}

static inline void note_pointers(const struct xs_open_call *call,
				 const void *arguments,
				 const struct xs_span *span)
{
	if (call->call_class == XS_CALL_LAUNCH)
		xs_launch_pointers_launch(call->thread, call->fn, arguments,
					  span);
	else if (call->call_class == XS_CALL_COPY ||
		 call->call_class == XS_CALL_COPY_ASYNC)
		xs_launch_pointers_copy(&call->event, span);
}

XS_HOT XS_NOINLINE static void end_recorded(const struct xs_open_call *call,
					    cudaError_t error,
					    const void *arguments)
{
	struct xs_thread *thread = call->thread;
	struct xs_span span = {.correlation = thread->correlation,
			       .start_ns = call->start_ns,
			       .end_ns = xs_clock_realtime_ns()};
	const int kept_errno = errno;

	thread->recorded = false;
	xs_thread_end_hook(thread);
	if (xs_session_is_recording()) {
		span.site = xs_callstack_hooked(thread, call->fn, call->site,
						call->address);
		xs_emit_fast(thread, (enum xs_call_class)call->call_class,
			     &call->event, error, &span);
		if (error == cudaSuccess && xs_launch_pointers_are_on())
			note_pointers(call, arguments, &span);
	}
	thread->busy = false;
	errno = kept_errno;
}

XS_HOT void xs_call_end(struct xs_open_call *call, cudaError_t error,
			const void *arguments)
{
	if (!call->is_fast)
		xs_call_end_slow(call, error, arguments);
	else if (call->mode == XS_CAPTURE_COUNTED)
		end_counted(call, error, arguments);
	else
		end_recorded(call, error, arguments);
}
