/* SPDX-License-Identifier: MIT */
/* Registration by nvcc's start-up code, and launches. Images are parsed when
 * first needed, like lazy loading. */
#include "tests/sim/cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct image {
	const void *wrapper;
	struct xs_sim_module *module;
};

/* A kernel or a variable, by its address on the host. */
struct entity {
	struct entity *next;
	struct image *image;
	const void *host;
	char *name;
	struct xs_sim_function *function;
};

struct configuration {
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entity *entities;
static _Thread_local struct configuration pending[8];
static _Thread_local unsigned pending_count;

/* Declared by nvcc's start-up code itself, in no header. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
			    const char *name, int thread_limit, uint3 *tid,
			    uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device,
		       const char *name, int ext, size_t size, int constant,
		       int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
				     void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
				       size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(CUkernel *kernel, const void *host);
cudaError_t __cudaLaunchKernel(CUkernel kernel, dim3 grid, dim3 block,
			       void **args, size_t shared_bytes,
			       cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(CUkernel kernel, dim3 grid, dim3 block,
				    void **args, size_t shared_bytes,
				    cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchKernel_ptsz(const void *func, dim3 gridDim,
					    dim3 blockDim, void **args,
					    size_t sharedMem,
					    cudaStream_t stream);

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct image *image = calloc(1, sizeof(*image));

	if (image)
		image->wrapper = wrapper;
	return (void **)(void *)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Runs among the exit handlers. The application's own handlers may still launch
 * and copy, so everything stays until the process ends. */
void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

static void register_entity(void **handle, const void *host, const char *name)
{
	struct entity *entity = calloc(1, sizeof(*entity));

	if (!entity)
		return;
	entity->image = (struct image *)(void *)handle;
	entity->host = host;
	entity->name = strdup(name);
	pthread_mutex_lock(&lock);
	entity->next = entities;
	entities = entity;
	pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device,
			    const char *name, int thread_limit, uint3 *tid,
			    uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
	(void)device, (void)thread_limit, (void)tid, (void)bid;
	(void)block, (void)grid, (void)warp;
	register_entity(handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *device,
		       const char *name, int ext, size_t size, int constant,
		       int global)
{
	(void)device, (void)ext, (void)size, (void)constant, (void)global;
	register_entity(handle, host, name);
}

/* By the host's address, or by the result of __cudaGetKernel. */
static struct entity *find_entity(const void *key)
{
	struct entity *entity;

	pthread_mutex_lock(&lock);
	for (entity = entities; entity; entity = entity->next)
		if (entity->host == key || entity == key ||
		    (entity->function &&
		     entity->function == xs_sim_function_of(key)))
			break;
	if (entity && !entity->image->module)
		entity->image->module =
		    xs_sim_module_load(entity->image->wrapper);
	pthread_mutex_unlock(&lock);
	return entity && entity->image->module ? entity : NULL;
}

char *xs_rt_symbol(const void *symbol, size_t *bytes)
{
	struct entity *entity = find_entity(symbol);

	return entity ? xs_sim_module_global(entity->image->module,
					     entity->name, bytes)
		      : NULL;
}

static struct xs_sim_function *find_function(const void *key, int *error)
{
	struct entity *entity = find_entity(key);

	*error = cudaErrorInvalidDeviceFunction;
	if (!entity)
		return NULL;
	*error = cudaErrorNoKernelImageForDevice;
	if (!entity->function)
		entity->function =
		    xs_sim_module_function(entity->image->module, entity->name);
	return entity->function;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
				     void *stream)
{
	if (pending_count == sizeof(pending) / sizeof(pending[0]))
		return cudaErrorInvalidConfiguration;
	pending[pending_count++] =
	    (struct configuration){grid, block, shared_bytes, stream};
	return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
				       size_t *shared_bytes, void *stream)
{
	const struct configuration *c;

	if (pending_count == 0)
		return cudaErrorMissingConfiguration;
	c = &pending[--pending_count];
	*grid = c->grid;
	*block = c->block;
	*shared_bytes = c->shared_bytes;
	*(cudaStream_t *)stream = c->stream;
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(CUkernel *kernel, const void *host)
{
	int error;

	/* Without usable code, the launch fails. */
	*kernel = (CUkernel)xs_sim_kernel_of(find_function(host, &error));
	if (!*kernel)
		*kernel = (CUkernel)(void *)find_entity(host);
	return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* The runtime launches through the driver, as its callbacks show. */
static int libcudart_static_launch(struct xs_sim_function *function,
				   const cuLaunchKernel_params *params,
				   const char *symbol, bool per_thread)
{
	const uint32_t grid[3] = {params->gridDimX, params->gridDimY,
				  params->gridDimZ};
	const uint32_t block[3] = {params->blockDimX, params->blockDimY,
				   params->blockDimZ};
	struct xs_sim_call call = {
	    .domain = CUPTI_CB_DOMAIN_DRIVER_API,
	    .cbid = per_thread ? CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz
			       : CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	    .name = "cuLaunchKernel",
	    .params = params,
	    .symbol = symbol,
	};
	const char *unseen = getenv("XS_SIM_NO_DRIVER_LAUNCH");
	const bool is_seen = !unseen || strcmp(unseen, symbol) != 0;
	int rc;

	if (is_seen)
		libcudart_static_enter_driver(&call);
	rc = xs_sim_launch(function, xs_rt_stream(params->hStream, per_thread),
			   grid, block, params->sharedMemBytes,
			   params->kernelParams);
	return is_seen ? libcudart_static_leave_driver(&call, rc) : rc;
}

static inline __attribute__((always_inline)) cudaError_t
launch(struct xs_sim_call *call, const void *key, dim3 grid, dim3 block,
       void **args, size_t shared_bytes, cudaStream_t stream, bool per_thread)
{
	struct xs_sim_function_info info;
	int error, rc;
	struct xs_sim_function *function = find_function(key, &error);

	if (function) {
		xs_sim_function_info(function, &info);
		call->symbol = info.name;
	}
	rc = xs_rt_enter(call);
	if (rc == 0 && !function)
		rc = error;
	if (rc == 0) {
		/* a CUkernel in the place of a CUfunction, as NVIDIA's runtime
		 * passes it */
		cuLaunchKernel_params launch = {xs_sim_kernel_of(function),
						grid.x,
						grid.y,
						grid.z,
						block.x,
						block.y,
						block.z,
						(unsigned)shared_bytes,
						stream,
						args,
						NULL};

		rc = libcudart_static_launch(function, &launch, info.name,
					     per_thread);
	}
	return xs_rt_leave(call, rc);
}

/* All of these have the parameters of cudaLaunchKernel. */
#define LAUNCH(id, key, thread)                                                \
	{                                                                      \
		cudaLaunchKernel_v7000_params params = {                       \
		    (key), gridDim, blockDim, args, sharedMem, stream};        \
		struct xs_sim_call call = RT_CALL(id, &params);                \
                                                                               \
		return launch(&call, (key), gridDim, blockDim, args,           \
			      sharedMem, stream, (thread));                    \
	}

#if CUDART_VERSION >= 13000 /* older nvcc uses only those below */
cudaError_t __cudaLaunchKernel(CUkernel kernel, dim3 gridDim, dim3 blockDim,
			       void **args, size_t sharedMem,
			       cudaStream_t stream)
    LAUNCH(__cudaLaunchKernel_v13000, kernel, false)

	cudaError_t
    __cudaLaunchKernel_ptsz(CUkernel kernel, dim3 gridDim, dim3 blockDim,
			    void **args, size_t sharedMem, cudaStream_t stream)
	LAUNCH(__cudaLaunchKernel_ptsz_v13000, kernel, true)
#endif

	    cudaError_t CUDARTAPI
    cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
		     size_t sharedMem, cudaStream_t stream)
	LAUNCH(cudaLaunchKernel_v7000, func, false)

	    cudaError_t CUDARTAPI
    cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim,
			  void **args, size_t sharedMem, cudaStream_t stream)
	LAUNCH(cudaLaunchKernel_ptsz_v7000, func, true)

	    cudaError_t CUDARTAPI
    cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 gridDim,
				     dim3 blockDim, void **args,
				     size_t sharedMem, cudaStream_t stream);

cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void *func,
						  dim3 gridDim, dim3 blockDim,
						  void **args, size_t sharedMem,
						  cudaStream_t stream)
    LAUNCH(cudaLaunchCooperativeKernel_v9000, func, false)

	cudaError_t CUDARTAPI
    cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 gridDim,
				     dim3 blockDim, void **args,
				     size_t sharedMem, cudaStream_t stream)
	LAUNCH(cudaLaunchCooperativeKernel_ptsz_v9000, func, true)

#define LAUNCH_EX(id, thread)                                                  \
	{                                                                      \
		id##_params params = {config, func, args};                     \
		struct xs_sim_call call = RT_CALL(id, &params);                \
                                                                               \
		return launch(&call, func, config->gridDim, config->blockDim,  \
			      args, config->dynamicSmemBytes, config->stream,  \
			      (thread));                                       \
	}

	    cudaError_t CUDARTAPI
    cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
			     void **args);

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
					  const void *func, void **args)
    LAUNCH_EX(cudaLaunchKernelExC_v11060, false)

	cudaError_t CUDARTAPI
    cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
			     void **args)
	LAUNCH_EX(cudaLaunchKernelExC_ptsz_v11060, true)

	    static int function_attributes(struct cudaFuncAttributes *attr,
					   const void *func)
{
	struct xs_sim_function_info info;
	int error;
	struct xs_sim_function *function = find_function(func, &error);

	if (!function)
		return error;
	xs_sim_function_info(function, &info);
	*attr = (struct cudaFuncAttributes){
	    .sharedSizeBytes = info.shared_bytes,
	    .localSizeBytes = info.local_bytes,
	    .maxThreadsPerBlock = XS_SIM_MAX_THREADS,
	    .numRegs = (int)info.registers,
	    .ptxVersion = 75,
	    .binaryVersion = 75,
	};
	return cudaSuccess;
}

#if CUDART_VERSION >= 12030
static int function_name(const char **name, const void *func)
{
	struct xs_sim_function_info info;
	int error;
	struct xs_sim_function *function = find_function(func, &error);

	if (!function)
		return error;
	xs_sim_function_info(function, &info);
	*name = info.name;
	return cudaSuccess;
}

RT_API(cudaFuncGetName, v12030, (const char **name, const void *func),
       (name, func), function_name(name, func))
#endif
RT_API(cudaFuncGetAttributes, v3020,
       (struct cudaFuncAttributes * attr, const void *func), (attr, func),
       function_attributes(attr, func))
