/* SPDX-License-Identifier: MIT */
/* Calls of CUDA as CUPTI's callbacks see them. */
#include "preload/call.h"
#include "preload/clock.h"
#include "preload/counters.h"
#include "preload/cupti_api.h"
#include "preload/gpu.h"
#include "preload/lifecycle.h"

#include <errno.h>

#define MOST_CALLBACKS 1024u

/* By CUPTI's callback id: our function + 1, 0 for none of ours. */
static uint16_t function_of[MOST_CALLBACKS];

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

/*
 * Inside an interposed function the callback only brings the correlation id.
 * Any other call is one of a runtime that is linked statically or hidden in a
 * library, and the callback itself is what sees it.
 */
static void on_runtime_call(enum xs_function fn, const CUpti_CallbackData *data)
{
	struct xs_thread *thread = xs_thread_get();
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (thread->busy || !xs_lifecycle_recording())
		return;
	if (!enter && data->context)
		note_default_streams(thread, data, xs_functions[fn].per_thread);
	if (thread->in_hook) {
		if (enter && !thread->correlation)
			thread->correlation = data->correlationId;
	} else if (enter) {
		*data->correlationData = xs_clock_realtime_ns();
	} else if (*data->correlationData) {
		const cudaError_t *error = data->functionReturnValue;
		const struct xs_seen_call seen = {
		    .fn = fn,
		    .correlation = data->correlationId,
		    .start_ns = *data->correlationData,
		    .error = error ? *error : cudaSuccess,
		    .arguments = data->functionParams,
		};
		xs_call_seen(thread, &seen);
	}
}

/* The launches of the driver: those of every runtime come by here, too. The
 * parameters of all but the Ex forms begin alike. */
static bool is_launch(CUpti_CallbackId id, bool *extended, bool *per_thread)
{
	*extended = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
		    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
	*per_thread =
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
	    id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
	return *extended || *per_thread ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel;
}

/* Whether all is known that a count needs. */
static bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData *data,
			struct xs_launch *launch)
{
	const cuLaunchKernelEx_params *ex = data->functionParams;
	const cuLaunchKernel_params *plain = data->functionParams;
	bool extended;

	*launch = (struct xs_launch){
	    .context = data->context,
	    .context_id = data->contextUid,
	    .correlation = data->correlationId,
	    .name = data->symbolName,
	};
	if (!is_launch(id, &extended, &launch->per_thread) || !plain ||
	    !launch->name || !launch->context || (extended && !ex->config) ||
	    xs_cupti_api.cuptiGetDeviceId(launch->context, &launch->device) !=
		CUPTI_SUCCESS)
		return false;
	launch->stream = extended ? ex->config->hStream : plain->hStream;
#define EXTENT(to, from)                                                       \
	launch->to[0] = extended ? ex->config->from##X : plain->from##X;       \
	launch->to[1] = extended ? ex->config->from##Y : plain->from##Y;       \
	launch->to[2] = extended ? ex->config->from##Z : plain->from##Z;
	EXTENT(grid, gridDim)
	EXTENT(block, blockDim)
#undef EXTENT
	return true;
}

static void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	struct xs_thread *thread = xs_thread_get();
	bool enter = data->callbackSite == CUPTI_API_ENTER;
	struct xs_launch launch;

	if (thread->busy ||
	    (enter ? !xs_lifecycle_recording() : !thread->counting) ||
	    !read_launch(id, data, &launch))
		return;
	thread->busy = true;
	if (enter) {
		thread->counting = xs_counters_begin(&launch);
	} else {
		thread->counting = false;
		xs_counters_end(&launch);
	}
	thread->busy = false;
}

void CUPTIAPI xs_cupti_on_callback(void *user, CUpti_CallbackDomain domain,
				   CUpti_CallbackId id, const void *data)
{
	int kept_errno = errno;

	(void)user;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && id < MOST_CALLBACKS &&
	    function_of[id])
		on_runtime_call((enum xs_function)(function_of[id] - 1), data);
	else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
		on_driver_call(id, data);
	errno = kept_errno;
}

/*
 * By name, not by the header's numbers: so a function that a newer CUPTI has
 * and our header has not is found, and one that an older lacks is not asked
 * for.
 */
unsigned xs_cupti_enable_calls(CUpti_SubscriberHandle subscriber)
{
	unsigned enabled = 0;
	const char *name;

	for (uint32_t id = 1; id < MOST_CALLBACKS; id++) {
		name = NULL;
		if (xs_cupti_api.cuptiGetCallbackName(
			CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) !=
			CUPTI_SUCCESS ||
		    !name)
			continue;
		enum xs_function fn = xs_function_by_cupti_name(name);
		if (fn == XS_FN_COUNT)
			continue;
		function_of[id] = (uint16_t)(fn + 1);
		enabled += xs_cupti_api.cuptiEnableCallback(
			       1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
			       id) == CUPTI_SUCCESS;
	}
	return enabled;
}

void xs_cupti_enable_launches(CUpti_SubscriberHandle subscriber)
{
	static const CUpti_CallbackId ids[] = {
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
	    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		xs_cupti_api.cuptiEnableCallback(
		    1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]);
}
