/* SPDX-License-Identifier: MIT */
/* The runtime's allocations. */
#include "tests/sim/cudart.h"

/* As on a real device, freeing waits for the device's work. */
static int free_device(void *address)
{
	if (address)
		xs_sim_device_wait(xs_sim_device());
	return xs_sim_free(address, XS_SIM_DEVICE);
}

static int free_host(void *address)
{
	if (address)
		xs_sim_device_wait(xs_sim_device());
	return xs_sim_free(address, XS_SIM_PINNED);
}

/* Frees in stream order; here it simply waits for the stream. */
static int free_async(void *address, struct xs_sim_stream *stream)
{
	xs_sim_stream_wait(stream);
	return xs_sim_free(address, XS_SIM_DEVICE);
}

static int malloc_pitch(void **address, size_t *pitch, size_t width,
			size_t height)
{
	*pitch = (width + 511) / 512 * 512;
	return xs_sim_alloc(XS_SIM_DEVICE, *pitch * height, 0, address);
}

static int host_flags(unsigned *flags, void *host)
{
	struct xs_sim_range range;

	if (!xs_sim_find(host, &range) || range.memory != XS_SIM_PINNED)
		return cudaErrorInvalidValue;
	*flags = range.flags;
	return cudaSuccess;
}

static int pointer_attributes(struct cudaPointerAttributes *attributes,
			      const void *address)
{
	struct xs_sim_range range;
	void *pointer = (void *)(uintptr_t)address;

	*attributes = (struct cudaPointerAttributes){
	    .type = cudaMemoryTypeUnregistered,
	    .device = -2,
	    .hostPointer = pointer,
	};
	if (!xs_sim_find(address, &range))
		return cudaSuccess;
	attributes->device = range.device;
	attributes->devicePointer = pointer;
	if (range.memory == XS_SIM_PINNED) {
		attributes->type = cudaMemoryTypeHost;
	} else if (range.memory == XS_SIM_MANAGED) {
		attributes->type = cudaMemoryTypeManaged;
	} else {
		attributes->type = cudaMemoryTypeDevice;
		attributes->hostPointer = NULL;
	}
	return cudaSuccess;
}

static int memory_info(size_t *free_bytes, size_t *total_bytes)
{
	xs_sim_memory_info(xs_sim_device(), free_bytes, total_bytes);
	return cudaSuccess;
}

RT_API(cudaMalloc, v3020, (void **devPtr, size_t size), (devPtr, size),
       xs_sim_alloc(XS_SIM_DEVICE, size, 0, devPtr))
RT_API(cudaFree, v3020, (void *devPtr), (devPtr), free_device(devPtr))
RT_API(cudaIpcGetMemHandle, v4010, (cudaIpcMemHandle_t * handle, void *devPtr),
       (handle, devPtr), xs_sim_ipc_handle(handle, devPtr))
RT_API(cudaIpcOpenMemHandle, v4010,
       (void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags),
       (devPtr, handle, flags), xs_sim_ipc_open(devPtr, &handle))
RT_API(cudaIpcCloseMemHandle, v4010, (void *devPtr), (devPtr),
       xs_sim_ipc_close(devPtr))
RT_API(cudaMallocPitch, v3020,
       (void **devPtr, size_t *pitch, size_t width, size_t height),
       (devPtr, pitch, width, height),
       malloc_pitch(devPtr, pitch, width, height))
#if CUDART_VERSION >= 13000
RT_TWINS_OF(cudaMemPrefetchAsync, v12020, ptsz,
	    (const void *devPtr, size_t count, struct cudaMemLocation location,
	     unsigned int flags, cudaStream_t stream),
	    (devPtr, count, location, flags, stream),
	    xs_sim_migrate(devPtr, count, location.id,
			   location.type == cudaMemLocationTypeDevice))
#else
RT_TWINS_OF(cudaMemPrefetchAsync, v8000, ptsz,
	    (const void *devPtr, size_t count, int dstDevice,
	     cudaStream_t stream),
	    (devPtr, count, dstDevice, stream),
	    xs_sim_migrate(devPtr, count, dstDevice,
			   dstDevice != cudaCpuDeviceId))
#endif
RT_API(cudaMallocManaged, v6000,
       (void **devPtr, size_t size, unsigned int flags), (devPtr, size, flags),
       xs_sim_alloc(XS_SIM_MANAGED, size, flags, devPtr))
RT_TWINS_OF(cudaMallocAsync, v11020, ptsz,
	    (void **devPtr, size_t size, cudaStream_t hStream),
	    (devPtr, size, hStream),
	    xs_sim_alloc(XS_SIM_DEVICE, size, 0, devPtr))
RT_TWINS_OF(cudaFreeAsync, v11020, ptsz, (void *devPtr, cudaStream_t hStream),
	    (devPtr, hStream),
	    free_async(devPtr, xs_rt_stream(hStream, per_thread)))
RT_API(cudaMallocHost, v3020, (void **ptr, size_t size), (ptr, size),
       xs_sim_alloc(XS_SIM_PINNED, size, 0, ptr))
RT_API(cudaHostAlloc, v3020, (void **pHost, size_t size, unsigned int flags),
       (pHost, size, flags), xs_sim_alloc(XS_SIM_PINNED, size, flags, pHost))
RT_API(cudaFreeHost, v3020, (void *ptr), (ptr), free_host(ptr))
RT_API(cudaHostRegister, v4000, (void *ptr, size_t size, unsigned int flags),
       (ptr, size, flags), xs_sim_register(XS_SIM_PINNED, ptr, size, flags))
RT_API(cudaHostUnregister, v4000, (void *ptr), (ptr), xs_sim_unregister(ptr))
RT_API(cudaHostGetDevicePointer, v3020,
       (void **pDevice, void *pHost, unsigned int flags),
       (pDevice, pHost, flags), xs_sim_device_pointer(pHost, pDevice))
RT_API(cudaHostGetFlags, v3020, (unsigned int *pFlags, void *pHost),
       (pFlags, pHost), host_flags(pFlags, pHost))
RT_API(cudaPointerGetAttributes, v4000,
       (struct cudaPointerAttributes * attributes, const void *ptr),
       (attributes, ptr), pointer_attributes(attributes, ptr))
RT_API(cudaMemGetInfo, v3020, (size_t * free, size_t *total), (free, total),
       memory_info(free, total))
