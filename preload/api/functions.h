/* SPDX-License-Identifier: MIT */
/*
 * All interposed functions of the CUDA runtime. Functions that only CUPTI's
 * callbacks see are in seen_functions.h.
 *
 * The hooks (hooks.c), the names by which CUPTI knows the functions, and the
 * arguments to keep are generated from this list. CUPTI passes a callback a
 * struct of the arguments in order, and a hook packs its own into the same
 * struct, so one row serves both.
 *
 * A new interposed function is one row of XS_FUNCTIONS and its XS_ARGS_ line in
 * arguments.h.
 */
#pragma once

#include "preload/format.h"

#include <driver_types.h>
#include <stdbool.h>
#include <vector_types.h>

/* The arguments of a call that are kept, in terms of the trace format. */
struct xs_event {
	uint64_t dst; /* also the address of an allocation */
	uint64_t src;
	uint64_t bytes;
	uint64_t stream;
	uint64_t event;
	uint64_t pitch, slice; /* bytes from row to row and from slice to slice
				* of the source; pitch 0: unknown */
	uint32_t rows, height; /* height: rows of a slice; 0: all */
	uint16_t direction;    /* enum cudaMemcpyKind */
	uint16_t flags;
};

#define XS_HANDLE(x) ((uint64_t)(uintptr_t)(x))

#include "preload/api/seen_functions.h"

/*
 * XS_FUNCTIONS(F): F(name, twin, class, what to keep), where
 *   twin   the per-thread-default-stream form: _ptds, _ptsz, or none;
 *   class  XS_CALL_... of format.h;
 *   keep   initialisers of struct xs_event from the arguments (a->...). They
 *          run only for calls that succeeded, so they may read results
 *          through pointers.
 */
/* clang-format off */
#define XS_KEEP_COPY_AT(to, from)                                              \
	.dst = XS_HANDLE(a->dst) + (to), .src = XS_HANDLE(a->src) + (from),    \
	.bytes = a->count, .rows = 1, .direction = a->kind
#define XS_KEEP_COPY XS_KEEP_COPY_AT(0, 0)
#define XS_KEEP_COPY_2D                                                        \
	.dst = XS_HANDLE(a->dst), .src = XS_HANDLE(a->src),                    \
	.bytes = a->width * a->height, .rows = a->height, .direction = a->kind
#define XS_KEEP_COPY_3D XS_KEEP_3D(a->p), .direction = a->p->kind
#define XS_KEEP_PEER                                                           \
	.dst = XS_HANDLE(a->dst), .src = XS_HANDLE(a->src), .bytes = a->count, \
	.rows = 1, .direction = cudaMemcpyDeviceToDevice

/* Two rows: a function, and its asynchronous form with a stream.
 * call_classes.cmake and exports.sh read the rows, too, and know F and
 * XS_WITH_ASYNC by name. */
#define XS_WITH_ASYNC(F, name, class, ...)                                     \
	F(name, ptds, class, __VA_ARGS__)                                      \
	F(name##Async, ptsz, class##_ASYNC, __VA_ARGS__, XS_KEEP_OUR_STREAM)

#define XS_FUNCTIONS(F)                                                        \
	XS_WITH_ASYNC(F, cudaMemcpy, COPY, XS_KEEP_COPY)                       \
	XS_WITH_ASYNC(F, cudaMemcpy2D, COPY, XS_KEEP_COPY_2D,                  \
		      .pitch = a->spitch)                                      \
	XS_WITH_ASYNC(F, cudaMemcpy3D, COPY, XS_KEEP_COPY_3D)                  \
	F(cudaMemcpyPeer, none, COPY, XS_KEEP_PEER)                            \
	F(cudaMemcpyPeerAsync, none, COPY_ASYNC, XS_KEEP_PEER,                 \
	  XS_KEEP_OUR_STREAM)                                                  \
	XS_WITH_ASYNC(F, cudaMemcpy3DPeer, COPY, XS_KEEP_3D(a->p),             \
		      .direction = cudaMemcpyDeviceToDevice)                   \
	XS_WITH_ASYNC(F, cudaMemcpyToSymbol, COPY,                             \
		      XS_KEEP_COPY_AT(a->offset, 0))                           \
	XS_WITH_ASYNC(F, cudaMemcpyFromSymbol, COPY,                           \
		      XS_KEEP_COPY_AT(0, a->offset))                           \
	XS_WITH_ASYNC(F, cudaMemcpyToArray, COPY, XS_KEEP_COPY)                \
	XS_WITH_ASYNC(F, cudaMemcpyFromArray, COPY, XS_KEEP_COPY)              \
	F(cudaMemcpyArrayToArray, ptds, COPY, XS_KEEP_COPY)                    \
	XS_WITH_ASYNC(F, cudaMemcpy2DToArray, COPY, XS_KEEP_COPY_2D,           \
		      .pitch = a->spitch)                                      \
	XS_WITH_ASYNC(F, cudaMemcpy2DFromArray, COPY, XS_KEEP_COPY_2D)         \
	F(cudaMemcpy2DArrayToArray, ptds, COPY, XS_KEEP_COPY_2D)               \
	XS_WITH_ASYNC(F, cudaMemset, SET, .dst = XS_HANDLE(a->devPtr),         \
		      .bytes = a->count, .rows = 1)                            \
	XS_WITH_ASYNC(F, cudaMemset2D, SET, .dst = XS_HANDLE(a->devPtr),       \
		      .bytes = a->width * a->height, .rows = a->height)        \
	XS_WITH_ASYNC(F, cudaMemset3D, SET, .dst = XS_HANDLE(a->pitched.ptr),  \
		      .bytes = XS_VOLUME(a->extent),                           \
		      .rows = XS_ROWS(a->extent))                              \
	F(cudaHostAlloc, none, ALLOC_PINNED, .dst = XS_HANDLE(*a->pHost),      \
	  .bytes = a->size, .flags = a->flags)                                 \
	F(cudaMallocHost, none, ALLOC_PINNED, .dst = XS_HANDLE(*a->ptr),       \
	  .bytes = a->size)                                                    \
	F(cudaFreeHost, none, FREE_PINNED, .dst = XS_HANDLE(a->ptr))           \
	F(cudaHostRegister, none, REGISTER, .dst = XS_HANDLE(a->ptr),          \
	  .bytes = a->size, .flags = a->flags)                                 \
	F(cudaHostUnregister, none, UNREGISTER, .dst = XS_HANDLE(a->ptr))      \
	F(cudaMalloc, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->devPtr),        \
	  .bytes = a->size)                                                    \
	F(cudaMallocPitch, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->devPtr),   \
	  .bytes = *a->pitch * a->height)                                      \
	F(cudaMalloc3D, none, ALLOC_DEVICE, .dst = XS_HANDLE(a->pitched->ptr), \
	  .bytes = a->pitched->pitch * XS_ROWS(a->extent))                     \
	F(cudaMallocManaged, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->devPtr), \
	  .bytes = a->size, .flags = a->flags)                                 \
	F(cudaMallocAsync, ptsz, ALLOC_DEVICE, .dst = XS_HANDLE(*a->devPtr),   \
	  .bytes = a->size, XS_KEEP_OUR_STREAM)                                \
	F(cudaMallocFromPoolAsync, ptsz, ALLOC_DEVICE,                         \
	  .dst = XS_HANDLE(*a->devPtr), .bytes = a->size, XS_KEEP_OUR_STREAM)  \
	F(cudaFree, none, FREE_DEVICE, .dst = XS_HANDLE(a->devPtr))            \
	F(cudaIpcOpenMemHandle, none, ALLOC_DEVICE, XS_KEEP_OPENED(*a->devPtr))\
	F(cudaIpcCloseMemHandle, none, FREE_DEVICE, XS_KEEP_CLOSED(a->devPtr)) \
	F(cudaCreateTextureObject, none, OTHER, .dst = *a->object)             \
	F(cudaDestroyTextureObject, none, OTHER, .src = a->object)             \
	F(cudaCreateSurfaceObject, none, OTHER, .dst = *a->object)             \
	F(cudaDestroySurfaceObject, none, OTHER, .src = a->object)             \
	F(cudaExternalMemoryGetMappedBuffer, none, ALLOC_DEVICE,               \
	  .dst = XS_HANDLE(*a->address), .bytes = a->buffer->size)             \
	F(cudaMemPoolImportPointer, none, ALLOC_DEVICE,                        \
	  XS_KEEP_OPENED(*a->address))                                         \
	F(cudaFreeAsync, ptsz, FREE_DEVICE, .dst = XS_HANDLE(a->devPtr),       \
	  XS_KEEP_OUR_STREAM)                                                  \
	F(cudaDeviceSynchronize, none, SYNC_DEVICE, .stream = 0)               \
	F(cudaDeviceReset, none, RESET, .stream = 0)                           \
	/* their names up to CUDA 12 */                                        \
	F(cudaThreadSynchronize, none, SYNC_DEVICE, .stream = 0)               \
	F(cudaThreadExit, none, RESET, .stream = 0)                            \
	F(cudaStreamSynchronize, ptsz, SYNC_STREAM, XS_KEEP_OUR_STREAM)        \
	F(cudaEventSynchronize, none, SYNC_EVENT, .event = XS_HANDLE(a->event))\
	F(cudaEventRecord, ptsz, EVENT_RECORD, .event = XS_HANDLE(a->event),   \
	  XS_KEEP_OUR_STREAM)                                                  \
	F(cudaEventRecordWithFlags, ptsz, EVENT_RECORD,                        \
	  .event = XS_HANDLE(a->event), XS_KEEP_OUR_STREAM, .flags = a->flags) \
	F(cudaStreamWaitEvent, ptsz, STREAM_WAIT, XS_KEEP_OUR_STREAM,          \
	  .event = XS_HANDLE(a->event), .flags = a->flags)                     \
	F(cudaStreamCreate, none, STREAM_CREATE,                               \
	  .stream = XS_HANDLE(*a->pStream))                                    \
	F(cudaStreamCreateWithFlags, none, STREAM_CREATE,                      \
	  .stream = XS_HANDLE(*a->pStream), .flags = a->flags)                 \
	F(cudaStreamCreateWithPriority, none, STREAM_CREATE,                   \
	  .stream = XS_HANDLE(*a->pStream), .flags = a->flags)                 \
	F(cudaStreamDestroy, none, STREAM_DESTROY, XS_KEEP_OUR_STREAM)         \
	F(cudaStreamQuery, ptsz, POLL, XS_KEEP_OUR_STREAM)                     \
	F(cudaEventQuery, none, POLL, .event = XS_HANDLE(a->event))            \
	F(cudaStreamBeginCapture, ptsz, CAPTURE_BEGIN, XS_KEEP_OUR_STREAM)     \
	F(cudaStreamEndCapture, ptsz, CAPTURE_END, XS_KEEP_OUR_STREAM)         \
	F(cudaLaunchHostFunc, ptsz, HOST_FUNCTION, XS_KEEP_OUR_STREAM)         \
	F(cudaStreamAddCallback, ptsz, HOST_FUNCTION, XS_KEEP_OUR_STREAM)      \
	F(cudaLaunchKernel, ptsz, LAUNCH, XS_KEEP_OUR_STREAM)                  \
	F(__cudaLaunchKernel, ptsz, LAUNCH, XS_KEEP_OUR_STREAM)                \
	F(cudaLaunchCooperativeKernel, ptsz, LAUNCH, XS_KEEP_OUR_STREAM)       \
	F(cudaLaunchKernelExC, ptsz, LAUNCH,                                   \
	  .stream = XS_HANDLE(a->config->stream))                              \
	F(cudaGraphLaunch, ptsz, GRAPH_LAUNCH, XS_KEEP_OUR_STREAM)             \
	F(cudaProfilerStart, none, RANGE_START, .stream = 0)                   \
	F(cudaProfilerStop, none, RANGE_STOP, .stream = 0)

/* Rows, and bytes if the width is in bytes. */
#define XS_ROWS(extent)	  ((extent).height * (extent).depth)
#define XS_VOLUME(extent) ((extent).width * XS_ROWS(extent))
/* For arrays the width is in elements of unknown size: 0 bytes here; the
 * activity record has the bytes. */
#define XS_3D_END(p, side)                                                     \
	((p)->side##Array ? XS_HANDLE((p)->side##Array)                        \
			  : XS_HANDLE((p)->side##Ptr.ptr) +                    \
				((p)->side##Pos.z * (p)->side##Ptr.ysize +     \
				 (p)->side##Pos.y) * (p)->side##Ptr.pitch +    \
				(p)->side##Pos.x)
#define XS_KEEP_3D(p)                                                          \
	.dst = XS_3D_END(p, dst), .src = XS_3D_END(p, src),                    \
	.bytes = (p)->dstArray || (p)->srcArray ? 0 : XS_VOLUME((p)->extent),  \
	.rows = XS_ROWS((p)->extent),                                          \
	.height = (p)->extent.height, .pitch = (p)->srcPtr.pitch,              \
	.slice = (p)->srcPtr.pitch * (p)->srcPtr.ysize

/* Memory of another process. It may be opened several times: it lives until it
 * is closed as often, when the driver no longer knows the address. */
#define XS_KEEP_OPENED(pointer)                                                \
	.dst = XS_HANDLE(pointer),                                             \
	.bytes = xs_device_memory_bytes(XS_HANDLE(pointer))
#define XS_KEEP_CLOSED(pointer)                                                \
	.dst = xs_device_memory_bytes(XS_HANDLE(pointer)) ? 0                  \
							  : XS_HANDLE(pointer)

/* XS_FUNCTIONS(XS_SYMBOLS_ROW) is XS_SYMBOL(symbol, name, class) for each
 * function and each twin. XS_ARGS_ uses the name without the suffix. */
#define XS_SYMBOLS_ROW(name, twin, class, ...)                                 \
	XS_SYMBOL(name, name, class)                                           \
	XS_TWIN_##twin(name, class)
#define XS_TWIN_none(name, class)
#define XS_TWIN_ptds(name, class) XS_SYMBOL(name##_ptds, name, class)
#define XS_TWIN_ptsz(name, class) XS_SYMBOL(name##_ptsz, name, class)

/* XS_SEEN_SYMBOL(symbol, CUPTI's name, whose arguments, class, per_thread) for
 * each function of seen_functions.h and each twin. */
#define XS_DRIVER_SYMBOLS_ROW(name, twin, class, ...)                          \
	XS_SEEN_SYMBOL(name, name, name, class, false)                         \
	XS_DRIVER_TWIN_##twin(name, class)
#define XS_DRIVER_TWIN_none(name, class)
#define XS_DRIVER_TWIN_ptds(name, class)                                       \
	XS_SEEN_SYMBOL(name##_ptds, name##_ptds, name, class, true)
#define XS_DRIVER_TWIN_ptsz(name, class)                                       \
	XS_SEEN_SYMBOL(name##_ptsz, name##_ptsz, name, class, true)
#define XS_NEWER_SYMBOLS_ROW(name, args, twin, class, ...)                     \
	XS_DRIVER_SYMBOLS_ROW(name, twin, class)
#define XS_LATE_SYMBOLS_ROW(name, version, args, twin, class, ...)             \
	XS_SEEN_SYMBOL(name, name##_##version, name##_##version, class, false) \
	XS_SEEN_SYMBOL(name##_##twin, name##_##twin##_##version,               \
		       name##_##version, class, true)
/* clang-format on */

/* The interposed functions first, then those that only callbacks see. */
enum xs_function {
#define XS_SYMBOL(symbol, name, class) XS_FN_##symbol,
	XS_FUNCTIONS(XS_SYMBOLS_ROW)
#undef XS_SYMBOL
#define XS_SEEN_SYMBOL(symbol, cupti, args, class, per_thread) XS_FN_##cupti,
	    XS_DRIVER_FUNCTIONS(XS_DRIVER_SYMBOLS_ROW)
		XS_NEWER_FUNCTIONS(XS_NEWER_SYMBOLS_ROW)
		    XS_LATE_FUNCTIONS(XS_LATE_SYMBOLS_ROW)
#undef XS_SEEN_SYMBOL
			XS_FN_COUNT
};

/* Fills *event from a struct of the arguments of a call that succeeded. */
typedef void (*xs_fill_fn)(const void *arguments, struct xs_event *event);

struct xs_function_row {
	const char *name;
	const char *cupti_name; /* NULL: `name` with any version */
	xs_fill_fn fill;
	uint8_t call_class; /* enum xs_call_class */
	bool per_thread;    /* a twin: stream 0 is the per-thread one */
};

/* Indexed by enum xs_function. */
extern const struct xs_function_row xs_functions[XS_FN_COUNT];

/* Returns whether the function belongs to the runtime, not to the driver. */
bool xs_function_is_runtime(enum xs_function fn);

/* Returns whether calls of the function issue ops. */
static inline bool xs_function_issues(enum xs_function fn)
{
	return xs_call_issues(xs_functions[fn].call_class);
}

/* Returns whether it is cudaProfilerStart, cudaProfilerStop or their like. */
static inline bool xs_function_marks_range(enum xs_function fn)
{
	return xs_functions[fn].call_class == XS_CALL_RANGE_START ||
	       xs_functions[fn].call_class == XS_CALL_RANGE_STOP;
}

/* Returns the function that CUPTI calls `name` ("cudaMemcpy_v3020",
 * "cuMemcpy_ptds"), or XS_FN_COUNT if it is not in the table. */
enum xs_function xs_function_by_cupti_name(const char *name);
