/* SPDX-License-Identifier: MIT */
/*
 * The boundary to CUPTI: loaded at run time, never linked, and no lock of ours
 * is held across a call of it.
 *
 * Records are read through the oldest struct that has the fields, since CUPTI
 * only ever adds fields at their end; every CUPTI from 11.8 on has those used
 * here, and what came later is read where cuptiGetVersion() says so.
 */
#include "preload/cupti.h"
#include "preload/call.h"
#include "preload/clock.h"
#include "preload/config.h"
#include "preload/counters.h"
#include "preload/cupti_find.h"
#include "preload/gpu.h"
#include "preload/lifecycle.h"
#include "preload/pool.h"
#include "preload/profiler.h"

#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#define MOST_CALLBACKS	   1024u
#define VERSION_11_8	   18u
#define VERSION_12_8	   26u /* brought copyCount */
#define ANOTHER_SUBSCRIBER 39  /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_... */
#define NO_PERMISSION	   35  /* CUPTI_ERROR_INSUFFICIENT_PRIVILEGES */

#define REQUIRED_FUNCTIONS(F)                                                  \
	F(cuptiGetVersion)                                                     \
	F(cuptiActivityRegisterCallbacks)                                      \
	F(cuptiActivityEnable)                                                 \
	F(cuptiActivityFlushAll)                                               \
	F(cuptiActivityGetNextRecord)
#define OTHER_FUNCTIONS(F)                                                     \
	F(cuptiActivityGetNumDroppedRecords)                                   \
	F(cuptiGetTimestamp)                                                   \
	F(cuptiSubscribe)                                                      \
	F(cuptiEnableCallback)                                                 \
	F(cuptiGetCallbackName)                                                \
	F(cuptiGetStreamIdEx)                                                  \
	F(cuptiGetDeviceId)                                                    \
	F(cuptiGetResultString)

#define POINTER(name) __typeof__(&name) name;
static struct {
	REQUIRED_FUNCTIONS(POINTER)
	OTHER_FUNCTIONS(POINTER)
} cupti;
#undef POINTER

#define ROW_required(name) {&cupti.name, #name, true},
#define ROW_other(name)	   {&cupti.name, #name, false},
static const struct {
	void *slot;
	const char *name;
	bool required;
} symbols[] = {REQUIRED_FUNCTIONS(ROW_required) OTHER_FUNCTIONS(ROW_other)};

static uint32_t version;
static atomic_bool started;
/* By CUPTI's callback id: our function + 1, 0 for none of ours. */
static uint16_t function_of[MOST_CALLBACKS];

static const char *result_text(CUptiResult result)
{
	const char *text = NULL;

	if (cupti.cuptiGetResultString)
		cupti.cuptiGetResultString(result, &text);
	return text ? text : "unknown error";
}

/* Static memories are device and managed memory with a name. */
static uint8_t memory_of(uint8_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return XS_MEM_PAGEABLE;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
		return XS_MEM_PINNED;
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
		return XS_MEM_DEVICE;
	case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
		return XS_MEM_ARRAY;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
		return XS_MEM_MANAGED;
	default:
		return XS_MEM_UNKNOWN;
	}
}

static uint8_t direction_of(uint8_t copy_kind)
{
	switch (copy_kind) {
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
		return XS_DIR_H2D;
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
		return XS_DIR_D2H;
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
		return XS_DIR_D2D;
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
		return XS_DIR_H2H;
	case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
		return XS_DIR_P2P;
	default:
		return XS_DIR_UNKNOWN;
	}
}

static uint8_t op_flags(bool async, uint64_t graph_node)
{
	return (async ? XS_OP_ASYNC : 0) | (graph_node ? XS_OP_GRAPH : 0);
}

static uint16_t copies_of(const void *record)
{
#if CUPTI_API_VERSION >= VERSION_12_8
	const CUpti_ActivityMemcpy6 *m = record;
	if (version >= VERSION_12_8 && m->copyCount > 1)
		return m->copyCount < UINT16_MAX ? (uint16_t)m->copyCount
						 : UINT16_MAX;
#else
	(void)record;
#endif
	return 1;
}

static void take_copy(const void *record)
{
	const CUpti_ActivityMemcpy5 *m = record;
	const struct xs_gpu_op op = {
	    .queue = {m->deviceId, m->contextId, m->streamId},
	    .correlation = m->correlationId,
	    .start_ns = m->start,
	    .end_ns = m->end,
	    .bytes = m->bytes,
	    .direction = direction_of(m->copyKind),
	    .src_memory = memory_of(m->srcKind),
	    .dst_memory = memory_of(m->dstKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC,
			      m->graphNodeId),
	    .copies = copies_of(record),
	};
	xs_gpu_copy(&op);
}

static void take_peer_copy(const void *record)
{
	const CUpti_ActivityMemcpyPtoP4 *m = record;
	uint32_t peer =
	    m->dstDeviceId == m->deviceId ? m->srcDeviceId : m->dstDeviceId;
	const struct xs_gpu_op op = {
	    .queue = {m->deviceId, m->contextId, m->streamId},
	    .correlation = m->correlationId,
	    .start_ns = m->start,
	    .end_ns = m->end,
	    .bytes = m->bytes,
	    .direction = XS_DIR_P2P,
	    .src_memory = memory_of(m->srcKind),
	    .dst_memory = memory_of(m->dstKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC,
			      m->graphNodeId),
	    .peer_device = (uint16_t)peer,
	    .copies = 1,
	};
	xs_gpu_copy(&op);
}

static void take_set(const void *record)
{
	const CUpti_ActivityMemset4 *m = record;
	const struct xs_gpu_op op = {
	    .queue = {m->deviceId, m->contextId, m->streamId},
	    .correlation = m->correlationId,
	    .start_ns = m->start,
	    .end_ns = m->end,
	    .bytes = m->bytes,
	    .value = m->value,
	    .dst_memory = memory_of((uint8_t)m->memoryKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC,
			      m->graphNodeId),
	};
	xs_gpu_set(&op);
}

static void take_kernel(const void *record)
{
	const CUpti_ActivityKernel5 *k = record;
	const struct xs_gpu_op op = {
	    .queue = {k->deviceId, k->contextId, k->streamId},
	    .correlation = k->correlationId,
	    .start_ns = k->start,
	    .end_ns = k->end,
	};
	struct xs_gpu_shape shape = {
	    .grid = {(uint32_t)k->gridX, (uint32_t)k->gridY,
		     (uint32_t)k->gridZ},
	    .block = {(uint16_t)k->blockX, (uint16_t)k->blockY,
		      (uint16_t)k->blockZ},
	    .registers = k->registersPerThread,
	    .shared_static_bytes = (uint32_t)k->staticSharedMemory,
	    .shared_dynamic_bytes = (uint32_t)k->dynamicSharedMemory,
	    .local_bytes = k->localMemoryPerThread,
	};
	xs_gpu_kernel(&op, k->name, &shape);
}

static void take_record(const CUpti_Activity *record)
{
	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		take_copy(record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		take_peer_copy(record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		take_set(record);
		break;
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		take_kernel(record);
		break;
	default: /* another tool of the process enabled it */
		break;
	}
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes,
				 size_t *most_records)
{
	*buffer = xs_pool_take();
	*bytes = *buffer ? XS_POOL_BYTES : 0;
	*most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream,
				 uint8_t *buffer, size_t bytes,
				 size_t valid_bytes)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;

	(void)bytes;
	while (valid_bytes &&
	       cupti.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) ==
		   CUPTI_SUCCESS)
		take_record(record);
	if (cupti.cuptiActivityGetNumDroppedRecords &&
	    cupti.cuptiActivityGetNumDroppedRecords(context, stream,
						    &dropped) == CUPTI_SUCCESS)
		xs_sink_lose(&xs_sink, XS_LOSS_CUPTI, dropped);
	xs_pool_give(buffer);
}

static void note_stream(const CUpti_CallbackData *data, uint16_t kind)
{
	uint32_t stream;

	if (cupti.cuptiGetStreamIdEx &&
	    cupti.cuptiGetStreamIdEx(data->context, NULL,
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
	    cupti.cuptiGetDeviceId(launch->context, &launch->device) !=
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

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain,
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
static unsigned enable_callbacks(CUpti_SubscriberHandle subscriber)
{
	unsigned enabled = 0;
	const char *name;

	for (uint32_t id = 1; id < MOST_CALLBACKS; id++) {
		name = NULL;
		if (cupti.cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, id,
					       &name) != CUPTI_SUCCESS ||
		    !name)
			continue;
		enum xs_function fn = xs_function_by_cupti_name(name);
		if (fn == XS_FN_COUNT)
			continue;
		function_of[id] = (uint16_t)(fn + 1);
		enabled += cupti.cuptiEnableCallback(
			       1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
			       id) == CUPTI_SUCCESS;
	}
	return enabled;
}

static void enable_launches(CUpti_SubscriberHandle subscriber)
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
		cupti.cuptiEnableCallback(1, subscriber,
					  CUPTI_CB_DOMAIN_DRIVER_API, ids[i]);
}

static void subscribe(bool counters)
{
	CUpti_SubscriberHandle subscriber;
	CUptiResult result;

	if (!cupti.cuptiSubscribe || !cupti.cuptiEnableCallback ||
	    !cupti.cuptiGetCallbackName)
		return;
	result = cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
	if ((int)result == ANOTHER_SUBSCRIBER)
		xs_gpu_info("note",
			    "another tool has CUPTI's callbacks (nsys, ncu, a "
			    "debugger?): calls cannot be joined to what the "
			    "GPU did, and calls of a statically linked CUDA "
			    "runtime are missing; run without the other tool");
	else if (result != CUPTI_SUCCESS)
		xs_gpu_info("note", "CUPTI gave no callbacks: %s (%d)",
			    result_text(result), (int)result);
	else
		xs_log("%u CUPTI callbacks", enable_callbacks(subscriber));
	if (counters && result == CUPTI_SUCCESS)
		enable_launches(subscriber);
}

/* Never CUPTI_ACTIVITY_KIND_KERNEL: it makes kernels run one by one. */
static bool enable_records(void)
{
	static const CUpti_ActivityKind kinds[] = {
	    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
	    CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};
	CUptiResult result =
	    cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer);

	for (size_t i = 0;
	     result == CUPTI_SUCCESS && i < sizeof(kinds) / sizeof(*kinds); i++)
		result = cupti.cuptiActivityEnable(kinds[i]);
	if (result == CUPTI_SUCCESS)
		return true;
	xs_gpu_info("note", "no GPU records: CUPTI says %s (%d)%s",
		    result_text(result), (int)result,
		    (int)result == NO_PERMISSION
			? "; ask the administrator for access to GPU "
			  "performance data"
			: "");
	return false;
}

static const char *find_symbols(void *library)
{
	const char *missing = NULL;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);
		memcpy(symbols[i].slot, &symbol, sizeof(symbol));
		if (!symbol && symbols[i].required)
			missing = symbols[i].name;
	}
	return missing;
}

bool xs_cupti_start(bool counters)
{
	char path[PATH_MAX] = "";
	void *library = xs_cupti_find(path, sizeof(path));
	const char *missing;

	if (!library) {
		xs_gpu_info("note",
			    "libcupti was not found, so there is nothing of "
			    "what the GPU did; install it (it comes with the "
			    "CUDA toolkit) or set XFERSPY_CUPTI to its path");
		return false;
	}
	missing = find_symbols(library);
	if (missing || cupti.cuptiGetVersion(&version) != CUPTI_SUCCESS ||
	    version < VERSION_11_8) {
		xs_gpu_info("note",
			    "%s is too old: CUPTI 11.8 or newer is "
			    "wanted; set XFERSPY_CUPTI to its path",
			    path);
		return false;
	}
	xs_gpu_info("cupti", "%u %s", version, path);
	xs_log("CUPTI %u from %s", version, path);
	subscribe(counters && xs_profiler_find(library) &&
		  cupti.cuptiGetDeviceId);
	atomic_store(&started, enable_records());
	return atomic_load(&started);
}

void xs_cupti_flush(bool forced)
{
	if (atomic_load(&started))
		cupti.cuptiActivityFlushAll(
		    forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

uint64_t xs_cupti_now_ns(void)
{
	uint64_t now_ns = 0;

	if (atomic_load(&started) && cupti.cuptiGetTimestamp)
		cupti.cuptiGetTimestamp(&now_ns);
	return now_ns;
}
