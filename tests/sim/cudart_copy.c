/* SPDX-License-Identifier: MIT */
/* The runtime's copies and sets. The direction is found from the addresses,
 * as unified addressing does for cudaMemcpyDefault. */
#include "tests/sim/cudart.h"

static int copy_2d(void *dst, size_t dst_pitch, const void *src,
		   size_t src_pitch, size_t width, size_t height,
		   struct xs_sim_stream *stream, bool async)
{
	struct xs_sim_copy copy = {
	    .dst = dst,
	    .src = src,
	    .width = width,
	    .height = height,
	    .depth = 1,
	    .dst_pitch = dst_pitch,
	    .src_pitch = src_pitch,
	    .async = async,
	};

	if (height > 1 && (dst_pitch < width || src_pitch < width))
		return cudaErrorInvalidPitchValue;
	return xs_sim_copy(stream, copy);
}

static int copy_1d(void *dst, const void *src, size_t count,
		   struct xs_sim_stream *stream, bool async)
{
	return copy_2d(dst, count, src, count, count, 1, stream, async);
}

static const char *at(const struct cudaPitchedPtr *p, struct cudaPos pos)
{
	return (const char *)p->ptr + (pos.z * p->ysize + pos.y) * p->pitch +
	       pos.x;
}

static int copy_3d(const struct cudaMemcpy3DParms *p,
		   struct xs_sim_stream *stream, bool async)
{
	struct xs_sim_copy copy = {
	    .dst = (char *)(uintptr_t)at(&p->dstPtr, p->dstPos),
	    .src = at(&p->srcPtr, p->srcPos),
	    .width = p->extent.width,
	    .height = p->extent.height,
	    .depth = p->extent.depth,
	    .dst_pitch = p->dstPtr.pitch,
	    .src_pitch = p->srcPtr.pitch,
	    .dst_slice = p->dstPtr.pitch * p->dstPtr.ysize,
	    .src_slice = p->srcPtr.pitch * p->srcPtr.ysize,
	    .async = async,
	};

	if (p->srcArray || p->dstArray)
		return cudaErrorNotSupported;
	return xs_sim_copy(stream, copy);
}

/* Copies to the variable, or from it to dst. */
static int copy_symbol(const void *symbol, void *dst, const void *src,
		       size_t count, size_t offset,
		       struct xs_sim_stream *stream)
{
	size_t bytes = 0;
	char *address = xs_rt_symbol(symbol, &bytes);

	if (!address)
		return cudaErrorInvalidSymbol;
	if (offset + count > bytes)
		return cudaErrorInvalidValue;
	return copy_1d(dst ? dst : address + offset,
		       dst ? address + offset : src, count, stream, false);
}

static int set(void *dst, int value, size_t width, struct xs_sim_stream *stream,
	       bool async)
{
	const struct xs_sim_set set = {
	    .dst = dst,
	    .bytes = width,
	    .value = (uint8_t)value,
	    .unit = 1,
	    .async = async,
	};

	return xs_sim_set(stream, &set);
}

#if CUDART_VERSION >= 13000
static int copy_batch(void *const *dsts, const void *const *srcs,
		      const size_t *sizes, size_t count,
		      struct xs_sim_stream *stream)
{
	int rc = cudaSuccess;

	for (size_t i = 0; i < count && !rc; i++)
		rc = copy_1d(dsts[i], srcs[i], sizes[i], stream, true);
	return rc;
}
#endif

/* The stream of functions without a stream argument. */
#define OWN_STREAM xs_rt_stream(NULL, per_thread)
#define STREAM	   xs_rt_stream(stream, per_thread)

RT_TWINS(cudaMemcpy, v3020, ptds,
	 (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
	 (dst, src, count, kind), copy_1d(dst, src, count, OWN_STREAM, false))
RT_TWINS(cudaMemcpyAsync, v3020, ptsz,
	 (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
	  cudaStream_t stream),
	 (dst, src, count, kind, stream),
	 RT_IN_DRIVER(cuMemcpyAsync,
		      ((CUdeviceptr)dst, (CUdeviceptr)src, count, stream),
		      copy_1d(dst, src, count, STREAM, true)))
RT_TWINS(cudaMemcpy2D, v3020, ptds,
	 (void *dst, size_t dpitch, const void *src, size_t spitch,
	  size_t width, size_t height, enum cudaMemcpyKind kind),
	 (dst, dpitch, src, spitch, width, height, kind),
	 copy_2d(dst, dpitch, src, spitch, width, height, OWN_STREAM, false))
RT_TWINS(cudaMemcpy2DAsync, v3020, ptsz,
	 (void *dst, size_t dpitch, const void *src, size_t spitch,
	  size_t width, size_t height, enum cudaMemcpyKind kind,
	  cudaStream_t stream),
	 (dst, dpitch, src, spitch, width, height, kind, stream),
	 copy_2d(dst, dpitch, src, spitch, width, height, STREAM, true))
RT_TWINS(cudaMemcpy3D, v3020, ptds, (const struct cudaMemcpy3DParms *p), (p),
	 copy_3d(p, OWN_STREAM, false))
RT_API(cudaMemcpyPeer, v4000,
       (void *dst, int dstDevice, const void *src, int srcDevice, size_t count),
       (dst, dstDevice, src, srcDevice, count),
       copy_1d(dst, src, count, OWN_STREAM, false))
RT_API(cudaMemcpyPeerAsync, v4000,
       (void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
	cudaStream_t stream),
       (dst, dstDevice, src, srcDevice, count, stream),
       copy_1d(dst, src, count, STREAM, true))
RT_TWINS(cudaMemcpyToSymbol, v3020, ptds,
	 (const void *symbol, const void *src, size_t count, size_t offset,
	  enum cudaMemcpyKind kind),
	 (symbol, src, count, offset, kind),
	 copy_symbol(symbol, NULL, src, count, offset, OWN_STREAM))
RT_TWINS(cudaMemcpyFromSymbol, v3020, ptds,
	 (void *dst, const void *symbol, size_t count, size_t offset,
	  enum cudaMemcpyKind kind),
	 (dst, symbol, count, offset, kind),
	 copy_symbol(symbol, dst, NULL, count, offset, OWN_STREAM))
RT_TWINS(cudaMemset, v3020, ptds, (void *devPtr, int value, size_t count),
	 (devPtr, value, count), set(devPtr, value, count, OWN_STREAM, false))
RT_TWINS(cudaMemsetAsync, v3020, ptsz,
	 (void *devPtr, int value, size_t count, cudaStream_t stream),
	 (devPtr, value, count, stream),
	 RT_IN_DRIVER(cuMemsetD8Async,
		      ((CUdeviceptr)devPtr, (unsigned char)value, count,
		       stream),
		      set(devPtr, value, count, STREAM, true)))
#if CUDART_VERSION >= 13000
RT_TWINS_OF(cudaMemcpyBatchAsync, v13000, ptsz,
	    (void *const *dsts, const void *const *srcs, const size_t *sizes,
	     size_t count, struct cudaMemcpyAttributes *attrs,
	     size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream),
	    (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream),
	    copy_batch(dsts, srcs, sizes, count, STREAM))
#endif
