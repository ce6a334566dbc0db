/* SPDX-License-Identifier: MIT */
/* The driver API: initialisation, devices, contexts, modules, launches. */
#include "tests/sim/driver.h"

#include <cudaProfiler.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a file exists after which all calls fail. */
static bool is_faulty(void)
{
	glob_t files = {0};
	bool found;

	if (!xs_sim_config.fault)
		return false;
	found = glob(xs_sim_config.fault, GLOB_NOSORT, NULL, &files) == 0;
	globfree(&files);
	return found;
}

/* cuInit must be allowed; it is recognised by its id. */
int xs_drv_enter(struct xs_sim_call *call)
{
	bool init = call->cbid == CUPTI_DRIVER_TRACE_CBID_cuInit;
	int rc = init		  ? xs_sim_init()
		 : xs_sim_ready() ? CUDA_SUCCESS
				  : CUDA_ERROR_NOT_INITIALIZED;

	xs_sim_enter(call);
	if (init && rc == CUDA_SUCCESS && xs_sim_config.devices == 0)
		rc = CUDA_ERROR_NO_DEVICE;
	return is_faulty() ? (int)CUDA_ERROR_ILLEGAL_ADDRESS : rc;
}

static const struct {
	CUresult result;
	const char *name, *text;
} errors[] = {
#define ROW(error, text) error, #error, text
    {ROW(CUDA_SUCCESS, "no error")},
    {ROW(CUDA_ERROR_INVALID_VALUE, "invalid argument")},
    {ROW(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")},
    {ROW(CUDA_ERROR_NOT_INITIALIZED, "initialization error")},
    {ROW(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")},
    {ROW(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")},
    {ROW(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")},
    {ROW(CUDA_ERROR_NOT_FOUND, "named symbol not found")},
    {ROW(CUDA_ERROR_NOT_READY, "device not ready")},
#undef ROW
};

static CUresult error_text(CUresult result, const char **text, bool name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].result == result) {
			*text = name ? errors[i].name : errors[i].text;
			return CUDA_SUCCESS;
		}
	}
	*text = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

XS_SIM_API CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text)
{
	return error_text(error, text, true);
}

static int put(int *where, int value)
{
	*where = value;
	return CUDA_SUCCESS;
}

static int valid(CUdevice device)
{
	return device >= 0 && device < xs_sim_config.devices
		   ? CUDA_SUCCESS
		   : CUDA_ERROR_INVALID_DEVICE;
}

static int put_text(char *to, int bytes, const char *format, int number)
{
	if (bytes <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(to, (size_t)bytes, format, number);
	return CUDA_SUCCESS;
}

/* The bytes count up from that of the device's number. */
static int put_uuid(CUuuid *uuid, CUdevice device)
{
	for (int i = 0; i < (int)sizeof(uuid->bytes); i++)
		uuid->bytes[i] = (char)(device + i);
	return valid(device);
}

static int put_memory(size_t *bytes, CUdevice device)
{
	*bytes = xs_sim_config.memory_bytes;
	return valid(device);
}

static int put_context(CUcontext *context, CUdevice device)
{
	*context = xs_sim_context(device);
	return valid(device);
}

/* Contexts that the program created, by device. They are one context, which
 * ends with the last of them. */
static atomic_int created[XS_SIM_MAX_DEVICES];

/* Makes the context of a device current, as creating one does. */
static int enter_context(CUcontext *context, CUdevice device)
{
	const int rc = xs_sim_set_device(device);

	if (rc)
		return rc;
	atomic_fetch_add(&created[device], 1);
	*context = xs_sim_context(device);
	return CUDA_SUCCESS;
}

static int set_context(CUcontext context)
{
	for (int i = 0; i < xs_sim_config.devices; i++)
		if (context == xs_sim_context(i))
			return xs_sim_set_device(i);
	return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

/* Modules that the program loaded, by device. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded {
	struct loaded *next;
	struct xs_sim_module *module;
	int device;
} * modules;

static int load(CUmodule *module, const void *image)
{
	struct loaded *loaded = malloc(sizeof(*loaded));

	if (!loaded)
		return CUDA_ERROR_OUT_OF_MEMORY;
	loaded->module = xs_sim_module_load(image);
	loaded->device = xs_sim_device();
	*module = (CUmodule)(void *)loaded->module; /* NULL: no memory */
	pthread_mutex_lock(&lock);
	loaded->next = modules;
	modules = loaded;
	pthread_mutex_unlock(&lock);
	return *module ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Unloads a module, or those of a device; -1: of none. */
static void unload_modules(const struct xs_sim_module *module, int device)
{
	struct loaded **at = &modules, *found;

	pthread_mutex_lock(&lock);
	while ((found = *at)) {
		if (found->module != module && found->device != device) {
			at = &found->next;
			continue;
		}
		*at = found->next;
		xs_sim_module_unload(found->module);
		free(found);
	}
	pthread_mutex_unlock(&lock);
}

static int unload(CUmodule module)
{
	xs_sim_device_wait(xs_sim_device());
	xs_sim_unloading();
	unload_modules((struct xs_sim_module *)(void *)module, -1);
	return CUDA_SUCCESS;
}

/* A context ends with its memory and its modules. */
static int destroy_context(CUcontext context)
{
	const int current = xs_sim_device();
	const int rc =
	    context ? set_context(context) : CUDA_ERROR_INVALID_CONTEXT;

	if (rc)
		return rc;
	if (atomic_fetch_sub(&created[xs_sim_device()], 1) == 1) {
		xs_sim_device_wait(xs_sim_device());
		xs_sim_context_ending();
		unload_modules(NULL, xs_sim_device());
		xs_sim_memory_reset(xs_sim_device());
	}
	return xs_sim_set_device(current);
}

static int put_context_id(unsigned long long *id, CUcontext context)
{
	for (int i = 0; i < xs_sim_config.devices; i++)
		if (!context || context == xs_sim_context(i)) {
			*id = (unsigned long long)i + 1;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_CONTEXT;
}

static int synchronize(void)
{
	xs_sim_device_wait(xs_sim_device());
	return CUDA_SUCCESS;
}

DRV_API(cuInit, (unsigned int Flags), (Flags), CUDA_SUCCESS)
DRV_API(cuDeviceGetCount, (int *count), (count),
	put(count, xs_sim_config.devices))
DRV_API(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal),
	valid(ordinal) ? valid(ordinal) : put(device, ordinal))
DRV_API(cuDeviceGetName, (char *name, int len, CUdevice dev), (name, len, dev),
	put_text(name, len, XS_SIM_NAME, 0))
DRV_API(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice dev), (uuid, dev),
	put_uuid(uuid, dev))
DRV_API(cuDeviceGetPCIBusId, (char *pciBusId, int len, CUdevice dev),
	(pciBusId, len, dev),
	put_text(pciBusId, len, "ffff:%02x:00.0", dev + 1))
DRV_API(cuDeviceGetAttribute,
	(int *pi, CUdevice_attribute attrib, CUdevice dev), (pi, attrib, dev),
	valid(dev) ? valid(dev) : put(pi, xs_sim_attribute(dev, (int)attrib)))
DRV_API(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice dev), (bytes, dev),
	put_memory(bytes, dev))
DRV_API(cuDevicePrimaryCtxRetain, (CUcontext * pctx, CUdevice dev), (pctx, dev),
	put_context(pctx, dev))
DRV_API(cuDevicePrimaryCtxRelease_v2, (CUdevice dev), (dev), valid(dev))
DRV_API(cuCtxCreate_v2, (CUcontext * pctx, unsigned int flags, CUdevice dev),
	(pctx, flags, dev), enter_context(pctx, dev))
#if CUDA_VERSION >= 12050
DRV_API(cuCtxCreate_v4,
	(CUcontext * pctx, CUctxCreateParams *ctxCreateParams,
	 unsigned int flags, CUdevice dev),
	(pctx, ctxCreateParams, flags, dev), enter_context(pctx, dev))
#endif
DRV_API(cuCtxDestroy_v2, (CUcontext ctx), (ctx), destroy_context(ctx))
DRV_API(cuCtxSetCurrent, (CUcontext ctx), (ctx), set_context(ctx))
DRV_API(cuCtxGetCurrent, (CUcontext * pctx), (pctx),
	put_context(pctx, xs_sim_device()))
DRV_API(cuCtxGetId, (CUcontext ctx, unsigned long long *ctxId), (ctx, ctxId),
	put_context_id(ctxId, ctx))
DRV_API(cuCtxGetDevice, (CUdevice * device), (device),
	put(device, xs_sim_device()))

/* A function without parameters. */
#define DRV_API_VOID(symbol, body)                                             \
	XS_SIM_API CUresult CUDAAPI symbol(void)                               \
	{                                                                      \
		struct xs_sim_call call = DRV_CALL(symbol, NULL);              \
		int rc = xs_drv_enter(&call);                                  \
		return (CUresult)xs_sim_leave(&call, rc ? rc : (body));        \
	}
DRV_API_VOID(cuCtxSynchronize, synchronize())
/* There is no profiler. */
DRV_API_VOID(cuProfilerStart, CUDA_SUCCESS)
DRV_API_VOID(cuProfilerStop, CUDA_SUCCESS)

/* Works before cuInit. */
XS_SIM_API CUresult CUDAAPI cuDriverGetVersion(int *version)
{
	return (CUresult)put(version, XS_SIM_CUDA_VERSION);
}

/* Works before cuInit, too. Returns the newest form up to the requested CUDA
 * version. */
XS_SIM_API CUresult CUDAAPI
cuGetProcAddress_v2(const char *symbol, void **function, int version,
		    cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
	static const struct {
		const char *suffix;
		int since;
	} forms[] = {{"_v4", 12050}, {"_v3", 11040}, {"_v2", 3020}, {"", 0}};
	void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	char name[128];

	(void)flags;
	*function = NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		snprintf(name, sizeof(name), "%s%s", symbol, forms[i].suffix);
		if (!*function && self && version >= forms[i].since)
			*function = dlsym(self, name);
	}
	if (self)
		dlclose(self);
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
				    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static int get_function(CUfunction *function, CUmodule module, const char *name)
{
	*function = (CUfunction)(void *)xs_sim_module_function(
	    (struct xs_sim_module *)(void *)module, name);
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

DRV_API(cuModuleLoadData, (CUmodule * module, const void *image),
	(module, image), load(module, image))
DRV_API(cuModuleUnload, (CUmodule hmod), (hmod), unload(hmod))
DRV_API(cuModuleGetFunction,
	(CUfunction * hfunc, CUmodule hmod, const char *name),
	(hfunc, hmod, name), get_function(hfunc, hmod, name))

#if CUDA_VERSION >= 12030
static int kernel_name(const char **name, const void *kernel)
{
	struct xs_sim_function_info info;

	if (!xs_sim_is_kernel(kernel))
		return CUDA_ERROR_INVALID_HANDLE;
	xs_sim_function_info(xs_sim_function_of(kernel), &info);
	*name = info.name;
	return CUDA_SUCCESS;
}

DRV_API(cuKernelGetName, (const char **name, CUkernel hfunc), (name, hfunc),
	kernel_name(name, hfunc))
#endif

#if CUDA_VERSION >= 12040
/* XS_SIM_NO_LAYOUT=NAME: the parameters of that kernel are unknown; NAME:N: to
 * the first N questions. */
static bool hides_layout(const char *name)
{
	static atomic_int asked;
	const char *hidden = getenv("XS_SIM_NO_LAYOUT");
	const size_t length = strlen(name);

	if (!hidden || strncmp(hidden, name, length) != 0)
		return false;
	return hidden[length] == '\0' ||
	       (hidden[length] == ':' &&
		atomic_fetch_add(&asked, 1) < atoi(hidden + length + 1));
}

/* Each of these two knows its own handles only. */
static int param_info(const void *handle, bool of_kernel, size_t index,
		      size_t *offset, size_t *bytes)
{
	struct xs_sim_function_info info;

	if (!handle || xs_sim_is_kernel(handle) != of_kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	xs_sim_function_info(xs_sim_function_of(handle), &info);
	if (hides_layout(info.name))
		return CUDA_ERROR_NOT_SUPPORTED;
	return xs_sim_function_param(xs_sim_function_of(handle), index, offset,
				     bytes)
		   ? CUDA_SUCCESS
		   : CUDA_ERROR_INVALID_VALUE;
}

DRV_API(cuFuncGetParamInfo,
	(CUfunction func, size_t paramIndex, size_t *paramOffset,
	 size_t *paramSize),
	(func, paramIndex, paramOffset, paramSize),
	param_info(func, false, paramIndex, paramOffset, paramSize))
DRV_API(cuKernelGetParamInfo,
	(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
	 size_t *paramSize),
	(kernel, paramIndex, paramOffset, paramSize),
	param_info(kernel, true, paramIndex, paramOffset, paramSize))
#endif

#define MAX_PARAMS 64

/* Points at the parameters in the buffer of `extra`. */
static bool read_extra(void *const *extra, struct xs_sim_function *function,
		       void **params)
{
	char *buffer = NULL;
	size_t used = 0, offset, bytes;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			used = *(size_t *)extra[1];
	}
	for (size_t i = 0; xs_sim_function_param(function, i, &offset, &bytes);
	     i++) {
		if (i == MAX_PARAMS || !buffer || offset + bytes > used)
			return false;
		params[i] = buffer + offset;
	}
	return true;
}

static int launch(const cuLaunchKernel_params *p, struct xs_sim_stream *stream)
{
	const uint32_t grid[3] = {p->gridDimX, p->gridDimY, p->gridDimZ};
	const uint32_t block[3] = {p->blockDimX, p->blockDimY, p->blockDimZ};
	struct xs_sim_function *function = xs_sim_function_of(p->f);
	void *params[MAX_PARAMS];

	if (!p->f || (p->extra && !read_extra(p->extra, function, params)))
		return CUDA_ERROR_INVALID_VALUE;
	return xs_sim_launch(function, stream, grid, block, p->sharedMemBytes,
			     p->extra ? params : p->kernelParams);
}

/* The callback contains the kernel's name. */
static CUresult launch_call(struct xs_sim_call *call,
			    const cuLaunchKernel_params *params,
			    bool per_thread)
{
	struct xs_sim_function_info info;
	int rc;

	if (params->f) {
		xs_sim_function_info(xs_sim_function_of(params->f), &info);
		call->symbol = info.name;
	}
	rc = xs_drv_enter(call);
	return (CUresult)xs_sim_leave(
	    call, rc ? rc : launch(params, DRV_STREAM(params->hStream)));
}

/* No rows of the table, because of the kernel's name. */
#define LAUNCH_PARAMETERS                                                      \
	(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,           \
	 unsigned int gridDimZ, unsigned int blockDimX,                        \
	 unsigned int blockDimY, unsigned int blockDimZ,                       \
	 unsigned int sharedMemBytes, CUstream hStream, void **kernelParams,   \
	 void **extra)
#define LAUNCH(symbol, per_thread)                                             \
	XS_SIM_API CUresult CUDAAPI symbol LAUNCH_PARAMETERS;                  \
	CUresult CUDAAPI symbol LAUNCH_PARAMETERS                              \
	{                                                                      \
		const cuLaunchKernel_params params = {                         \
		    f,	       gridDimX,     gridDimY,	gridDimZ,              \
		    blockDimX, blockDimY,    blockDimZ, sharedMemBytes,        \
		    hStream,   kernelParams, extra};                           \
		struct xs_sim_call call = DRV_CALL(symbol, &params);           \
                                                                               \
		return launch_call(&call, &params, per_thread);                \
	}
LAUNCH(cuLaunchKernel, false)
LAUNCH(cuLaunchKernel_ptsz, true)

#define COOPERATIVE_PARAMETERS                                                 \
	(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,           \
	 unsigned int gridDimZ, unsigned int blockDimX,                        \
	 unsigned int blockDimY, unsigned int blockDimZ,                       \
	 unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
#define LAUNCH_COOPERATIVE(symbol, per_thread)                                 \
	XS_SIM_API CUresult CUDAAPI symbol COOPERATIVE_PARAMETERS;             \
	CUresult CUDAAPI symbol COOPERATIVE_PARAMETERS                         \
	{                                                                      \
		const symbol##_params params = {                               \
		    f,	       gridDimX,    gridDimY,  gridDimZ,               \
		    blockDimX, blockDimY,   blockDimZ, sharedMemBytes,         \
		    hStream,   kernelParams};                                  \
		const cuLaunchKernel_params plain = {                          \
		    f,	       gridDimX,     gridDimY,	gridDimZ,              \
		    blockDimX, blockDimY,    blockDimZ, sharedMemBytes,        \
		    hStream,   kernelParams, NULL};                            \
		struct xs_sim_call call = DRV_CALL(symbol, &params);           \
                                                                               \
		return launch_call(&call, &plain, per_thread);                 \
	}
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, false)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, true)

/* Attributes, such as clusters, change nothing here. */
#define EX_PARAMETERS                                                          \
	(const CUlaunchConfig *config, CUfunction f, void **kernelParams,      \
	 void **extra)
#define LAUNCH_EX(symbol, per_thread)                                          \
	XS_SIM_API CUresult CUDAAPI symbol EX_PARAMETERS;                      \
	CUresult CUDAAPI symbol EX_PARAMETERS                                  \
	{                                                                      \
		const symbol##_params params = {config, f, kernelParams,       \
						extra};                        \
		const cuLaunchKernel_params plain = {f,                        \
						     config->gridDimX,         \
						     config->gridDimY,         \
						     config->gridDimZ,         \
						     config->blockDimX,        \
						     config->blockDimY,        \
						     config->blockDimZ,        \
						     config->sharedMemBytes,   \
						     config->hStream,          \
						     kernelParams,             \
						     extra};                   \
		struct xs_sim_call call = DRV_CALL(symbol, &params);           \
                                                                               \
		return launch_call(&call, &plain, per_thread);                 \
	}
LAUNCH_EX(cuLaunchKernelEx, false)
LAUNCH_EX(cuLaunchKernelEx_ptsz, true)
