/* SPDX-License-Identifier: MIT */
/* Calls of CUDA as CUPTI's callbacks see them. */
#include "preload/call.h"
#include "preload/clock.h"
#include "preload/cupti.h"
#include "preload/cupti_share.h"
#include "preload/gpu.h"
#include "preload/lifecycle.h"
#include "preload/objects.h"
#include "preload/watch.h"

#include <errno.h>
#include <string.h>

/* By CUPTI's callback id: our function + 1, 0: not wanted. One of the runtime
 * that is not recorded is XS_FN_COUNT + 1. */
static uint16_t runtime_calls[XS_CUPTI_MOST_CALLBACKS];
static uint16_t driver_calls[XS_CUPTI_MOST_CALLBACKS];

/*
 * The runtime takes a writer's lock around each call that has a callback: 64
 * threads that launch have 5 us a launch of it instead of 1.3, with a callback
 * that does nothing (H200, CUDA 13.0). The driver's callbacks have no such
 * lock, cost no more in one thread, and know the same correlation id. So where
 * the runtime's calls are hooked anyway, the functions that programs issue most
 * of their work with have no callback of the runtime, and the driver's inside
 * bring the id. A runtime that is hidden in such a process is seen, for these
 * functions, by what it asks the driver for.
 */
static bool by_driver;

static bool is_left_to_driver(enum xs_function fn)
{
	return xs_functions[fn].call_class == XS_CALL_LAUNCH ||
	       xs_functions[fn].call_class == XS_CALL_GRAPH_LAUNCH ||
	       fn == XS_FN_cudaMemcpyAsync ||
	       fn == XS_FN_cudaMemcpyAsync_ptsz ||
	       fn == XS_FN_cudaMemsetAsync || fn == XS_FN_cudaMemsetAsync_ptsz;
}

/* What the device does for it has its correlation id. */
static bool is_issuing(enum xs_function fn)
{
	switch (xs_functions[fn].call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_LAUNCH:
	case XS_CALL_GRAPH_LAUNCH:
		return true;
	default:
		return false;
	}
}

/*
 * Functions of the runtime that are not recorded, and that may ask the driver
 * for what is; by the beginnings of their names. No others: some are called
 * around every launch, as __cudaPushCallConfiguration.
 */
static const char *const guarded[] = {"cudaFree",
				      "cudaGraph",
				      "cudaInitDevice",
				      "cudaIpc",
				      "cudaLaunch",
				      "cudaMalloc",
				      "cudaMemDiscard",
				      "cudaMemPoolTrim",
				      "cudaMemcpy",
				      "cudaMemset",
				      "cudaStreamAddCallback",
				      "cudaStreamAttach",
				      "cudaThreadExit",
				      "cudaThreadSynchronize",
				      NULL};

static void note_stream(const CUpti_CallbackData *data, uint16_t kind)
{
	uint32_t stream;

	if (xs_cupti_api.cuptiGetStreamIdEx &&
	    xs_cupti_api.cuptiGetStreamIdEx(data->context, NULL,
					    kind == XS_QUEUE_PER_THREAD,
					    &stream) == CUPTI_SUCCESS)
		xs_gpu_note_stream(data->contextUid, stream, kind);
}

/* Which of a context's queues are its default streams: asked once a thread and
 * context, in an API callback, where CUPTI allows it; that of the thread by the
 * first call that would use it. */
static void note_default_streams(struct xs_thread *thread,
				 const CUpti_CallbackData *data,
				 bool per_thread)
{
	if (thread->context != data->contextUid) {
		thread->context = data->contextUid;
		thread->own_stream = false;
		note_stream(data, XS_QUEUE_DEFAULT);
	}
	if (per_thread && !thread->own_stream) {
		thread->own_stream = true;
		note_stream(data, XS_QUEUE_PER_THREAD);
	}
}

/* A call that no interposed function saw, at its start and at its end. */
static void on_seen_call(struct xs_thread *thread, enum xs_function fn,
			 const CUpti_CallbackData *data)
{
	/* cudaError_t or CUresult: numbers of one kind. */
	const cudaError_t *error = data->functionReturnValue;
	struct xs_seen_call seen = {
	    .fn = fn,
	    .correlation = data->correlationId,
	    .start_ns = *data->correlationData,
	    .arguments = data->functionParams,
	};

	xs_call_note_seen();
	if (data->callbackSite == CUPTI_API_ENTER) {
		bool recorded =
		    xs_call_detail(thread, fn) == XS_DETAIL_RECORDED;

		if (recorded)
			xs_ahead_begin(&thread->ahead, fn,
				       data->functionParams);
		*data->correlationData = recorded ? xs_clock_realtime_ns() : 0;
		return;
	}
	seen.error = error ? *error : cudaSuccess;
	if (seen.start_ns)
		xs_call_seen(thread, &seen);
	else if (xs_call_detail(thread, fn) != XS_DETAIL_IGNORED)
		xs_call_seen_count(thread, &seen);
}

/*
 * Inside an interposed function the callback only brings the correlation id.
 * Any other call is one of a runtime that is linked statically or hidden in a
 * library, and the callback itself is what sees it. A function of the runtime
 * that is not recorded (XS_FN_COUNT) only says that what the driver is asked
 * for meanwhile is the runtime's.
 */
static void on_runtime_call(enum xs_function fn, const CUpti_CallbackData *data)
{
	struct xs_thread *thread = xs_thread_get();
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (thread->busy)
		return;
	thread->in_runtime = enter;
	if (enter)
		xs_watch_seen_call(data->correlationId);
	if (fn == XS_FN_COUNT || !xs_lifecycle_recording())
		return;
	if (!enter && data->context)
		note_default_streams(thread, data, xs_functions[fn].per_thread);
	if (!xs_thread_in_hook(thread))
		on_seen_call(thread, fn, data);
	else if (enter && !thread->correlation)
		thread->correlation = data->correlationId;
}

/* Of what the runtime asks for inside a hooked call, as the loading of a
 * module, the last is what the call is for. */
static void follow_hooked_call(struct xs_thread *thread,
			       const CUpti_CallbackData *data)
{
	if (data->callbackSite == CUPTI_API_ENTER)
		thread->correlation = data->correlationId;
	else if (data->context)
		note_default_streams(thread, data, thread->per_thread);
}

/*
 * Most of the driver's calls come from the runtime, inside a call that is
 * recorded already: these few instructions are what each of them costs.
 */
static void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	enum xs_function fn = (enum xs_function)(driver_calls[id] - 1);
	struct xs_thread *thread = xs_thread_get();
	bool hooked = xs_thread_in_hook(thread);
	bool own = !hooked && !thread->in_runtime;
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (thread->busy)
		return;
	if (!own && !++thread->nested)
		xs_watch_nested_calls();
	if (enter)
		xs_cupti_count_launch(thread, id, data);
	if (by_driver && is_issuing(fn)) {
		if (enter)
			xs_watch_seen_call(data->correlationId);
		if (hooked)
			follow_hooked_call(thread, data);
	}
	if (own && xs_lifecycle_recording()) {
		xs_watch_own_call();
		if (!enter && data->context)
			note_default_streams(thread, data,
					     xs_functions[fn].per_thread);
		on_seen_call(thread, fn, data);
	}
	if (!enter)
		xs_cupti_count_launch(thread, id, data);
}

/* A second one: of another device, but for a few programs. */
static void on_context(void)
{
	static atomic_bool another;

	xs_gpu_context();
	if (atomic_exchange(&another, true))
		xs_cupti_watch_peers();
}

static void on_our_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			    const void *data)
{
	int kept_errno = errno;

	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && runtime_calls[id])
		on_runtime_call((enum xs_function)(runtime_calls[id] - 1),
				data);
	else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && driver_calls[id])
		on_driver_call(id, data);
	else if (domain == CUPTI_CB_DOMAIN_RESOURCE && !xs_thread_get()->busy)
		on_context();
	errno = kept_errno;
}

static bool is_end(CUpti_CallbackDomain domain, const void *data)
{
	const CUpti_CallbackData *call = data;

	return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
		domain == CUPTI_CB_DOMAIN_DRIVER_API) &&
	       call->callbackSite == CUPTI_API_EXIT;
}

/* What the guest does in its callback is no part of the call: it comes before
 * we note the call's start, and after its end. It does not see calls that our
 * own code makes. */
void CUPTIAPI xs_cupti_on_callback(void *user, CUpti_CallbackDomain domain,
				   CUpti_CallbackId id, const void *data)
{
	unsigned wanted = xs_share_wanted(domain, id);
	bool guest = wanted & XS_SHARE_GUEST && !xs_thread_get()->busy;
	bool end = guest && is_end(domain, data);

	(void)user;
	if (guest && !end)
		xs_share_call_guest(domain, id, data);
	if (wanted & XS_SHARE_US)
		on_our_callback(domain, id, data);
	if (end)
		xs_share_call_guest(domain, id, data);
}

static bool is_guarded(CUpti_CallbackDomain domain, const char *name)
{
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API)
		return false;
	for (const char *const *begin = guarded; *begin; begin++)
		if (strncmp(name, *begin, strlen(*begin)) == 0)
			return true;
	return false;
}

/*
 * By name, not by the header's numbers: so a function that a newer CUPTI has
 * and our header has not is found, and one that an older lacks is not asked
 * for.
 */
static void find_calls(CUpti_CallbackDomain domain, uint16_t *calls)
{
	const char *name;

	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++) {
		name = NULL;
		if (xs_cupti_api.cuptiGetCallbackName(domain, id, &name) !=
			CUPTI_SUCCESS ||
		    !name)
			continue;
		enum xs_function fn = xs_function_by_cupti_name(name);
		if (fn != XS_FN_COUNT || is_guarded(domain, name))
			calls[id] = (uint16_t)(fn + 1);
	}
}

static bool is_any(enum xs_function fn)
{
	(void)fn;
	return true;
}

/* Of the driver, where it is watched no more: but for marks, which are rare and
 * never to be missed. */
static bool is_given_up(enum xs_function fn)
{
	return !xs_function_marks_range(fn) && !(by_driver && is_issuing(fn));
}

static bool has_runtime_callback(enum xs_function fn)
{
	return fn == XS_FN_COUNT || !by_driver || !is_left_to_driver(fn);
}

/* Those of `calls` that are `which`: how many. */
static unsigned enable(CUpti_CallbackDomain domain, const uint16_t *calls,
		       bool (*which)(enum xs_function), bool on)
{
	unsigned done = 0;

	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++)
		if (calls[id] && which((enum xs_function)(calls[id] - 1)))
			done += xs_share_callback(XS_SHARE_US, on, domain,
						  id) == CUPTI_SUCCESS;
	return done;
}

unsigned xs_cupti_enable_calls(void)
{
	/* the one callback of its domain: CUDA's start ends there */
	xs_share_callback(XS_SHARE_US, true, CUPTI_CB_DOMAIN_RESOURCE,
			  CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
	find_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls);
	find_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls);
	by_driver = xs_objects_are_hooked();
	enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls,
	       xs_function_marks_range, true);
	return enable(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls,
		      has_runtime_callback, true);
}

void xs_cupti_switch_calls(bool on)
{
	/* CUDA has long started; with one callback left CUPTI stays in the way
	 */
	if (!on)
		xs_share_callback(XS_SHARE_US, false, CUPTI_CB_DOMAIN_RESOURCE,
				  CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
	enable(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls, has_runtime_callback,
	       on);
	enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls,
	       xs_function_marks_range, on);
	if (by_driver)
		enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls, is_issuing,
		       on);
}

unsigned xs_cupti_enable_driver(bool on)
{
	return enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls,
		      on ? is_any : is_given_up, on);
}

bool xs_cupti_driver_stays(void)
{
	return by_driver;
}
