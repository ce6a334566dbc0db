/* SPDX-License-Identifier: MIT */
/* The callback of CUPTI: correlation ids of hooked calls, and calls that hooks
 * do not see. */
#include "preload/hooks/cupti_callback.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_share.h"
#include "preload/cupti/graph_trace.h"
#include "preload/hooks/call_effects.h"
#include "preload/hooks/seen_call.h"
#include "preload/record/abandoned_call.h"
#include "preload/record/copy_probe.h"
#include "preload/record/kernel_layout.h"
#include "preload/record/launch_pointers.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/sample_window.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

#include <errno.h>

/* Values of a call's correlationData; others are its start. */
#define IGNORED 0u
#define COUNTED 1u

static void note_stream(const CUpti_CallbackData *data, uint16_t kind)
{
	uint32_t stream;

	if (xs_cupti_api.cuptiGetStreamIdEx &&
	    xs_cupti_api.cuptiGetStreamIdEx(data->context, NULL,
					    kind == XS_QUEUE_PER_THREAD,
					    &stream) == CUPTI_SUCCESS)
		xs_gpu_records_note_stream(data->contextUid, stream, kind);
}

XS_NOINLINE static void note_new_streams(struct xs_thread *thread,
					 const CUpti_CallbackData *data,
					 bool per_thread)
{
	const int kept_errno = errno;

	if (thread->context != data->contextUid) {
		thread->context = data->contextUid;
		thread->own_stream = false;
		note_stream(data, XS_QUEUE_DEFAULT);
	}
	if (per_thread && !thread->own_stream) {
		thread->own_stream = true;
		note_stream(data, XS_QUEUE_PER_THREAD);
	}
	errno = kept_errno;
}

/* Notes which queues of a context are its default streams. CUPTI allows the
 * question only in an API callback; it is asked once per thread and context,
 * and for the per-thread default stream by the first call that would use it. */
static inline void note_default_streams(struct xs_thread *thread,
					const CUpti_CallbackData *data,
					bool per_thread)
{
	if (thread->context != data->contextUid ||
	    (per_thread && !thread->own_stream))
		note_new_streams(thread, data, per_thread);
}

/* Returns the start of the call, or IGNORED or COUNTED. */
static uint64_t begin_seen_call(struct xs_thread *thread, enum xs_function fn,
				const CUpti_CallbackData *data)
{
	const enum xs_capture mode = xs_call_effects_mode(thread, fn);

	xs_call_effects_note_graph(fn, data->functionParams);
	/* outside of the range, hooks leave calls to the callbacks */
	if (mode != XS_CAPTURE_IGNORED)
		xs_call_origin_note_callback();
	switch (mode) {
	case XS_CAPTURE_RECORDED:
		xs_sample_window_note_recorded(data->correlationId);
		xs_copy_probe_begin(&thread->copy_probe, fn,
				    data->functionParams);
		return xs_clock_realtime_ns();
	case XS_CAPTURE_IGNORED:
		return IGNORED;
	default:
		return COUNTED;
	}
}

/* Start or end of a call that no hook saw. Returns its correlationData, which
 * is invalid after its end, where CUPTI may be detached. */
XS_HOT static uint64_t on_seen_call(struct xs_thread *thread,
				    enum xs_function fn,
				    const CUpti_CallbackData *data)
{
	/* cudaError_t or CUresult: the same numbers. */
	const cudaError_t *error = data->functionReturnValue;
	const struct xs_seen_call seen = {
	    .fn = fn,
	    .correlation = data->correlationId,
	    .start_ns = *data->correlationData,
	    .error = error ? *error : cudaSuccess,
	    .arguments = data->functionParams,
	};

	if (data->callbackSite == CUPTI_API_ENTER) {
		*data->correlationData = begin_seen_call(thread, fn, data);
		xs_relaxed_set(&thread->in_unhooked,
			       *data->correlationData != IGNORED);
		return *data->correlationData;
	}
	xs_relaxed_set(&thread->in_unhooked, false);
	if (seen.start_ns > COUNTED)
		xs_seen_call_record(thread, &seen);
	else if (seen.start_ns == COUNTED)
		xs_seen_call_count(thread, &seen);
	xs_cupti_end_seen_call();
	return seen.start_ns;
}

/* Returns whether library code makes the call. */
static bool is_busy(struct xs_thread *thread)
{
	return XS_UNLIKELY(thread->busy) &&
	       !xs_abandoned_call_drop(thread, __builtin_frame_address(0));
}

static void note_hooked_id(struct xs_thread *thread,
			   const CUpti_CallbackData *data)
{
	thread->correlation = data->correlationId;
	if (thread->recorded)
		xs_sample_window_note_recorded(thread->correlation);
}

/*
 * A callback about a runtime function. Inside a hook it only supplies the
 * correlation id. Any other call comes from a runtime that is linked statically
 * or hidden in a library, and only this callback sees it. For a function that
 * is not recorded (XS_FN_COUNT) it only notes that driver calls until its end
 * are the runtime's.
 */
static void on_runtime_call(enum xs_function fn, const CUpti_CallbackData *data)
{
	struct xs_thread *thread = xs_thread_get();
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (is_busy(thread))
		return;
	thread->in_runtime = enter;
	if (enter) {
		thread->launched = NULL;
		xs_op_tracker_note_call(data->correlationId);
	}
	if (fn == XS_FN_COUNT || !xs_session_is_recording())
		return;
	if (!enter && data->context)
		note_default_streams(thread, data, xs_functions[fn].per_thread);
	if (!xs_thread_in_hook(thread))
		on_seen_call(thread, fn, data);
	else if (enter && !thread->correlation)
		note_hooked_id(thread, data);
}

/* A driver call that a call of the runtime makes. */
static inline void note_nested_call(struct xs_thread *thread,
				    enum xs_function fn,
				    const CUpti_CallbackData *data)
{
	if (!++thread->nested)
		xs_op_tracker_note_nested();
	if (xs_launch_pointers_are_on() &&
	    data->callbackSite == CUPTI_API_ENTER)
		xs_launch_pointers_nested(thread, fn, data->functionParams);
}

/* The runtime may make several driver calls inside a hooked call, for
 * example to load a module. The last one is the call's actual work, so its
 * id counts. */
static inline void follow_hooked_call(struct xs_thread *thread,
				      const CUpti_CallbackData *data)
{
	if (data->callbackSite == CUPTI_API_ENTER) {
		note_hooked_id(thread, data);
		xs_op_tracker_note_call(thread->correlation);
	} else if (data->context) {
		note_default_streams(thread, data, thread->per_thread);
	}
}

/* A driver call by the program itself. */
XS_HOT static void on_unhooked_driver_call(struct xs_thread *thread,
					   enum xs_function fn,
					   const CUpti_CallbackData *data)
{
	const int kept_errno = errno;

	if (data->callbackSite == CUPTI_API_EXIT && data->context)
		note_default_streams(thread, data, xs_functions[fn].per_thread);
	/* outside of the range, it may be a hooked call's */
	if (on_seen_call(thread, fn, data) != IGNORED)
		xs_op_tracker_note_own_call();
	errno = kept_errno;
}

XS_HOT XS_NOINLINE static void
on_unhooked_substitute(struct xs_thread *thread, enum xs_function fn,
		       const CUpti_CallbackData *data)
{
	if (data->callbackSite == CUPTI_API_ENTER)
		xs_op_tracker_note_call(data->correlationId);
	if (thread->in_runtime)
		note_nested_call(thread, fn, data);
	else if (xs_session_is_recording())
		on_unhooked_driver_call(thread, fn, data);
}

/* A driver callback that replaces the runtime's. Keeps errno. */
static inline void on_substitute(struct xs_thread *thread, enum xs_function fn,
				 const CUpti_CallbackData *data)
{
	if (!xs_thread_in_hook(thread)) {
		on_unhooked_substitute(thread, fn, data);
		return;
	}
	note_nested_call(thread, fn, data);
	follow_hooked_call(thread, data);
}

static void on_driver_call(CUpti_CallbackId id, enum xs_function fn,
			   const CUpti_CallbackData *data)
{
	struct xs_thread *thread = xs_thread_get();
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (is_busy(thread))
		return;
	if (enter)
		xs_cupti_count_launch(thread, id, data);
	if (xs_cupti_driver_stays && xs_function_issues(fn))
		on_substitute(thread, fn, data);
	else if (xs_thread_in_hook(thread) || thread->in_runtime)
		note_nested_call(thread, fn, data);
	else if (xs_session_is_recording())
		on_unhooked_driver_call(thread, fn, data);
	if (!enter)
		xs_cupti_count_launch(thread, id, data);
}

/* A new context. A second one usually belongs to another device. */
static void on_context(void)
{
	static atomic_bool has_context;

	xs_trace_info_context();
	if (atomic_exchange(&has_context, true))
		xs_cupti_watch_peers();
}

static void on_resource(CUpti_CallbackId id)
{
	/* the modules of a context end without an unload of their own */
	if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING ||
	    id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		xs_kernel_layout_outdate();
	else if (!xs_thread_get()->busy)
		on_context();
}

static void on_our_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			    const void *data)
{
	int kept_errno = errno;
	unsigned call = xs_cupti_wanted(domain, id);

	if (call && domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		on_runtime_call((enum xs_function)(call - 1), data);
	else if (call)
		on_driver_call(id, (enum xs_function)(call - 1), data);
	else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		on_resource(id);
	else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
		xs_graph_trace_note_call(id, data);
	errno = kept_errno;
}

static bool is_end(CUpti_CallbackDomain domain, const void *data)
{
	const CUpti_CallbackData *call = data;

	return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
		domain == CUPTI_CB_DOMAIN_DRIVER_API) &&
	       call->callbackSite == CUPTI_API_EXIT;
}

/*
 * Time that the second client spends in its callback is not part of the call:
 * it runs before our start stamp, and after our end stamp. It does not see
 * calls that library code makes. If nobody wants the callback, it was disabled
 * just now: a call whose start was reported counts as nested all the same.
 */
XS_NOINLINE static void on_any_callback(CUpti_CallbackDomain domain,
					CUpti_CallbackId id, const void *data)
{
	unsigned wanted = xs_share_wanted(domain, id);
	bool client = wanted & XS_SHARE_CLIENT && !xs_thread_get()->busy;
	bool end = client && is_end(domain, data);

	if (client && !end)
		xs_share_call_client(domain, id, data);
	if (!wanted || wanted & XS_SHARE_US)
		on_our_callback(domain, id, data);
	if (end)
		xs_share_call_client(domain, id, data);
}

/* Most callbacks are about driver calls that the runtime makes: each of them
 * costs these few instructions. */
XS_HOT static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain,
					CUpti_CallbackId id, const void *data)
{
	struct xs_thread *thread = xs_thread_get();
	const unsigned call = domain == CUPTI_CB_DOMAIN_DRIVER_API
				  ? xs_cupti_issuing_call(id)
				  : 0;

	(void)user;
	if (!call || thread->busy || xs_share_client_listens() ||
	    !(xs_cupti_driver_stays || thread->in_runtime))
		on_any_callback(domain, id, data);
	else if (xs_cupti_driver_stays)
		on_substitute(thread, (enum xs_function)(call - 1), data);
	else
		note_nested_call(thread, (enum xs_function)(call - 1), data);
}

xs_cupti_callback *xs_cupti_callback_get(void)
{
	return (xs_cupti_callback *)on_callback;
}
