/* SPDX-License-Identifier: MIT */
/* The halves of a hook, and the short way between them: passed.h. */
#include "preload/callstack/callstack.h"
#include "preload/hooks/call.h"
#include "preload/record/callsite_cache.h"
#include "preload/record/copy_probe.h"
#include "preload/record/count.h"
#include "preload/record/emit.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

#include <errno.h>

/*
 * Whether nothing is looked at around it, as is around larger copies (ahead.h);
 * larger sets go with them.
 */
static bool is_small(struct xs_open_call *call,
		     const struct xs_callsite *callsite, const void *arguments)
{
	if (!callsite->fill)
		return true;
	callsite->fill(arguments, &call->event);
	return call->event.bytes < XS_COPY_PROBE_LEAST_BYTES;
}

/* It may not go the short way, after all. */
static xs_real_fn go_long(struct xs_thread *thread, struct xs_open_call *call,
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
		return go_long(thread, call, arguments);
	call->detail = XS_DETAIL_RECORDED;
	call->site = callsite->site;
	call->call_class = callsite->call_class;
	thread->recorded = true;
	call->start_ns = xs_clock_realtime_ns();
	return real;
}

static xs_real_fn begin_counted(struct xs_thread *thread,
				struct xs_open_call *call,
				const struct xs_callsite *callsite,
				const void *arguments)
{
	if (!callsite->record)
		return go_long(thread, call, arguments);
	call->detail = XS_DETAIL_COUNTED;
	call->record = callsite->record;
	xs_capture_mode_count_call(thread);
	return callsite->real;
}

/*
 * Nothing is looked up, and nothing changes errno. What is known of the place
 * is read here alone: a call of a signal's handler may put another one into its
 * slot, but not while the thread is inside.
 */
static xs_real_fn pass(struct xs_thread *thread, struct xs_open_call *call,
		       const void *arguments)
{
	const struct xs_callsite *callsite;
	int detail;

	xs_thread_begin_hook(thread, call);
	callsite = xs_callsite_cache_find(thread, call->fn, call->address);
	if (!callsite)
		return go_long(thread, call, arguments);
	detail =
	    atomic_load_explicit(&xs_capture_mode_now, memory_order_acquire);
	thread->correlation = 0;
	thread->per_thread = callsite->per_thread;
	call->thread = thread;
	call->is_fast = true;
	if (detail == XS_DETAIL_RECORDED)
		return begin_recorded(thread, call, callsite, arguments);
	if (detail == XS_DETAIL_COUNTED)
		return begin_counted(thread, call, callsite, arguments);
	return go_long(thread, call, arguments);
}

static bool may_pass(const struct xs_thread *thread)
{
	return thread->callsites && !thread->busy &&
	       !xs_thread_in_hook(thread) && xs_session_is_recording();
}

XS_HOT xs_real_fn xs_call_begin(struct xs_open_call *call, enum xs_function fn,
				const void *return_address,
				const void *arguments)
{
	struct xs_thread *thread = xs_thread_get();

	call->fn = fn;
	call->address = (uintptr_t)return_address;
	return may_pass(thread) ? pass(thread, call, arguments)
				: xs_call_begin_slow(thread, call, arguments);
}

XS_COLD static void count_failed(const struct xs_open_call *callsite,
				 uint32_t correlation, cudaError_t error,
				 const void *arguments)
{
	struct xs_thread *thread = callsite->thread;
	const int kept_errno = errno;
	const struct xs_ended_call call = {
	    .fn = callsite->fn,
	    .site = xs_site_find(callsite->fn, callsite->address, 0),
	    .address = callsite->address,
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
	call->record->calls++;
}

XS_HOT XS_NOINLINE static void end_recorded(const struct xs_open_call *call,
					    cudaError_t error)
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
	}
	thread->busy = false;
	errno = kept_errno;
}

XS_HOT void xs_call_end(struct xs_open_call *call, cudaError_t error,
			const void *arguments)
{
	if (!call->is_fast)
		xs_call_end_slow(call, error, arguments);
	else if (call->detail == XS_DETAIL_COUNTED)
		end_counted(call, error, arguments);
	else
		end_recorded(call, error);
}
