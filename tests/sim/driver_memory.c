/* SPDX-License-Identifier: MIT */
/* The driver API: memory, copies, sets. */
#include "tests/sim/driver.h"

static int alloc(CUdeviceptr *address, size_t bytes)
{
	void *memory = NULL;
	int rc = bytes ? xs_sim_alloc(XS_SIM_DEVICE, bytes, &memory)
		       : (int)CUDA_ERROR_INVALID_VALUE;

	*address = (CUdeviceptr)memory;
	return rc;
}

static int release(void *address, enum xs_sim_memory memory)
{
	xs_sim_device_wait(xs_sim_device());
	return xs_sim_free(address, memory);
}

static int device_pointer(CUdeviceptr *device, const void *host)
{
	void *pointer = NULL;
	int rc = xs_sim_device_pointer(host, &pointer);

	*device = (CUdeviceptr)pointer;
	return rc;
}

static int copy(void *dst, const void *src, size_t bytes,
		struct xs_sim_stream *stream, bool async)
{
	const struct xs_sim_copy request = {
	    .dst = dst,
	    .src = src,
	    .width = bytes,
	    .height = 1,
	    .depth = 1,
	    .async = async,
	};

	return xs_sim_copy(stream, request);
}

static int set(CUdeviceptr dst, uint32_t value, unsigned unit, size_t count,
	       struct xs_sim_stream *stream, bool async)
{
	const struct xs_sim_set request = {
	    .dst = (char *)dst,
	    .bytes = count * unit,
	    .value = value,
	    .unit = unit,
	    .async = async,
	};

	return xs_sim_set(stream, &request);
}

static int range_of(CUdeviceptr *begin, size_t *bytes, const void *address)
{
	struct xs_sim_range range;

	if (!xs_sim_find(address, &range) || range.memory == XS_SIM_PINNED)
		return XS_SIM_EVALUE;
	*begin = range.base;
	*bytes = range.bytes;
	return XS_SIM_OK;
}

static int open_shared(CUdeviceptr *address, const void *handle)
{
	void *memory = NULL;
	int rc = xs_sim_ipc_open(&memory, handle);

	*address = (CUdeviceptr)memory;
	return rc;
}

#define AT(device) ((void *)(device))

static CUmemGenericAllocationHandle mapped;

DRV_API(cuMemAlloc_v2, (CUdeviceptr * dptr, size_t bytesize), (dptr, bytesize),
	alloc(dptr, bytesize))
DRV_API(cuMemFree_v2, (CUdeviceptr dptr), (dptr),
	release(AT(dptr), XS_SIM_DEVICE))
/* Reserved addresses have memory at once: mapping adds none. */
DRV_API(cuMemAddressReserve,
	(CUdeviceptr * ptr, size_t size, size_t alignment, CUdeviceptr addr,
	 unsigned long long flags),
	(ptr, size, alignment, addr, flags), alloc(ptr, size))
DRV_API(cuMemAddressFree, (CUdeviceptr ptr, size_t size), (ptr, size),
	release(AT(ptr), XS_SIM_DEVICE))
DRV_API(cuMemMap,
	(CUdeviceptr ptr, size_t size, size_t offset,
	 CUmemGenericAllocationHandle handle, unsigned long long flags),
	(ptr, size, offset, handle, flags), (mapped = handle, CUDA_SUCCESS))
DRV_API(cuMemRelease, (CUmemGenericAllocationHandle handle), (handle),
	CUDA_SUCCESS)
/* Of the memory that was mapped last. */
DRV_API(cuMemRetainAllocationHandle,
	(CUmemGenericAllocationHandle * handle, void *addr), (handle, addr),
	(*handle = mapped, CUDA_SUCCESS))
DRV_API(cuMemUnmap, (CUdeviceptr ptr, size_t size), (ptr, size), CUDA_SUCCESS)
DRV_API(cuMemGetAddressRange_v2,
	(CUdeviceptr * pbase, size_t *psize, CUdeviceptr dptr),
	(pbase, psize, dptr), range_of(pbase, psize, AT(dptr)))
DRV_API(cuIpcGetMemHandle, (CUipcMemHandle * pHandle, CUdeviceptr dptr),
	(pHandle, dptr), xs_sim_ipc_handle(pHandle, AT(dptr)))
DRV_API(cuIpcOpenMemHandle_v2,
	(CUdeviceptr * pdptr, CUipcMemHandle handle, unsigned int Flags),
	(pdptr, handle, Flags), open_shared(pdptr, &handle))
DRV_API(cuIpcCloseMemHandle, (CUdeviceptr dptr), (dptr),
	xs_sim_ipc_close(AT(dptr)))
DRV_API(cuMemHostAlloc, (void **pp, size_t bytesize, unsigned int Flags),
	(pp, bytesize, Flags), xs_sim_alloc(XS_SIM_PINNED, bytesize, pp))
DRV_API(cuMemAllocHost_v2, (void **pp, size_t bytesize), (pp, bytesize),
	xs_sim_alloc(XS_SIM_PINNED, bytesize, pp))
DRV_API(cuMemFreeHost, (void *p), (p), release(p, XS_SIM_PINNED))
DRV_API(cuMemHostRegister_v2, (void *p, size_t bytesize, unsigned int Flags),
	(p, bytesize, Flags), xs_sim_register(XS_SIM_PINNED, p, bytesize))
DRV_API(cuMemHostUnregister, (void *p), (p), xs_sim_unregister(p))
DRV_API(cuMemHostGetDevicePointer_v2,
	(CUdeviceptr * pdptr, void *p, unsigned int Flags), (pdptr, p, Flags),
	device_pointer(pdptr, p))
DRV_TWINS(cuMemcpyHtoD_v2, ptds,
	  (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount),
	  (dstDevice, srcHost, ByteCount),
	  copy(AT(dstDevice), srcHost, ByteCount, DRV_STREAM(NULL), false))
DRV_TWINS(cuMemcpyDtoH_v2, ptds,
	  (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount),
	  (dstHost, srcDevice, ByteCount),
	  copy(dstHost, AT(srcDevice), ByteCount, DRV_STREAM(NULL), false))
DRV_TWINS(cuMemcpyDtoD_v2, ptds,
	  (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount),
	  (dstDevice, srcDevice, ByteCount),
	  copy(AT(dstDevice), AT(srcDevice), ByteCount, DRV_STREAM(NULL),
	       false))
DRV_TWINS(cuMemcpyHtoDAsync_v2, ptsz,
	  (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
	   CUstream hStream),
	  (dstDevice, srcHost, ByteCount, hStream),
	  copy(AT(dstDevice), srcHost, ByteCount, DRV_STREAM(hStream), true))
DRV_TWINS(cuMemcpyDtoHAsync_v2, ptsz,
	  (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
	   CUstream hStream),
	  (dstHost, srcDevice, ByteCount, hStream),
	  copy(dstHost, AT(srcDevice), ByteCount, DRV_STREAM(hStream), true))
DRV_TWINS(cuMemcpyDtoDAsync_v2, ptsz,
	  (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
	   CUstream hStream),
	  (dstDevice, srcDevice, ByteCount, hStream),
	  copy(AT(dstDevice), AT(srcDevice), ByteCount, DRV_STREAM(hStream),
	       true))
DRV_TWINS(cuMemsetD8_v2, ptds,
	  (CUdeviceptr dstDevice, unsigned char uc, size_t N),
	  (dstDevice, uc, N), set(dstDevice, uc, 1, N, DRV_STREAM(NULL), false))
DRV_TWINS(cuMemsetD8Async, ptsz,
	  (CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream),
	  (dstDevice, uc, N, hStream),
	  set(dstDevice, uc, 1, N, DRV_STREAM(hStream), true))
DRV_TWINS(cuMemsetD32Async, ptsz,
	  (CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream),
	  (dstDevice, ui, N, hStream),
	  set(dstDevice, ui, 4, N, DRV_STREAM(hStream), true))
