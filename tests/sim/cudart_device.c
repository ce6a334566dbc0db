/* SPDX-License-Identifier: MIT */
/* The runtime's state, devices and errors. */
#include "tests/sim/cudart.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local cudaError_t last_error;

int xs_rt_begin(void)
{
	int rc = xs_sim_init();

	return rc == 0 && xs_sim_config.devices == 0 ? cudaErrorNoDevice : rc;
}

void xs_rt_keep_error(int result)
{
	if (result != cudaSuccess && result != cudaErrorNotReady)
		last_error = (cudaError_t)result;
}

/* Each keeps its frame, since work follows the call. */
void libcudart_static_enter_driver(struct xs_sim_call *call)
{
	xs_sim_enter(call);
	call->result = 0;
}

int libcudart_static_leave_driver(struct xs_sim_call *call, int result)
{
	call->result = xs_sim_leave(call, result);
	return call->result;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}

static const struct {
	cudaError_t error;
	const char *name, *text;
} errors[] = {
#define ROW(error, text) error, #error, text
    {ROW(cudaSuccess, "no error")},
    {ROW(cudaErrorInvalidValue, "invalid argument")},
    {ROW(cudaErrorMemoryAllocation, "out of memory")},
    {ROW(cudaErrorInitializationError, "initialization error")},
    {ROW(cudaErrorInvalidConfiguration, "invalid configuration argument")},
    {ROW(cudaErrorInvalidSymbol, "invalid device symbol")},
    {ROW(cudaErrorInvalidDeviceFunction, "invalid device function")},
    {ROW(cudaErrorNoDevice, "no CUDA-capable device is detected")},
    {ROW(cudaErrorInvalidDevice, "invalid device ordinal")},
    {ROW(cudaErrorNoKernelImageForDevice,
	 "no kernel image is available for execution on the device")},
    {ROW(cudaErrorInvalidResourceHandle, "invalid resource handle")},
    {ROW(cudaErrorNotReady, "device not ready")},
    {ROW(cudaErrorHostMemoryAlreadyRegistered,
	 "part or all of the requested memory range is already mapped")},
    {ROW(cudaErrorHostMemoryNotRegistered,
	 "pointer does not correspond to a registered memory region")},
#undef ROW
};

const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].error == error)
			return errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].error == error)
			return errors[i].text;
	return "unrecognized error code";
}

static int put(int *where, int value)
{
	*where = value;
	return cudaSuccess;
}

static int put_attribute(int *value, int attribute, int device)
{
	if (device < 0 || device >= xs_sim_config.devices)
		return cudaErrorInvalidDevice;
	return put(value, xs_sim_attribute(device, attribute));
}

static void set3(int to[3], int x, int y, int z)
{
	to[0] = x;
	to[1] = y;
	to[2] = z;
}

static int properties(struct cudaDeviceProp *p, int device)
{
#define GET(name) xs_sim_attribute(device, CU_DEVICE_ATTRIBUTE_##name)
	if (device < 0 || device >= xs_sim_config.devices)
		return cudaErrorInvalidDevice;
	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", XS_SIM_NAME);
	p->totalGlobalMem = xs_sim_config.memory_bytes;
	p->sharedMemPerBlock = (size_t)GET(MAX_SHARED_MEMORY_PER_BLOCK);
	p->sharedMemPerMultiprocessor =
	    (size_t)GET(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	p->totalConstMem = (size_t)GET(TOTAL_CONSTANT_MEMORY);
	p->regsPerBlock = GET(MAX_REGISTERS_PER_BLOCK);
	p->regsPerMultiprocessor = GET(MAX_REGISTERS_PER_MULTIPROCESSOR);
	p->warpSize = GET(WARP_SIZE);
	p->maxThreadsPerBlock = GET(MAX_THREADS_PER_BLOCK);
	p->maxThreadsPerMultiProcessor = GET(MAX_THREADS_PER_MULTIPROCESSOR);
	p->maxBlocksPerMultiProcessor = GET(MAX_BLOCKS_PER_MULTIPROCESSOR);
	set3(p->maxThreadsDim, GET(MAX_BLOCK_DIM_X), GET(MAX_BLOCK_DIM_Y),
	     GET(MAX_BLOCK_DIM_Z));
	set3(p->maxGridSize, GET(MAX_GRID_DIM_X), GET(MAX_GRID_DIM_Y),
	     GET(MAX_GRID_DIM_Z));
	p->major = GET(COMPUTE_CAPABILITY_MAJOR);
	p->minor = GET(COMPUTE_CAPABILITY_MINOR);
	p->multiProcessorCount = GET(MULTIPROCESSOR_COUNT);
	p->canMapHostMemory = GET(CAN_MAP_HOST_MEMORY);
	p->concurrentKernels = GET(CONCURRENT_KERNELS);
	p->pciBusID = GET(PCI_BUS_ID);
	p->asyncEngineCount = GET(ASYNC_ENGINE_COUNT);
	p->unifiedAddressing = GET(UNIFIED_ADDRESSING);
	p->memoryBusWidth = GET(GLOBAL_MEMORY_BUS_WIDTH);
	p->l2CacheSize = GET(L2_CACHE_SIZE);
	p->managedMemory = GET(MANAGED_MEMORY);
	p->streamPrioritiesSupported = GET(STREAM_PRIORITIES_SUPPORTED);
	p->hostRegisterSupported = GET(HOST_REGISTER_SUPPORTED);
	p->canUseHostPointerForRegisteredMem =
	    GET(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
	return cudaSuccess;
#undef GET
}

static int synchronize(int device)
{
	xs_sim_device_wait(device);
	return cudaSuccess;
}

/* Every device can access every other, enabled or not, or none can. */
static int can_access(int *can, int device, int peer)
{
	if (!can)
		return cudaErrorInvalidValue;
	if (device < 0 || device >= xs_sim_config.devices || peer < 0 ||
	    peer >= xs_sim_config.devices)
		return cudaErrorInvalidDevice;
	*can = device != peer && !getenv("XS_SIM_NO_PEER_ACCESS");
	return cudaSuccess;
}

static int enable_access(int peer, unsigned flags)
{
	int can, rc = can_access(&can, xs_sim_device(), peer);

	if (!rc && flags)
		rc = cudaErrorInvalidValue;
	return rc || can ? rc : cudaErrorInvalidDevice;
}

static int reset(int device)
{
	xs_sim_device_wait(device);
	xs_sim_memory_reset(device);
	return cudaSuccess;
}

RT_API(cudaGetDeviceCount, v3020, (int *count), (count),
       put(count, xs_sim_config.devices))
RT_API(cudaGetDevice, v3020, (int *device), (device),
       put(device, xs_sim_device()))
RT_API(cudaSetDevice, v3020, (int device), (device), xs_sim_set_device(device))
RT_API(cudaDeviceGetAttribute, v5000,
       (int *value, enum cudaDeviceAttr attr, int device),
       (value, attr, device), put_attribute(value, (int)attr, device))
/* In CUDA 12 a macro maps one name to the other. */
#if CUDART_VERSION >= 13000
#define PROPERTIES(...) RT_API(cudaGetDeviceProperties, v12000, __VA_ARGS__)
#else
#define PROPERTIES(...) RT_API(cudaGetDeviceProperties_v2, v12000, __VA_ARGS__)
#endif
PROPERTIES((struct cudaDeviceProp * prop, int device), (prop, device),
	   properties(prop, device))
/* There is no profiler. */
RT_API_VOID(cudaProfilerStart, v4000, cudaSuccess)
RT_API_VOID(cudaProfilerStop, v4000, cudaSuccess)
RT_API_VOID(cudaDeviceSynchronize, v3020, synchronize(xs_sim_device()))
/* which the headers of CUDA 13 lack */
cudaError_t CUDARTAPI cudaThreadSynchronize(void);
RT_API_VOID(cudaThreadSynchronize, v3020, synchronize(xs_sim_device()))
RT_API(cudaDeviceCanAccessPeer, v4000, (int *can, int device, int peerDevice),
       (can, device, peerDevice), can_access(can, device, peerDevice))
RT_API(cudaDeviceEnablePeerAccess, v4000, (int peerDevice, unsigned int flags),
       (peerDevice, flags), enable_access(peerDevice, flags))
RT_API_VOID(cudaDeviceReset, v3020, reset(xs_sim_device()))
