/* SPDX-License-Identifier: MIT */
/*
 * The functions that only CUPTI's callbacks see: those of the driver API, which
 * programs find through cuGetProcAddress, where nothing can be interposed; and
 * those of the runtime whose arguments differ between its majors under one
 * name, so that a hook could not pass them on.
 *
 * The arguments are CUPTI's own structs. Rows are as those of XS_FUNCTIONS
 * (functions.h, which includes this):
 *
 * XS_DRIVER_FUNCTIONS(D): D(name, twin, class, what to keep)
 * XS_LATE_FUNCTIONS(L):   L(name, version, twin, class, what to keep), where
 *   CUPTI calls the function name_version.
 *
 * Not here: the driver's functions of 32-bit sizes, which no program of today
 * finds by their names.
 */
#ifndef XS_SEEN_FUNCTIONS_H
#define XS_SEEN_FUNCTIONS_H

#include <cuda.h>

/* cuda.h's macros of these names are for callers. */
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
#undef cuMemPrefetchAsync
#undef cuCtxSynchronize

/* One end of a copy that a struct describes. */
#define XS_DRIVER_END(p, side)                                                 \
	((p)->side##MemoryType == CU_MEMORYTYPE_HOST                           \
	     ? XS_HANDLE((p)->side##Host)                                      \
	 : (p)->side##MemoryType == CU_MEMORYTYPE_ARRAY                        \
	     ? XS_HANDLE((p)->side##Array)                                     \
	     : XS_HANDLE((p)->side##Device))
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
	.dst = XS_DRIVER_END(p, dst), .src = XS_DRIVER_END(p, src),            \
	.bytes = (p)->WidthInBytes * (p)->Height, .rows = (p)->Height,         \
	.direction = XS_DRIVER_DIRECTION(p)
#define XS_KEEP_3D_OF_DRIVER(p)                                                \
	.dst = XS_DRIVER_END(p, dst), .src = XS_DRIVER_END(p, src),            \
	.bytes = (p)->WidthInBytes * (p)->Height * (p)->Depth,                 \
	.rows = (p)->Height * (p)->Depth,                                      \
	.direction = XS_DRIVER_DIRECTION(p)
#define XS_KEEP_SET(unit)                                                      \
	.dst = XS_HANDLE(a->dstDevice), .bytes = a->N * (unit), .rows = 1
#define XS_KEEP_SET_2D(unit)                                                   \
	.dst = XS_HANDLE(a->dstDevice),                                        \
	.bytes = a->Width * a->Height * (unit), .rows = a->Height
#define XS_KEEP_STREAM .stream = XS_HANDLE(a->hStream)
#define XS_KEEP_PREFETCH                                                       \
	.dst = XS_HANDLE(a->devPtr), .bytes = a->count, .rows = 1,             \
	.direction = cudaMemcpyDefault
/* Many copies of one call: no address stands for all. Of copies of volumes
 * the size of an element is not known; the GPU's records have the bytes. */
#define XS_KEEP_BATCH                                                          \
	.bytes = sum_bytes(a->sizes, a->count), .rows = a->count,           \
	.direction = cudaMemcpyDefault

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
	D(cuCtxSynchronize, none, SYNC_DEVICE, .stream = 0)                    \
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
	D(cuGraphLaunch, ptsz, GRAPH_LAUNCH, XS_KEEP_STREAM)                   \
	XS_DRIVER_LATE(D)

#define XS_DRIVER_SINCE_13000(D)                                               \
	XS_DRIVER_SINCE_12080(D)                                               \
	D(cuMemcpyBatchAsync_v2, ptsz, COPY_ASYNC, XS_KEEP_BATCH,              \
	  XS_KEEP_STREAM)                                                      \
	D(cuMemcpy3DBatchAsync_v2, ptsz, COPY_ASYNC, .rows = a->numOps,        \
	  .direction = cudaMemcpyDefault, XS_KEEP_STREAM)                      \
	D(cuMemPrefetchBatchAsync, ptsz, PREFETCH, XS_KEEP_BATCH,              \
	  XS_KEEP_STREAM)                                                      \
	D(cuCtxSynchronize_v2, none, SYNC_DEVICE, .stream = 0)
#define XS_DRIVER_SINCE_12080(D)                                               \
	XS_DRIVER_SINCE_12030(D)                                               \
	D(cuMemcpyBatchAsync, ptsz, COPY_ASYNC, XS_KEEP_BATCH, XS_KEEP_STREAM) \
	D(cuMemcpy3DBatchAsync, ptsz, COPY_ASYNC, .rows = a->numOps,           \
	  .direction = cudaMemcpyDefault, XS_KEEP_STREAM)
#define XS_DRIVER_SINCE_12030(D)                                               \
	D(cuMemPrefetchAsync_v2, ptsz, PREFETCH, XS_KEEP_PREFETCH,             \
	  XS_KEEP_STREAM)                                                      \
	D(cuStreamBeginCaptureToGraph, ptsz, CAPTURE_BEGIN, XS_KEEP_STREAM)

#define XS_LATE_SINCE_13000(L)                                                 \
	XS_LATE_SINCE_12080(L)                                                 \
	XS_LATE_BATCHES(L, v13000)                                             \
	L(cudaMemPrefetchAsync, v12020, ptsz, PREFETCH, XS_KEEP_PREFETCH,      \
	  .stream = XS_HANDLE(a->stream))                                      \
	L(cudaMemPrefetchBatchAsync, v13000, ptsz, PREFETCH, XS_KEEP_BATCH,    \
	  .stream = XS_HANDLE(a->stream))
#define XS_LATE_SINCE_12080(L)                                                 \
	XS_LATE_SINCE_12030(L)                                                 \
	XS_LATE_BATCHES(L, v12080)
#define XS_LATE_SINCE_12030(L)                                                 \
	XS_LATE_SINCE_8000(L)                                                  \
	L(cudaStreamBeginCaptureToGraph, v12030, ptsz, CAPTURE_BEGIN,          \
	  .stream = XS_HANDLE(a->stream))
#define XS_LATE_SINCE_8000(L)                                                  \
	L(cudaMemPrefetchAsync, v8000, ptsz, PREFETCH, XS_KEEP_PREFETCH,       \
	  .stream = XS_HANDLE(a->stream))
#define XS_LATE_BATCHES(L, version)                                            \
	L(cudaMemcpyBatchAsync, version, ptsz, COPY_ASYNC, XS_KEEP_BATCH,      \
	  .stream = XS_HANDLE(a->stream))                                      \
	L(cudaMemcpy3DBatchAsync, version, ptsz, COPY_ASYNC,                   \
	  .rows = a->numOps, .direction = cudaMemcpyDefault,                   \
	  .stream = XS_HANDLE(a->stream))
/* clang-format on */

/* What the headers that this is built with know. */
#if CUDA_VERSION >= 13000
#define XS_DRIVER_LATE(D)    XS_DRIVER_SINCE_13000(D)
#define XS_LATE_FUNCTIONS(L) XS_LATE_SINCE_13000(L)
#elif CUDA_VERSION >= 12080
#define XS_DRIVER_LATE(D)    XS_DRIVER_SINCE_12080(D)
#define XS_LATE_FUNCTIONS(L) XS_LATE_SINCE_12080(L)
#elif CUDA_VERSION >= 12030
#define XS_DRIVER_LATE(D)    XS_DRIVER_SINCE_12030(D)
#define XS_LATE_FUNCTIONS(L) XS_LATE_SINCE_12030(L)
#else
#define XS_DRIVER_LATE(D)
#define XS_LATE_FUNCTIONS(L) XS_LATE_SINCE_8000(L)
#endif

#endif
