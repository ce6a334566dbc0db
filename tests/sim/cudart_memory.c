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
	return xs_sim_alloc(XS_SIM_DEVICE, *pitch * height, address);
}

RT_API(cudaMalloc, v3020, (void **devPtr, size_t size), (devPtr, size),
       xs_sim_alloc(XS_SIM_DEVICE, size, devPtr))
RT_API(cudaFree, v3020, (void *devPtr), (devPtr), free_device(devPtr))
RT_API(cudaIpcGetMemHandle, v4010, (cudaIpcMemHandle_t * handle, void *devPtr),
       (handle, devPtr), xs_sim_ipc_handle(handle, devPtr))
RT_API(cudaIpcOpenMemHandle, v4010,
       (void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags),
       (devPtr, handle, flags), xs_sim_ipc_open(devPtr, &handle))
RT_API(cudaIpcCloseMemHandle, v4010, (void *devPtr), (devPtr),
       xs_sim_ipc_close(devPtr))
RT_API(cudaCreateTextureObject, v5000,
       (cudaTextureObject_t * object, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *texture,
	const struct cudaResourceViewDesc *view),
       (object, resource, texture, view), (*object = 7, cudaSuccess))
RT_API(cudaDestroyTextureObject, v5000, (cudaTextureObject_t object), (object),
       cudaSuccess)
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
       xs_sim_alloc(XS_SIM_MANAGED, size, devPtr))
RT_TWINS_OF(cudaMallocAsync, v11020, ptsz,
	    (void **devPtr, size_t size, cudaStream_t hStream),
	    (devPtr, size, hStream), xs_sim_alloc(XS_SIM_DEVICE, size, devPtr))
RT_TWINS_OF(cudaFreeAsync, v11020, ptsz, (void *devPtr, cudaStream_t hStream),
	    (devPtr, hStream),
	    free_async(devPtr, xs_rt_stream(hStream, per_thread)))
RT_API(cudaMallocHost, v3020, (void **ptr, size_t size), (ptr, size),
       xs_sim_alloc(XS_SIM_PINNED, size, ptr))
RT_API(cudaHostAlloc, v3020, (void **pHost, size_t size, unsigned int flags),
       (pHost, size, flags), xs_sim_alloc(XS_SIM_PINNED, size, pHost))
RT_API(cudaFreeHost, v3020, (void *ptr), (ptr), free_host(ptr))
RT_API(cudaHostRegister, v4000, (void *ptr, size_t size, unsigned int flags),
       (ptr, size, flags), xs_sim_register(XS_SIM_PINNED, ptr, size))
RT_API(cudaHostUnregister, v4000, (void *ptr), (ptr), xs_sim_unregister(ptr))
RT_API(cudaHostGetDevicePointer, v3020,
       (void **pDevice, void *pHost, unsigned int flags),
       (pDevice, pHost, flags), xs_sim_device_pointer(pHost, pDevice))
