/* SPDX-License-Identifier: MIT */
/*
 * Functions that only CUPTI's callbacks see: those of the driver API, which
 * programs get from cuGetProcAddress, where nothing can be interposed; and
 * those of the runtime whose arguments differ between major versions under one
 * name, so that a hook could not pass them on.
 *
 * Rows are like those of XS_FUNCTIONS (functions.h, which includes this):
 *
 * XS_DRIVER_FUNCTIONS(D): D(name, twin, class, what to keep); the arguments
 *   are CUPTI's own struct.
 * XS_NEWER_FUNCTIONS(N):  N(name, arguments, twin, class, what to keep):
 *   driver functions that some headers lack, or that take no arguments.
 * XS_LATE_FUNCTIONS(L):   L(name, version, arguments, twin, class, what to
 *   keep), where CUPTI calls the function name_version.
 *
 * The argument structs of the last two are defined here, so that the library
 * does not depend on the toolkit that it was built with.
 *
 * Not listed: the driver's functions with 32-bit sizes, which no current
 * program finds by their names.
 */
#pragma once

#include <cuda.h>
#include <stddef.h>

/* Undo cuda.h's macros, which are meant for callers. */
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
#undef cuMemPrefetchAsync
#undef cuCtxSynchronize

/* CUPTI has no struct for functions without arguments. */
struct xs_no_arguments {
	char nothing;
};
/* CUDA 12.8 and 12.9; later versions lack `failed`. */
struct xs_batch_12080 {
	void **dsts, **srcs;
	size_t *sizes;
	size_t count;
	void *attributes;
	size_t *indices;
	size_t attribute_count;
	size_t *failed;
	void *stream;
};
struct xs_batch {
	void **dsts, **srcs;
	size_t *sizes;
	size_t count;
	void *attributes;
	size_t *indices;
	size_t attribute_count;
	void *stream;
};
struct xs_volumes_12080 {
	size_t count;
	void *copies;
	size_t *failed;
	unsigned long long flags;
	void *stream;
};
struct xs_volumes {
	size_t count;
	void *copies;
	unsigned long long flags;
	void *stream;
};
/* Up to CUDA 12.9; the next struct is used since 12.2. */
struct xs_prefetch_8000 {
	void *devPtr;
	size_t count;
	int device;
	void *stream;
};
struct xs_prefetch {
	void *devPtr;
	size_t count;
	struct {
		int kind, id;
	} location;
	unsigned int flags;
	void *stream;
};
struct xs_prefetch_batch {
	void **pointers;
	size_t *sizes;
	size_t count;
	void *locations;
	size_t *indices;
	size_t location_count;
	unsigned long long flags;
	void *stream;
};
struct xs_capture_to_graph {
	void *stream, *graph;
	const void *dependencies, *edges;
	size_t count;
	int mode;
};
struct xs_context {
	void *context;
};

/* Source or destination of a copy that a struct describes, from its row on. */
#define XS_DRIVER_END(p, side, row)                                            \
	((p)->side##MemoryType == CU_MEMORYTYPE_ARRAY                          \
	     ? XS_HANDLE((p)->side##Array)                                     \
	     : ((p)->side##MemoryType == CU_MEMORYTYPE_HOST                    \
		    ? XS_HANDLE((p)->side##Host)                               \
		    : XS_HANDLE((p)->side##Device)) +                          \
		   (row) * (p)->side##Pitch + (p)->side##XInBytes)
#define XS_DRIVER_ROW(p, side) ((p)->side##Z * (p)->side##Height + (p)->side##Y)
#define XS_DRIVER_DIRECTION(p)                                                 \
	((p)->srcMemoryType == CU_MEMORYTYPE_UNIFIED ||                        \
		 (p)->dstMemoryType == CU_MEMORYTYPE_UNIFIED                   \
	     ? cudaMemcpyDefault                                               \
	 : (p)->srcMemoryType == CU_MEMORYTYPE_HOST                            \
	     ? ((p)->dstMemoryType == CU_MEMORYTYPE_HOST                       \
		    ? cudaMemcpyHostToHost                                     \
		    : cudaMemcpyHostToDevice)                                  \
	 : (p)->dstMemoryType == CU_MEMORYTYPE_HOST                            \
	     ? cudaMemcpyDeviceToHost                                          \
	     : cudaMemcpyDeviceToDevice)

/* clang-format off */
#define XS_KEEP_PLAIN(d, s, way)                                               \
	.dst = XS_HANDLE(d), .src = XS_HANDLE(s), .bytes = a->ByteCount,       \
	.rows = 1, .direction = cudaMemcpy##way
#define XS_KEEP_2D(p)                                                          \
	.dst = XS_DRIVER_END(p, dst, (p)->dstY),                               \
	.src = XS_DRIVER_END(p, src, (p)->srcY),                               \
	.bytes = (p)->WidthInBytes * (p)->Height, .rows = (p)->Height,         \
	.pitch = (p)->srcPitch,                                                \
	.direction = XS_DRIVER_DIRECTION(p)
#define XS_KEEP_3D_OF_DRIVER(p)                                                \
	.dst = XS_DRIVER_END(p, dst, XS_DRIVER_ROW(p, dst)),                   \
	.src = XS_DRIVER_END(p, src, XS_DRIVER_ROW(p, src)),                   \
	.bytes = (p)->WidthInBytes * (p)->Height * (p)->Depth,                 \
	.rows = (p)->Height * (p)->Depth,                                      \
	.height = (p)->Height, .pitch = (p)->srcPitch,                         \
	.slice = (p)->srcPitch * (p)->srcHeight,                               \
	.direction = XS_DRIVER_DIRECTION(p)
#define XS_KEEP_SET(unit)                                                      \
	.dst = XS_HANDLE(a->dstDevice), .bytes = a->N * (unit), .rows = 1
#define XS_KEEP_SET_2D(unit)                                                   \
	.dst = XS_HANDLE(a->dstDevice),                                        \
	.bytes = a->Width * a->Height * (unit), .rows = a->Height
#define XS_KEEP_STREAM .stream = XS_HANDLE(a->hStream)
#define XS_KEEP_OUR_STREAM .stream = XS_HANDLE(a->stream)
#define XS_KEEP_PREFETCH                                                       \
	.dst = XS_HANDLE(a->devPtr), .bytes = a->count, .rows = 1,             \
	.direction = cudaMemcpyDefault
/* Several copies in one call: there is no single address. For copies of volumes
 * the element size is unknown; the activity records have the bytes. */
#define XS_KEEP_BATCH                                                          \
	.bytes = sum_bytes(a->sizes, a->count), .rows = a->count,              \
	.direction = cudaMemcpyDefault, XS_KEEP_OUR_STREAM
#define XS_KEEP_VOLUMES                                                        \
	.rows = a->count, .direction = cudaMemcpyDefault, XS_KEEP_OUR_STREAM

#define XS_DRIVER_FUNCTIONS(D)                                                 \
	D(cuMemcpy, ptds, COPY, XS_KEEP_PLAIN(a->dst, a->src, Default))        \
	D(cuMemcpyAsync, ptsz, COPY_ASYNC,                                     \
	  XS_KEEP_PLAIN(a->dst, a->src, Default), XS_KEEP_STREAM)              \
	D(cuMemcpyHtoD_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcHost, HostToDevice))               \
	D(cuMemcpyHtoDAsync_v2, ptsz, COPY_ASYNC,                              \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcHost, HostToDevice),               \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpyDtoH_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstHost, a->srcDevice, DeviceToHost))               \
	D(cuMemcpyDtoHAsync_v2, ptsz, COPY_ASYNC,                              \
	  XS_KEEP_PLAIN(a->dstHost, a->srcDevice, DeviceToHost),               \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpyDtoD_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcDevice, DeviceToDevice))           \
	D(cuMemcpyDtoDAsync_v2, ptsz, COPY_ASYNC,                              \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcDevice, DeviceToDevice),           \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpyHtoA_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstArray, a->srcHost, HostToDevice))                \
	D(cuMemcpyHtoAAsync_v2, ptsz, COPY_ASYNC,                              \
	  XS_KEEP_PLAIN(a->dstArray, a->srcHost, HostToDevice),                \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpyAtoH_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstHost, a->srcArray, DeviceToHost))                \
	D(cuMemcpyAtoHAsync_v2, ptsz, COPY_ASYNC,                              \
	  XS_KEEP_PLAIN(a->dstHost, a->srcArray, DeviceToHost),                \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpyDtoA_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstArray, a->srcDevice, DeviceToDevice))            \
	D(cuMemcpyAtoD_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcArray, DeviceToDevice))            \
	D(cuMemcpyAtoA_v2, ptds, COPY,                                         \
	  XS_KEEP_PLAIN(a->dstArray, a->srcArray, DeviceToDevice))             \
	D(cuMemcpyPeer, ptds, COPY,                                            \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcDevice, DeviceToDevice))           \
	D(cuMemcpyPeerAsync, ptsz, COPY_ASYNC,                                 \
	  XS_KEEP_PLAIN(a->dstDevice, a->srcDevice, DeviceToDevice),           \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpy2D_v2, ptds, COPY, XS_KEEP_2D(a->pCopy))                     \
	D(cuMemcpy2DUnaligned_v2, ptds, COPY, XS_KEEP_2D(a->pCopy))            \
	D(cuMemcpy2DAsync_v2, ptsz, COPY_ASYNC, XS_KEEP_2D(a->pCopy),          \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpy3D_v2, ptds, COPY, XS_KEEP_3D_OF_DRIVER(a->pCopy))           \
	D(cuMemcpy3DAsync_v2, ptsz, COPY_ASYNC,                                \
	  XS_KEEP_3D_OF_DRIVER(a->pCopy), XS_KEEP_STREAM)                      \
	D(cuMemcpy3DPeer, ptds, COPY, XS_KEEP_3D_OF_DRIVER(a->pCopy))          \
	D(cuMemcpy3DPeerAsync, ptsz, COPY_ASYNC,                               \
	  XS_KEEP_3D_OF_DRIVER(a->pCopy), XS_KEEP_STREAM)                      \
	D(cuMemsetD8_v2, ptds, SET, XS_KEEP_SET(1))                            \
	D(cuMemsetD16_v2, ptds, SET, XS_KEEP_SET(2))                           \
	D(cuMemsetD32_v2, ptds, SET, XS_KEEP_SET(4))                           \
	D(cuMemsetD8Async, ptsz, SET_ASYNC, XS_KEEP_SET(1), XS_KEEP_STREAM)    \
	D(cuMemsetD16Async, ptsz, SET_ASYNC, XS_KEEP_SET(2), XS_KEEP_STREAM)   \
	D(cuMemsetD32Async, ptsz, SET_ASYNC, XS_KEEP_SET(4), XS_KEEP_STREAM)   \
	D(cuMemsetD2D8_v2, ptds, SET, XS_KEEP_SET_2D(1))                       \
	D(cuMemsetD2D16_v2, ptds, SET, XS_KEEP_SET_2D(2))                      \
	D(cuMemsetD2D32_v2, ptds, SET, XS_KEEP_SET_2D(4))                      \
	D(cuMemsetD2D8Async, ptsz, SET_ASYNC, XS_KEEP_SET_2D(1),               \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemsetD2D16Async, ptsz, SET_ASYNC, XS_KEEP_SET_2D(2),              \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemsetD2D32Async, ptsz, SET_ASYNC, XS_KEEP_SET_2D(4),              \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemAlloc_v2, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->dptr),       \
	  .bytes = a->bytesize)                                                \
	D(cuMemAllocPitch_v2, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->dptr),  \
	  .bytes = *a->pPitch * a->Height)                                     \
	D(cuMemAllocManaged, none, ALLOC_DEVICE, .dst = XS_HANDLE(*a->dptr),   \
	  .bytes = a->bytesize, .flags = a->flags)                             \
	D(cuMemAllocAsync, ptsz, ALLOC_DEVICE, .dst = XS_HANDLE(*a->dptr),     \
	  .bytes = a->bytesize, XS_KEEP_STREAM)                                \
	D(cuMemAllocFromPoolAsync, ptsz, ALLOC_DEVICE,                         \
	  .dst = XS_HANDLE(*a->dptr), .bytes = a->bytesize, XS_KEEP_STREAM)    \
	D(cuMemFree_v2, none, FREE_DEVICE, .dst = XS_HANDLE(a->dptr))          \
	D(cuIpcOpenMemHandle_v2, none, ALLOC_DEVICE,                           \
	  XS_KEEP_OPENED(*a->pdptr))                                           \
	D(cuIpcCloseMemHandle, none, FREE_DEVICE, XS_KEEP_CLOSED(a->dptr))     \
	D(cuMemMap, none, ALLOC_DEVICE, .dst = XS_HANDLE(a->ptr),              \
	  .src = a->handle, .bytes = a->size)                                  \
	D(cuMemRelease, none, OTHER, .src = a->handle)                         \
	D(cuMemImportFromShareableHandle, none, OTHER, .src = *a->handle)      \
	D(cuMemRetainAllocationHandle, none, OTHER, .src = *a->handle,         \
	  .dst = XS_HANDLE(a->addr))                                           \
	D(cuTexObjectCreate, none, OTHER, .dst = *a->pTexObject)               \
	D(cuTexObjectDestroy, none, OTHER, .src = a->texObject)                \
	D(cuSurfObjectCreate, none, OTHER, .dst = *a->pSurfObject)             \
	D(cuSurfObjectDestroy, none, OTHER, .src = a->surfObject)              \
	D(cuExternalMemoryGetMappedBuffer, none, ALLOC_DEVICE,                 \
	  .dst = XS_HANDLE(*a->devPtr), .bytes = a->bufferDesc->size)          \
	D(cuMemPoolImportPointer, none, ALLOC_DEVICE,                          \
	  XS_KEEP_OPENED(*a->ptr_out))                                         \
	D(cuMemUnmap, none, FREE_DEVICE, .dst = XS_HANDLE(a->ptr),             \
	  .bytes = a->size)                                                    \
	D(cuMemFreeAsync, ptsz, FREE_DEVICE, .dst = XS_HANDLE(a->dptr),        \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemHostAlloc, none, ALLOC_PINNED, .dst = XS_HANDLE(*a->pp),        \
	  .bytes = a->bytesize, .flags = a->Flags)                             \
	D(cuMemAllocHost_v2, none, ALLOC_PINNED, .dst = XS_HANDLE(*a->pp),     \
	  .bytes = a->bytesize)                                                \
	D(cuMemFreeHost, none, FREE_PINNED, .dst = XS_HANDLE(a->p))            \
	D(cuMemHostRegister_v2, none, REGISTER, .dst = XS_HANDLE(a->p),        \
	  .bytes = a->bytesize, .flags = a->Flags)                             \
	D(cuMemHostUnregister, none, UNREGISTER, .dst = XS_HANDLE(a->p))       \
	D(cuStreamSynchronize, ptsz, SYNC_STREAM, XS_KEEP_STREAM)              \
	D(cuEventSynchronize, none, SYNC_EVENT, .event = XS_HANDLE(a->hEvent)) \
	D(cuEventRecord, ptsz, EVENT_RECORD, .event = XS_HANDLE(a->hEvent),    \
	  XS_KEEP_STREAM)                                                      \
	D(cuEventRecordWithFlags, ptsz, EVENT_RECORD,                          \
	  .event = XS_HANDLE(a->hEvent), XS_KEEP_STREAM, .flags = a->flags)    \
	D(cuStreamWaitEvent, ptsz, STREAM_WAIT, XS_KEEP_STREAM,                \
	  .event = XS_HANDLE(a->hEvent), .flags = a->Flags)                    \
	D(cuStreamQuery, ptsz, POLL, XS_KEEP_STREAM)                           \
	D(cuEventQuery, none, POLL, .event = XS_HANDLE(a->hEvent))             \
	D(cuStreamBeginCapture_v2, ptsz, CAPTURE_BEGIN, XS_KEEP_STREAM)        \
	D(cuStreamEndCapture, ptsz, CAPTURE_END, XS_KEEP_STREAM)               \
	D(cuLaunchHostFunc, ptsz, HOST_FUNCTION, XS_KEEP_STREAM)               \
	D(cuStreamAddCallback, ptsz, HOST_FUNCTION, XS_KEEP_STREAM)            \
	D(cuDevicePrimaryCtxReset_v2, none, RESET, .stream = 0)                \
	D(cuMemPrefetchAsync, ptsz, PREFETCH, XS_KEEP_PREFETCH,                \
	  XS_KEEP_STREAM)                                                      \
	D(cuStreamCreate, none, STREAM_CREATE,                                 \
	  .stream = XS_HANDLE(*a->phStream), .flags = a->Flags)                \
	D(cuStreamCreateWithPriority, none, STREAM_CREATE,                     \
	  .stream = XS_HANDLE(*a->phStream), .flags = a->flags)                \
	D(cuStreamDestroy_v2, none, STREAM_DESTROY, XS_KEEP_STREAM)            \
	D(cuLaunchKernel, ptsz, LAUNCH, XS_KEEP_STREAM)                        \
	D(cuLaunchCooperativeKernel, ptsz, LAUNCH, XS_KEEP_STREAM)             \
	D(cuLaunchKernelEx, ptsz, LAUNCH,                                      \
	  .stream = XS_HANDLE(a->config->hStream))                             \
	D(cuGraphLaunch, ptsz, GRAPH_LAUNCH, XS_KEEP_STREAM)

#define XS_NEWER_FUNCTIONS(N)                                                  \
	N(cuCtxSynchronize, xs_no_arguments, none, SYNC_DEVICE, .stream = 0)   \
	N(cuProfilerStart, xs_no_arguments, none, RANGE_START, .stream = 0)    \
	N(cuProfilerStop, xs_no_arguments, none, RANGE_STOP, .stream = 0)      \
	N(cuMemPrefetchAsync_v2, xs_prefetch, ptsz, PREFETCH,                  \
	  XS_KEEP_PREFETCH, XS_KEEP_OUR_STREAM)                                \
	N(cuStreamBeginCaptureToGraph, xs_capture_to_graph, ptsz,              \
	  CAPTURE_BEGIN, XS_KEEP_OUR_STREAM)                                   \
	N(cuMemcpyBatchAsync, xs_batch_12080, ptsz, COPY_ASYNC, XS_KEEP_BATCH) \
	N(cuMemcpyBatchAsync_v2, xs_batch, ptsz, COPY_ASYNC, XS_KEEP_BATCH)    \
	N(cuMemcpy3DBatchAsync, xs_volumes_12080, ptsz, COPY_ASYNC,            \
	  XS_KEEP_VOLUMES)                                                     \
	N(cuMemcpy3DBatchAsync_v2, xs_volumes, ptsz, COPY_ASYNC,               \
	  XS_KEEP_VOLUMES)                                                     \
	N(cuMemPrefetchBatchAsync, xs_prefetch_batch, ptsz, PREFETCH,          \
	  XS_KEEP_BATCH)                                                       \
	N(cuCtxSynchronize_v2, xs_context, none, SYNC_DEVICE, .stream = 0)

/* CUDA 12's cudaMemPrefetchAsync_v2 is CUDA 13's function without the _v2. */
#define XS_LATE_FUNCTIONS(L)                                                   \
	L(cudaMemPrefetchAsync, v8000, xs_prefetch_8000, ptsz, PREFETCH,       \
	  XS_KEEP_PREFETCH, XS_KEEP_OUR_STREAM)                                \
	L(cudaMemPrefetchAsync_v2, v12020, xs_prefetch, ptsz, PREFETCH,        \
	  XS_KEEP_PREFETCH, XS_KEEP_OUR_STREAM)                                \
	L(cudaMemPrefetchAsync, v12020, xs_prefetch, ptsz, PREFETCH,           \
	  XS_KEEP_PREFETCH, XS_KEEP_OUR_STREAM)                                \
	L(cudaStreamBeginCaptureToGraph, v12030, xs_capture_to_graph, ptsz,    \
	  CAPTURE_BEGIN, XS_KEEP_OUR_STREAM)                                   \
	L(cudaMemcpyBatchAsync, v12080, xs_batch_12080, ptsz, COPY_ASYNC,      \
	  XS_KEEP_BATCH)                                                       \
	L(cudaMemcpyBatchAsync, v13000, xs_batch, ptsz, COPY_ASYNC,            \
	  XS_KEEP_BATCH)                                                       \
	L(cudaMemcpy3DBatchAsync, v12080, xs_volumes_12080, ptsz, COPY_ASYNC,  \
	  XS_KEEP_VOLUMES)                                                     \
	L(cudaMemcpy3DBatchAsync, v13000, xs_volumes, ptsz, COPY_ASYNC,        \
	  XS_KEEP_VOLUMES)                                                     \
	L(cudaMemPrefetchBatchAsync, v13000, xs_prefetch_batch, ptsz,          \
	  PREFETCH, XS_KEEP_BATCH)
/* clang-format on */
