/* SPDX-License-Identifier: MIT */
/* A program that uses the driver API without the runtime, as frameworks with
 * their own compiler do. It knows nothing of xferspy. */
#include "tests/e2e/apps/twice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cuda.h>
#include <cudaProfiler.h>

#define PAGE  4096
#define COUNT 16384
#define BYTES (COUNT * sizeof(int))

#define CHECK(call)                                                            \
	do {                                                                   \
		CUresult error_ = (call);                                      \
		if (error_ != CUDA_SUCCESS) {                                  \
			fprintf(stderr, "%s: %d\n", #call, (int)error_);       \
			exit(2);                                               \
		}                                                              \
	} while (0)

static CUdeviceptr device;
static CUfunction twice;
static CUstream stream;
static int *host;

static void fill(void)
{
	for (int i = 0; i < COUNT; i++)
		host[i] = i;
}

static void set_up(void)
{
	CUdevice first;
	CUcontext context;
	CUmodule module;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&first, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, first));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoadData(&module, twice_ptx));
	CHECK(cuModuleGetFunction(&twice, module, "twice"));
	CHECK(cuMemAlloc(&device, BYTES));
	CHECK(cuMemHostAlloc((void **)&host, BYTES, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	fill();
}

static void launch(CUstream in)
{
	void *arguments[] = {&device};

	CHECK(cuLaunchKernel(twice, COUNT / 256, 1, 1, 256, 1, 1, 0, in,
			     arguments, NULL));
}

static void blocking_round(void)
{
	CHECK(cuMemcpyHtoD(device, host, BYTES));
	launch(NULL);
	CHECK(cuMemcpyDtoH(host, device, BYTES));
}

static void async_round(void)
{
	CHECK(cuMemcpyHtoDAsync(device, host, BYTES, stream));
	launch(stream);
	CHECK(cuMemcpyDtoHAsync(host, device, BYTES, stream));
	CHECK(cuStreamSynchronize(stream));
}

/* Memory in two pieces, which kernels and copies use as one. The simulated
 * driver needs no handles of memory. */
static void mapped_round(void)
{
	const CUdeviceptr whole = device;
	CUdeviceptr reserved;

	CHECK(cuMemAddressReserve(&reserved, BYTES, 0, 0, 0));
	CHECK(cuMemMap(reserved, BYTES / 2, 0, 0, 0));
	CHECK(cuMemMap(reserved + BYTES / 2, BYTES / 2, 0, 0, 0));
	device = reserved;
	for (int i = 0; i < 3; i++)
		async_round();
	device = whole;
	CHECK(cuMemUnmap(reserved, BYTES));
	CHECK(cuMemAddressFree(reserved, BYTES));
}

/* One call of each other recorded kind. */
static void others(void)
{
	CUdeviceptr other;
	CUevent event;
	void *pinned;
	static char pageable[4096];

	CHECK(cuMemAlloc(&other, 4096));
	CHECK(cuMemsetD8(other, 1, 4096));
	CHECK(cuMemsetD32Async(other, 2, 1024, stream));
	CHECK(cuMemcpyDtoD(other, device, 4096));
	CHECK(cuMemcpyDtoDAsync(device, other, 4096, stream));
	CHECK(cuEventCreate(&event, 0));
	CHECK(cuEventRecord(event, stream));
	CHECK(cuStreamWaitEvent(NULL, event, 0));
	CHECK(cuEventSynchronize(event));
	CHECK(cuCtxSynchronize());
	CHECK(cuMemAllocHost(&pinned, 4096));
	CHECK(cuMemFreeHost(pinned));
	CHECK(cuMemHostRegister(pageable, sizeof(pageable), 0));
	CHECK(cuMemHostUnregister(pageable));
	CHECK(cuMemFree(other));
}

/* A kernel whose second parameter is the number of pointers in the third, which
 * is a struct. */
static const char ptx_struct[] = ".version 5.0\n"
				 ".target sm_50\n"
				 ".address_size 64\n"
				 ".visible .entry other(.param .u64 first,\n"
				 "	.param .u32 count,\n"
				 "	.param .align 8 .b8 rest[16])\n"
				 "{\n"
				 "	ret;\n"
				 "}\n";

static void tell(CUdeviceptr first, CUdeviceptr second)
{
	printf("launch %llu", (unsigned long long)first);
	if (second)
		printf(" %llu", (unsigned long long)second);
	printf("\n");
}

/* Returns the place before a page that cannot be read. */
static CUdeviceptr *last_place(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		exit(2);
	return (CUdeviceptr *)(void *)(pages + PAGE) - 1;
}

/* Parameters in one buffer. The driver reads only those that the kernel has. */
static void launch_extra(size_t bytes)
{
	CUdeviceptr *buffer = last_place();
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 CU_LAUNCH_PARAM_END};

	*buffer = device;
	tell(device, 0);
	CHECK(cuLaunchKernel(twice, COUNT / 256, 1, 1, 256, 1, 1, 0, stream,
			     NULL, extra));
}

/* By a cooperative launch, and in clusters of two blocks. */
static void launch_together(void)
{
	void *arguments[] = {&device};
	CUlaunchAttribute cluster = {.id =
					 CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
				     .value.clusterDim = {2, 1, 1}};
	const CUlaunchConfig config = {.gridDimX = COUNT / 256,
				       .gridDimY = 1,
				       .gridDimZ = 1,
				       .blockDimX = 256,
				       .blockDimY = 1,
				       .blockDimZ = 1,
				       .hStream = stream,
				       .attrs = &cluster,
				       .numAttrs = 1};

	tell(device, 0);
	CHECK(cuLaunchCooperativeKernel(twice, COUNT / 256, 1, 1, 256, 1, 1, 0,
					stream, arguments));
	tell(device, 0);
	CHECK(cuLaunchKernelEx(&config, twice, arguments, NULL));
}

/* Modules one after the other: their functions may have the same handle. */
static void launch_of_modules(int rounds)
{
	CUdeviceptr rest[2] = {7, device + 8}, first = device;
	int count = 2;
	void *plain[] = {&first}, *with_struct[] = {&first, &count, rest};
	CUmodule module;
	CUfunction function;

	for (int i = 0; i < 2 * rounds; i++) {
		CHECK(
		    cuModuleLoadData(&module, i % 2 ? ptx_struct : twice_ptx));
		CHECK(cuModuleGetFunction(&function, module,
					  i % 2 ? "other" : "twice"));
		tell(first, i % 2 ? rest[1] : 0);
		CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream,
				     i % 2 ? with_struct : plain, NULL));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuModuleUnload(module));
	}
}

/* Memory of another process. */
static void launch_opened(void)
{
	const CUdeviceptr own = device;
	CUipcMemHandle handle;

	CHECK(cuIpcGetMemHandle(&handle, own));
	CHECK(cuIpcOpenMemHandle(&device, handle, 0));
	launch_extra(sizeof(CUdeviceptr));
	CHECK(cuIpcCloseMemHandle(device));
	device = own;
}

static void pointers(int rounds)
{
	launch_opened();
	for (int i = 0; i < rounds; i++)
		launch_extra(i % 2 ? PAGE : sizeof(CUdeviceptr));
	launch_together();
	launch_of_modules(rounds);
}

static void launch_mapped(CUmemGenericAllocationHandle handle)
{
	/* with a gap behind it */
	CHECK(cuMemAddressReserve(&device, 2 * BYTES, 0, 0, 0));
	CHECK(cuMemMap(device, BYTES, 0, handle, 0));
	launch_extra(sizeof(device));
}

/* Two pieces at adjacent addresses: the second one gets a table, then data, and
 * then another address. */
static void pieces(void)
{
	static CUdeviceptr table[8];
	CUdeviceptr first, other;

	CHECK(cuMemAddressReserve(&first, 3 * BYTES, 0, 0, 0));
	CHECK(cuMemMap(first, BYTES, 0, 81, 0));
	CHECK(cuMemMap(first + BYTES, BYTES, 0, 82, 0));
	for (int i = 0; i < 3; i++) {
		device = first;
		launch_extra(sizeof(device));
		table[0] = i ? 0 : first;
		CHECK(cuMemcpyHtoD(first + BYTES, table, sizeof(table)));
	}
	CHECK(cuMemAddressReserve(&other, BYTES, 0, 0, 0));
	CHECK(cuMemMap(other, BYTES, 0, 82, 0));
	launch_extra(sizeof(device));
}

/* Memory of one handle at two addresses, as long as it is not released twice,
 * and of a new one with its number, which moves. */
static void aliases(void)
{
	CUmemGenericAllocationHandle handle = 77;

	launch_mapped(handle);
	launch_mapped(handle);
	CHECK(cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)device));
	CHECK(cuMemRelease(handle));
	launch_mapped(handle);
	CHECK(cuMemRelease(handle));
	launch_mapped(77);
	CHECK(cuMemUnmap(device, BYTES));
	launch_mapped(77);
	pieces();
}

static void create_context(CUcontext *context, CUdevice on)
{
#if CUDA_VERSION >= 13000
	CHECK(cuCtxCreate(context, NULL, 0, on));
#else
	CHECK(cuCtxCreate(context, 0, on));
#endif
}

/* Contexts on another device, one after the other, each with a module: their
 * functions may have the same handle. Memory that was mapped in each second one
 * stays, and is given to a kernel of the next one. */
static void contexts(int rounds)
{
	CUdeviceptr own, rest[2] = {0}, mapped;
	int count = 2;
	void *plain[] = {&own}, *with_struct[] = {&mapped, &count, rest};
	CUcontext context;
	CUmodule module;
	CUfunction function;

	for (int i = 0; i < 2 * rounds; i++) {
		const bool last = i % 2;

		create_context(&context, 1);
		CHECK(cuModuleLoadData(&module, last ? ptx_struct : twice_ptx));
		CHECK(cuModuleGetFunction(&function, module,
					  last ? "other" : "twice"));
		if (!last) {
			CHECK(cuMemAlloc(&own, BYTES));
			CHECK(cuMemAddressReserve(&mapped, BYTES, 0, 0, 0));
			CHECK(cuMemMap(mapped, BYTES, 0, 100 + i, 0));
		}
		rest[1] = device + 8;
		tell(last ? mapped : own, last ? rest[1] : 0);
		CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL,
				     last ? with_struct : plain, NULL));
		CHECK(cuCtxSynchronize());
		CHECK(cuCtxDestroy(context));
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int rounds = argc > 2 ? atoi(argv[2]) : 3;
	int wrong = 0;

	set_up();
	if (strcmp(mode, "pointers") == 0 || strcmp(mode, "aliases") == 0) {
		*mode == 'p' ? pointers(rounds) : aliases();
		return 0;
	}
	if (strcmp(mode, "mapped") == 0) {
		mapped_round();
		return 0;
	}
	if (strcmp(mode, "contexts") == 0) {
		contexts(rounds);
		return 0;
	}
	if (strcmp(mode, "range") == 0) {
		blocking_round(); /* not to be recorded */
		fill();
		CHECK(cuProfilerStart());
	}
	for (int i = 0; i < rounds; i++)
		strcmp(mode, "async") == 0 ? async_round() : blocking_round();
	if (strcmp(mode, "range") == 0)
		CHECK(cuProfilerStop());
	for (int i = 0; i < COUNT; i++)
		wrong += host[i] != i << rounds;
	if (strcmp(mode, "others") == 0)
		others();
	if (strcmp(mode, "errors") == 0)
		printf("%d\n", (int)cuMemcpyHtoD(0, NULL, 8));
	CHECK(cuStreamDestroy(stream));
	CHECK(cuMemFreeHost(host));
	CHECK(cuMemFree(device));
	printf("%s: %d wrong\n", mode, wrong);
	return wrong != 0;
}
