/* SPDX-License-Identifier: MIT */
#include "preload/events/timing.h"
#include "preload/api/real.h"
#include "preload/events/launch.h"
#include "preload/events/timed.h"
#include "preload/util/hot.h"

#include <string.h>

#define READ_EVERY 16u /* calls of a queue between two reads */

XS_HOT_DATA bool xs_timing_is_on;

static _Atomic uint64_t missed;
static _Atomic uint32_t last_correlation;

void xs_timing_start(void)
{
	xs_timing_is_on = true;
}

void xs_timed_count_untimed(uint64_t count)
{
	atomic_fetch_add(&missed, count);
}

uint64_t xs_timing_untimed(bool last)
{
	return atomic_exchange(&missed, 0) + (last ? xs_timed_waiting() : 0);
}

static bool is_timed(uint8_t call_class)
{
	return call_class == XS_CALL_COPY || call_class == XS_CALL_COPY_ASYNC ||
	       call_class == XS_CALL_SET || call_class == XS_CALL_SET_ASYNC ||
	       call_class == XS_CALL_LAUNCH;
}

/* Returns the stream as events name it: default streams have handles that
 * distinguish the legacy one from the per-thread one. */
static CUstream stream_of(enum xs_function fn, uint64_t handle)
{
	if (handle == 0)
		return xs_functions[fn].per_thread ? CU_STREAM_PER_THREAD
						   : CU_STREAM_LEGACY;
	return (CUstream)(uintptr_t)handle;
}

/*
 * Reads the arguments before the call. Returns false for calls that will fail
 * or do nothing: the first argument of all timed functions is a pointer that
 * must not be NULL, and some functions need it to read the others; copies of 0
 * bytes do nothing.
 */
static bool read_arguments(enum xs_function fn, const void *arguments,
			   struct xs_event *event)
{
	const struct xs_function_row *row = &xs_functions[fn];
	const void *first;

	memcpy(&first, arguments, sizeof(first));
	if (!first)
		return false;
	row->fill(arguments, event);
	if (row->call_class == XS_CALL_LAUNCH || event->bytes)
		return true;
	if (event->rows > 1) /* array copy: element size unknown */
		xs_timed_count_untimed(1);
	return false;
}

/* A thread's first CUDA call creates its context. If there is none yet, creates
 * it here with the same runtime. */
static bool have_context(uintptr_t address)
{
	cudaError_t (*free_nothing)(void *) = NULL;
	CUcontext context = NULL;
	xs_real_fn real;

	if (xs_event_api_find() &&
	    xs_event_api.current(&context) == CUDA_SUCCESS && context)
		return true;
	real = xs_real_resolve(XS_FN_cudaFree, address);
	memcpy(&free_nothing, &real, sizeof(real));
	return free_nothing(NULL) == cudaSuccess && xs_event_api_find();
}

static struct xs_timed *record_before(CUstream stream)
{
	struct xs_timed *timed;

	if (xs_timed_is_capturing(stream))
		return NULL;
	if (!xs_timed_allocate(stream, &timed)) {
		xs_timed_count_untimed(1);
		return NULL;
	}
	if (xs_event_api.record(timed->before, stream) == CUDA_SUCCESS)
		return timed;
	xs_timed_count_untimed(1);
	xs_timed_free(timed);
	return NULL;
}

/* While another thread captures, even querying an event may invalidate the
 * capture, except from a thread in relaxed mode. */
static CUstreamCaptureMode enter_relaxed_mode(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	xs_event_api.exchange_mode(&mode);
	return mode;
}

static void restore_mode(CUstreamCaptureMode mode)
{
	xs_event_api.exchange_mode(&mode);
}

static void before_reset(void)
{
	CUstreamCaptureMode mode;
	struct xs_timed_context *context;

	if (!xs_event_api_find())
		return;
	mode = enter_relaxed_mode();
	context = xs_timed_context();
	if (context) {
		xs_timed_read_all(context, false, NULL);
		xs_timed_drop_context(context);
	}
	restore_mode(mode);
}

void xs_timing_begin(struct xs_open_call *call, const void *arguments)
{
	CUstreamCaptureMode mode;
	struct xs_event event;

	call->thread->busy = true;
	if (call->fn == XS_FN_cudaDeviceReset)
		before_reset();
	if (call->mode == XS_CAPTURE_RECORDED &&
	    is_timed(xs_functions[call->fn].call_class) &&
	    read_arguments(call->fn, arguments, &event) &&
	    have_context(call->address)) {
		mode = enter_relaxed_mode();
		call->timed = record_before(stream_of(call->fn, event.stream));
		restore_mode(mode);
	}
	call->thread->busy = false;
}

static uint8_t direction_of(uint16_t kind)
{
	static const uint8_t directions[] = {
	    [cudaMemcpyHostToHost] = XS_DIR_H2H,
	    [cudaMemcpyHostToDevice] = XS_DIR_H2D,
	    [cudaMemcpyDeviceToHost] = XS_DIR_D2H,
	    [cudaMemcpyDeviceToDevice] = XS_DIR_D2D,
	};

	return kind < sizeof(directions) ? directions[kind] : XS_DIR_UNKNOWN;
}

static bool is_async(uint8_t call_class)
{
	return call_class == XS_CALL_COPY_ASYNC ||
	       call_class == XS_CALL_SET_ASYNC;
}

static void describe(struct xs_timed *timed, const struct xs_open_call *call,
		     uint32_t correlation, const void *arguments)
{
	const struct xs_function_row *row = &xs_functions[call->fn];
	const struct xs_timed_queue *queue = timed->queue;
	struct xs_event event;

	row->fill(arguments, &event);
	timed->call_class = row->call_class;
	timed->op = (struct xs_gpu_op){
	    .queue = {queue->context->device, queue->context->number,
		      queue->number},
	    .correlation = correlation,
	    .bytes = event.bytes,
	    .flags = is_async(row->call_class) ? XS_OP_ASYNC : 0,
	    .copies = 1,
	};
	if (row->call_class == XS_CALL_LAUNCH)
		xs_launch_read(call->fn, call->address, arguments,
			       &timed->shape);
	else if (row->call_class == XS_CALL_SET ||
		 row->call_class == XS_CALL_SET_ASYNC)
		timed->op.dst_memory = XS_MEM_DEVICE;
	else
		timed->op.direction = direction_of(event.direction);
}

/* A blocking copy between host and device is finished when it returns. */
static bool blocks(enum xs_function fn, const void *arguments)
{
	struct xs_event event;

	if (xs_functions[fn].call_class != XS_CALL_COPY)
		return false;
	xs_functions[fn].fill(arguments, &event);
	return event.direction == cudaMemcpyHostToDevice ||
	       event.direction == cudaMemcpyDeviceToHost;
}

static void end_timed(struct xs_open_call *call, uint64_t end_ns,
		      const void *arguments)
{
	struct xs_timed *timed = call->timed;
	struct xs_timed_queue *queue = timed->queue;
	uint32_t *correlation = &call->thread->correlation;

	timed->ends_with_its_call = blocks(call->fn, arguments);
	if (!timed->ends_with_its_call &&
	    xs_event_api.record(timed->after, queue->stream) != CUDA_SUCCESS) {
		xs_timed_count_untimed(1);
		xs_timed_free(timed);
		return;
	}
	if (!*correlation)
		*correlation = atomic_fetch_add(&last_correlation, 1) + 1;
	timed->call_start_ns = call->start_ns;
	timed->call_end_ns = end_ns;
	describe(timed, call, *correlation, arguments);
	if (xs_timed_enqueue(timed) % READ_EVERY == 0)
		xs_timed_read_queue(queue);
}

/* After a call that waited, many ops are finished. */
static bool is_read_after(uint8_t call_class, bool *idle)
{
	switch (call_class) {
	case XS_CALL_COPY:
	case XS_CALL_SYNC_DEVICE:
	case XS_CALL_SYNC_STREAM:
	case XS_CALL_SYNC_EVENT:
	case XS_CALL_POLL: /* it returned success */
		*idle = true;
		return true;
	case XS_CALL_FREE_DEVICE:
	case XS_CALL_FREE_PINNED:
		*idle = false;
		return true;
	default:
		return false;
	}
}

static void read_after(enum xs_function fn, const void *arguments, bool idle)
{
	struct xs_timed_context *context = xs_timed_context();
	struct xs_event event;

	if (!context)
		return;
	xs_functions[fn].fill(arguments, &event);
	xs_timed_read_all(context, idle, stream_of(fn, event.stream));
}

void xs_timing_end(struct xs_open_call *call, uint64_t end_ns,
		   cudaError_t error, const void *arguments)
{
	const uint8_t call_class = xs_functions[call->fn].call_class;
	CUstreamCaptureMode mode;
	bool idle;
	const bool is_read =
	    error == cudaSuccess && is_read_after(call_class, &idle);

	if (error == cudaSuccess && call_class == XS_CALL_GRAPH_LAUNCH)
		xs_timed_count_untimed(1);
	if ((!call->timed && !is_read) || !xs_event_api_find())
		return;
	mode = enter_relaxed_mode();
	if (call->timed && error == cudaSuccess)
		end_timed(call, end_ns, arguments);
	else if (call->timed)
		xs_timed_free(call->timed);
	if (is_read)
		read_after(call->fn, arguments, idle);
	restore_mode(mode);
}
