/* SPDX-License-Identifier: MIT */
#include "preload/hooks/call.h"
#include "preload/callstack/callstack.h"
#include "preload/core/lifecycle.h"
#include "preload/cupti/pause.h"
#include "preload/events/timing.h"
#include "preload/hooks/call_effects.h"
#include "preload/hooks/cupti_callback.h"
#include "preload/record/abandoned_call.h"
#include "preload/record/callsite_cache.h"
#include "preload/record/copy_probe.h"
#include "preload/record/count.h"
#include "preload/record/emit.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/capture_mode.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

#include <errno.h>

XS_COLD static xs_real_fn resolve(struct xs_site_slot *site,
				  enum xs_function fn, uintptr_t address)
{
	const xs_real_fn real = xs_real_resolve(fn, address);

	if (xs_site_is_known(site))
		atomic_store_explicit(&site->real, (uintptr_t)real,
				      memory_order_release);
	return real;
}

static xs_real_fn real_of(struct xs_site_slot *site, enum xs_function fn,
			  uintptr_t address)
{
	const uintptr_t real =
	    atomic_load_explicit(&site->real, memory_order_acquire);

	return real ? (xs_real_fn)real : resolve(site, fn, address);
}

static enum xs_capture enter(struct xs_thread *thread,
			     struct xs_open_call *call, enum xs_function fn)
{
	enum xs_capture mode;

	xs_call_origin_note_hooked();
	xs_thread_open(thread, &xs_session_trace);
	call->thread = thread;
	for (;;) {
		xs_thread_begin_hook(thread, call);
		mode = xs_call_effects_mode(thread, fn);
		if (!XS_UNLIKELY((int)mode == XS_CAPTURE_PAUSED))
			break;
		atomic_store_explicit(&thread->in_hook, false,
				      memory_order_release);
		xs_pause_wait();
	}
	if (mode == XS_CAPTURE_IGNORED) {
		xs_relaxed_set(&thread->in_hook, false);
		call->thread = NULL;
	}
	return mode;
}

XS_HOT xs_real_fn xs_call_begin_slow(struct xs_thread *thread,
				     struct xs_open_call *call,
				     const void *arguments)
{
	const enum xs_function fn = call->fn;
	int kept_errno = errno;
	xs_real_fn real;

	call->mode = XS_CAPTURE_IGNORED;
	call->thread = NULL;
	call->is_fast = false;
	call->timed = NULL;
	call->site = xs_site_find(fn, call->address, 0);
	real = real_of(call->site, fn, call->address);
	xs_call_effects_note_graph(fn, arguments);
	if ((!xs_thread_is_inside(thread) ||
	     xs_abandoned_call_drop(thread, call)) &&
	    xs_lifecycle_ensure(thread, xs_cupti_callback_get()))
		call->mode = enter(thread, call, fn);
	if (call->mode != XS_CAPTURE_IGNORED) {
		thread->correlation = 0;
		thread->launched = NULL;
		thread->per_thread = xs_functions[fn].per_thread;
		if (XS_UNLIKELY(xs_timing_is_on))
			xs_timing_begin(call, arguments);
	}
	if (call->mode == XS_CAPTURE_RECORDED) {
		thread->recorded = true;
		xs_copy_probe_begin(&thread->copy_probe, fn, arguments);
	}
	errno = kept_errno;
	if (call->mode == XS_CAPTURE_RECORDED)
		call->start_ns = xs_clock_realtime_ns();
	return real;
}

static void record(const struct xs_open_call *open,
		   const struct xs_ended_call *call, uint64_t end_ns)
{
	const struct xs_span span = {
	    .site = xs_callstack_hooked(open->thread, call->fn, call->site,
					call->address),
	    .correlation = open->thread->correlation,
	    .start_ns = open->start_ns,
	    .end_ns = end_ns};

	xs_emit(open->thread, call, &span);
}

/* Returns whether calls of the function may take the fast path: their record is
 * their only effect, and their arguments can be read before the real call, even
 * if it will fail. */
static bool supports_fast_path(enum xs_function fn)
{
	switch (xs_functions[fn].call_class) {
	case XS_CALL_LAUNCH:
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_SYNC_DEVICE:
	case XS_CALL_SYNC_STREAM:
	case XS_CALL_SYNC_EVENT:
	case XS_CALL_EVENT_RECORD:
	case XS_CALL_STREAM_WAIT:
		return true;
	default:
		return xs_copy_probe_is_linear(fn) && !xs_copy_probe_hashes();
	}
}

/* Lets the next call of this site take the fast path. */
XS_COLD static void cache_recorded_callsite(const struct xs_open_call *call)
{
	struct xs_callsite *callsite = NULL;

	if (supports_fast_path(call->fn) && xs_site_is_known(call->site))
		callsite = xs_callsite_cache_add(
		    call->thread, call->fn, call->address,
		    real_of(call->site, call->fn, call->address));
	if (callsite)
		callsite->site = call->site;
}

XS_HOT void xs_call_end_slow(struct xs_open_call *call, cudaError_t error,
			     const void *arguments)
{
	const struct xs_ended_call returned = {.fn = call->fn,
					       .site = call->site,
					       .address = call->address,
					       .error = error,
					       .arguments = arguments};
	struct xs_thread *thread = call->thread;
	bool recorded = call->mode == XS_CAPTURE_RECORDED;
	uint64_t end_ns = recorded ? xs_clock_realtime_ns() : 0;
	int kept_errno = errno;

	thread->recorded = false;
	if (recorded) {
		xs_copy_probe_end(&thread->copy_probe);
		/* before CUPTI may be detached again */
		xs_emit_pending(&returned, thread->correlation);
	}
	xs_thread_end_hook(thread);
	/* The call may have been the application's last: another thread may
	 * have exited, or the call forked. */
	if (!xs_session_is_recording())
		goto out;
	xs_lifecycle_call_returned();
	xs_thread_open(thread, &xs_session_trace);
	if (XS_UNLIKELY(xs_timing_is_on))
		xs_timing_end(call, end_ns, error, arguments);
	if (recorded)
		record(call, &returned, end_ns);
	else
		xs_count_call(thread, &returned, thread->correlation);
	xs_call_effects_after(call->fn);
	if (xs_capture_mode_is_whole && thread->named && error == cudaSuccess &&
	    !xs_timing_is_on)
		cache_recorded_callsite(call);
out:
	thread->busy = false;
	errno = kept_errno;
}
