/* SPDX-License-Identifier: MIT */
/* One struct for each function: its arguments in order, as CUPTI passes them to
 * a callback and as the hooks pack their own. */
#pragma once

#include "preload/api/functions.h"

#include <surface_types.h>
#include <texture_types.h>

/* clang-format off */
/* XS_ARGS_name(A, _): the arguments in order, A(type, name), separated by _().
 * Names are the project's own; order and types are the ABI. */
#define XS_ARGS_cudaMemcpy(A, _)                                               \
	A(void *, dst) _() A(const void *, src) _() A(size_t, count)           \
	_() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpyAsync(A, _)                                          \
	XS_ARGS_cudaMemcpy(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpy2D(A, _)                                             \
	A(void *, dst) _() A(size_t, dpitch) _() A(const void *, src)          \
	_() A(size_t, spitch) _() A(size_t, width) _() A(size_t, height)       \
	_() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpy2DAsync(A, _)                                        \
	XS_ARGS_cudaMemcpy2D(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpy3D(A, _) A(const struct cudaMemcpy3DParms *, p)
#define XS_ARGS_cudaMemcpy3DAsync(A, _)                                        \
	XS_ARGS_cudaMemcpy3D(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpyPeer(A, _)                                           \
	A(void *, dst) _() A(int, dst_device) _() A(const void *, src)         \
	_() A(int, src_device) _() A(size_t, count)
#define XS_ARGS_cudaMemcpyPeerAsync(A, _)                                      \
	XS_ARGS_cudaMemcpyPeer(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpy3DPeer(A, _)                                         \
	A(const struct cudaMemcpy3DPeerParms *, p)
#define XS_ARGS_cudaMemcpy3DPeerAsync(A, _)                                    \
	XS_ARGS_cudaMemcpy3DPeer(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpyToSymbol(A, _)                                       \
	A(const void *, dst) _() A(const void *, src) _() A(size_t, count)     \
	_() A(size_t, offset) _() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpyToSymbolAsync(A, _)                                  \
	XS_ARGS_cudaMemcpyToSymbol(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpyFromSymbol(A, _)                                     \
	A(void *, dst) _() A(const void *, src) _() A(size_t, count)           \
	_() A(size_t, offset) _() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpyFromSymbolAsync(A, _)                                \
	XS_ARGS_cudaMemcpyFromSymbol(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpyToArray(A, _)                                        \
	A(cudaArray_t, dst) _() A(size_t, x) _() A(size_t, y)                  \
	_() A(const void *, src) _() A(size_t, count)                          \
	_() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpyToArrayAsync(A, _)                                   \
	XS_ARGS_cudaMemcpyToArray(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpyFromArray(A, _)                                      \
	A(void *, dst) _() A(cudaArray_const_t, src) _() A(size_t, x)          \
	_() A(size_t, y) _() A(size_t, count) _() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpyFromArrayAsync(A, _)                                 \
	XS_ARGS_cudaMemcpyFromArray(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_TWO_ARRAYS(A, _)                                               \
	A(cudaArray_t, dst) _() A(size_t, dst_x) _() A(size_t, dst_y)          \
	_() A(cudaArray_const_t, src) _() A(size_t, src_x)                     \
	_() A(size_t, src_y)
#define XS_ARGS_cudaMemcpyArrayToArray(A, _)                                   \
	XS_ARGS_TWO_ARRAYS(A, _)                                               \
	_() A(size_t, count) _() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpy2DToArray(A, _)                                      \
	A(cudaArray_t, dst) _() A(size_t, x) _() A(size_t, y)                  \
	_() A(const void *, src) _() A(size_t, spitch) _() A(size_t, width)    \
	_() A(size_t, height) _() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpy2DToArrayAsync(A, _)                                 \
	XS_ARGS_cudaMemcpy2DToArray(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpy2DFromArray(A, _)                                    \
	A(void *, dst) _() A(size_t, dpitch) _() A(cudaArray_const_t, src)     \
	_() A(size_t, x) _() A(size_t, y) _() A(size_t, width)                 \
	_() A(size_t, height)                                                  \
	_() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemcpy2DFromArrayAsync(A, _)                               \
	XS_ARGS_cudaMemcpy2DFromArray(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemcpy2DArrayToArray(A, _)                                 \
	XS_ARGS_TWO_ARRAYS(A, _)                                               \
	_() A(size_t, width) _() A(size_t, height)                             \
	_() A(enum cudaMemcpyKind, kind)
#define XS_ARGS_cudaMemset(A, _)                                               \
	A(void *, devPtr) _() A(int, value) _() A(size_t, count)
#define XS_ARGS_cudaMemsetAsync(A, _)                                          \
	XS_ARGS_cudaMemset(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemset2D(A, _)                                             \
	A(void *, devPtr) _() A(size_t, pitch) _() A(int, value)               \
	_() A(size_t, width) _() A(size_t, height)
#define XS_ARGS_cudaMemset2DAsync(A, _)                                        \
	XS_ARGS_cudaMemset2D(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMemset3D(A, _)                                             \
	A(struct cudaPitchedPtr, pitched) _() A(int, value)                    \
	_() A(struct cudaExtent, extent)
#define XS_ARGS_cudaMemset3DAsync(A, _)                                        \
	XS_ARGS_cudaMemset3D(A, _) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaHostAlloc(A, _)                                            \
	A(void **, pHost) _() A(size_t, size) _() A(unsigned int, flags)
#define XS_ARGS_cudaMallocHost(A, _) A(void **, ptr) _() A(size_t, size)
#define XS_ARGS_cudaFreeHost(A, _) A(void *, ptr)
#define XS_ARGS_cudaHostRegister(A, _)                                         \
	A(void *, ptr) _() A(size_t, size) _() A(unsigned int, flags)
#define XS_ARGS_cudaHostUnregister(A, _) A(void *, ptr)
#define XS_ARGS_cudaMalloc(A, _) A(void **, devPtr) _() A(size_t, size)
#define XS_ARGS_cudaMallocPitch(A, _)                                          \
	A(void **, devPtr) _() A(size_t *, pitch) _() A(size_t, width)         \
	_() A(size_t, height)
#define XS_ARGS_cudaMalloc3D(A, _)                                             \
	A(struct cudaPitchedPtr *, pitched) _() A(struct cudaExtent, extent)
#define XS_ARGS_cudaMallocManaged(A, _)                                        \
	A(void **, devPtr) _() A(size_t, size) _() A(unsigned int, flags)
#define XS_ARGS_cudaMallocAsync(A, _)                                          \
	A(void **, devPtr) _() A(size_t, size) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaMallocFromPoolAsync(A, _)                                  \
	A(void **, devPtr) _() A(size_t, size) _() A(cudaMemPool_t, pool)      \
	_() A(cudaStream_t, stream)
#define XS_ARGS_cudaFree(A, _) A(void *, devPtr)
#define XS_ARGS_cudaIpcOpenMemHandle(A, _)                                     \
	A(void **, devPtr) _() A(cudaIpcMemHandle_t, handle)                   \
	_() A(unsigned int, flags)
#define XS_ARGS_cudaIpcCloseMemHandle(A, _) A(void *, devPtr)
#define XS_ARGS_cudaCreateTextureObject(A, _)                                  \
	A(cudaTextureObject_t *, object)                                       \
	_() A(const struct cudaResourceDesc *, resource)                       \
	_() A(const struct cudaTextureDesc *, texture)                         \
	_() A(const struct cudaResourceViewDesc *, view)
#define XS_ARGS_cudaDestroyTextureObject(A, _) A(cudaTextureObject_t, object)
#define XS_ARGS_cudaCreateSurfaceObject(A, _)                                  \
	A(cudaSurfaceObject_t *, object)                                       \
	_() A(const struct cudaResourceDesc *, resource)
#define XS_ARGS_cudaDestroySurfaceObject(A, _) A(cudaSurfaceObject_t, object)
#define XS_ARGS_cudaExternalMemoryGetMappedBuffer(A, _)                        \
	A(void **, address) _() A(cudaExternalMemory_t, memory)                \
	_() A(const struct cudaExternalMemoryBufferDesc *, buffer)
#define XS_ARGS_cudaMemPoolImportPointer(A, _)                                 \
	A(void **, address) _() A(cudaMemPool_t, pool)                         \
	_() A(struct cudaMemPoolPtrExportData *, data)
#define XS_ARGS_cudaFreeAsync(A, _)                                            \
	A(void *, devPtr) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaDeviceSynchronize(A, _)
#define XS_ARGS_cudaDeviceReset(A, _)
#define XS_ARGS_cudaThreadSynchronize(A, _)
#define XS_ARGS_cudaThreadExit(A, _)
#define XS_ARGS_cudaStreamSynchronize(A, _) A(cudaStream_t, stream)
#define XS_ARGS_cudaEventSynchronize(A, _) A(cudaEvent_t, event)
#define XS_ARGS_cudaEventRecord(A, _)                                          \
	A(cudaEvent_t, event) _() A(cudaStream_t, stream)
#define XS_ARGS_cudaEventRecordWithFlags(A, _)                                 \
	XS_ARGS_cudaEventRecord(A, _) _() A(unsigned int, flags)
#define XS_ARGS_cudaStreamWaitEvent(A, _)                                      \
	A(cudaStream_t, stream) _() A(cudaEvent_t, event)                      \
	_() A(unsigned int, flags)
#define XS_ARGS_cudaStreamCreate(A, _) A(cudaStream_t *, pStream)
#define XS_ARGS_cudaStreamCreateWithFlags(A, _)                                \
	A(cudaStream_t *, pStream) _() A(unsigned int, flags)
#define XS_ARGS_cudaStreamCreateWithPriority(A, _)                             \
	A(cudaStream_t *, pStream) _() A(unsigned int, flags)                  \
	_() A(int, priority)
#define XS_ARGS_cudaStreamDestroy(A, _) A(cudaStream_t, stream)
#define XS_ARGS_cudaStreamQuery(A, _) A(cudaStream_t, stream)
#define XS_ARGS_cudaEventQuery(A, _)  A(cudaEvent_t, event)
#define XS_ARGS_cudaStreamBeginCapture(A, _)                                   \
	A(cudaStream_t, stream) _() A(enum cudaStreamCaptureMode, mode)
#define XS_ARGS_cudaStreamEndCapture(A, _)                                     \
	A(cudaStream_t, stream) _() A(cudaGraph_t *, graph)
#define XS_ARGS_cudaLaunchHostFunc(A, _)                                       \
	A(cudaStream_t, stream) _() A(cudaHostFn_t, function)                  \
	_() A(void *, data)
/* The second argument is a pointer to a function. */
#define XS_ARGS_cudaStreamAddCallback(A, _)                                    \
	A(cudaStream_t, stream) _() A(void *, callback) _() A(void *, data)    \
	_() A(unsigned int, flags)
#define XS_ARGS_cudaLaunchKernel(A, _)                                         \
	A(const void *, function) _() A(dim3, grid) _() A(dim3, block)         \
	_() A(void **, params) _() A(size_t, shared) _() A(cudaStream_t, stream)
/* The first argument is a cudaKernel_t, a pointer type that CUDA 11 lacks. */
#define XS_ARGS___cudaLaunchKernel(A, _) XS_ARGS_cudaLaunchKernel(A, _)
#define XS_ARGS_cudaLaunchCooperativeKernel(A, _)                              \
	XS_ARGS_cudaLaunchKernel(A, _)
#define XS_ARGS_cudaLaunchKernelExC(A, _)                                      \
	A(const cudaLaunchConfig_t *, config) _() A(const void *, function)    \
	_() A(void **, params)
#define XS_ARGS_cudaProfilerStart(A, _)
#define XS_ARGS_cudaProfilerStop(A, _)
#define XS_ARGS_cudaGraphLaunch(A, _)                                          \
	A(cudaGraphExec_t, graph) _() A(cudaStream_t, stream)
/* clang-format on */

#define XS_ARG_MEMBER(type, name) type name;
#define XS_ARG_NOTHING()
#define XS_ARGS_ROW(name, twin, class, ...)                                    \
	struct xs_args_##name {                                                \
		XS_ARGS_##name(XS_ARG_MEMBER, XS_ARG_NOTHING)                  \
	};
XS_FUNCTIONS(XS_ARGS_ROW)
#undef XS_ARGS_ROW
#undef XS_ARG_NOTHING
#undef XS_ARG_MEMBER
