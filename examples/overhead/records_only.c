/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of CUPTI's records alone: a library that has CUPTI record
 * kernels and copies, and discards the records. CUDA loads it through
 * CUDA_INJECTION64_PATH. At exit it prints the bytes of records on stderr. It
 * uses the process's own CUPTI, or else the one that CUPTI_LIBRARY names. With
 * CUPTI_CALLBACKS=runtime each launch and each cudaMemcpyAsync() also has an
 * empty callback of the runtime; with =driver it has one of the driver, for
 * copies to the device.
 */
#include <cupti.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int InitializeInjection(void);

#define BUFFER_BYTES ((size_t)1 << 20)

static struct {
	CUptiResult (*register_callbacks)(CUpti_BuffersCallbackRequestFunc,
					  CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*flush_all)(uint32_t);
	CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
				 void *);
	CUptiResult (*enable_callback)(uint32_t, CUpti_SubscriberHandle,
				       CUpti_CallbackDomain, CUpti_CallbackId);
} cupti;
static atomic_ullong recorded_bytes;

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *records)
{
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*bytes = *buffer ? BUFFER_BYTES : 0;
	*records = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream,
			      uint8_t *buffer, size_t bytes, size_t valid_bytes)
{
	(void)context;
	(void)stream;
	(void)bytes;
	atomic_fetch_add(&recorded_bytes, valid_bytes);
	free(buffer);
}

static void CUPTIAPI do_nothing(void *user, CUpti_CallbackDomain domain,
				CUpti_CallbackId id, const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

/* A launch is one of the runtime's, by how old the program is. */
static const CUpti_CallbackId runtime[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
#if CUPTI_API_VERSION >= 130000
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
#endif
};
static const CUpti_CallbackId driver[] = {
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
};

static CUptiResult call_back(const char *whose)
{
	const bool drivers = strcmp(whose, "driver") == 0;
	const CUpti_CallbackId *ids = drivers ? driver : runtime;
	const size_t count = drivers ? sizeof(driver) / sizeof(*driver)
				     : sizeof(runtime) / sizeof(*runtime);
	CUpti_SubscriberHandle subscriber;
	CUptiResult result = cupti.subscribe(&subscriber, do_nothing, NULL);

	for (size_t i = 0; !result && i < count; i++)
		result =
		    cupti.enable_callback(1, subscriber,
					  drivers ? CUPTI_CB_DOMAIN_DRIVER_API
						  : CUPTI_CB_DOMAIN_RUNTIME_API,
					  ids[i]);
	return result;
}

static void at_exit(void)
{
	cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	fprintf(stderr, "records_only: %llu bytes of records\n",
		atomic_load(&recorded_bytes));
}

static void *find_cupti(void)
{
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
	const char *given = getenv("CUPTI_LIBRARY");
	void *handle = NULL;

	for (size_t i = 0; !handle && i < sizeof(names) / sizeof(*names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	return handle || !given ? handle : dlopen(given, RTLD_NOW);
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	const char *callbacks = getenv("CUPTI_CALLBACKS");
	void *handle = find_cupti();

	if (!handle) {
		fprintf(stderr, "records_only: no libcupti: %s\n", dlerror());
		return 1;
	}
	*(void **)&cupti.register_callbacks =
	    dlsym(handle, "cuptiActivityRegisterCallbacks");
	*(void **)&cupti.enable = dlsym(handle, "cuptiActivityEnable");
	*(void **)&cupti.flush_all = dlsym(handle, "cuptiActivityFlushAll");
	*(void **)&cupti.subscribe = dlsym(handle, "cuptiSubscribe");
	*(void **)&cupti.enable_callback = dlsym(handle, "cuptiEnableCallback");
	if (!cupti.register_callbacks || !cupti.enable || !cupti.flush_all ||
	    !cupti.subscribe || !cupti.enable_callback ||
	    (callbacks && call_back(callbacks)) ||
	    cupti.register_callbacks(request, complete) ||
	    cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
	    cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY)) {
		fprintf(stderr, "records_only: CUPTI refuses\n");
		return 1;
	}
	atexit(at_exit);
	return 1;
}
