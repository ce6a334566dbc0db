/* SPDX-License-Identifier: MIT */
/*
 * What CUPTI's own records cost alone: a library that has CUPTI record kernels
 * and copies, and throws the records away. CUDA loads it where
 * CUDA_INJECTION64_PATH names it. At exit one line on stderr says how many
 * bytes of records there were. CUPTI is the process's own if it has one, else
 * what CUPTI_LIBRARY names.
 */
#include <cupti.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

int InitializeInjection(void);

#define BUFFER_BYTES ((size_t)1 << 20)

static struct {
	CUptiResult (*register_callbacks)(CUpti_BuffersCallbackRequestFunc,
					  CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*flush_all)(uint32_t);
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
	void *handle = find_cupti();

	if (!handle) {
		fprintf(stderr, "records_only: no libcupti: %s\n", dlerror());
		return 1;
	}
	*(void **)&cupti.register_callbacks =
	    dlsym(handle, "cuptiActivityRegisterCallbacks");
	*(void **)&cupti.enable = dlsym(handle, "cuptiActivityEnable");
	*(void **)&cupti.flush_all = dlsym(handle, "cuptiActivityFlushAll");
	if (!cupti.register_callbacks || !cupti.enable || !cupti.flush_all ||
	    cupti.register_callbacks(request, complete) ||
	    cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
	    cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY)) {
		fprintf(stderr, "records_only: CUPTI refuses\n");
		return 1;
	}
	atexit(at_exit);
	return 1;
}
