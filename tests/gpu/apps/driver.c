/* SPDX-License-Identifier: MIT */
/*
 * A program of the driver API alone, which it finds as language runtimes do:
 * `driver symbols` by dlsym, `driver lookup` by cuGetProcAddress. It works in
 * two contexts by turns. `driver more` does so by other calls: rows, launches
 * with attributes, copies within the device and from one context to another.
 */
#include "tests/e2e/apps/twice.h"

#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  4096
#define BYTES  (COUNT * sizeof(int))
#define ROUNDS 10

/* The name, the version that it is looked up with, the parameters. */
#define FUNCTIONS(F)                                                           \
	F(cuInit, , 2000, (unsigned))                                          \
	F(cuDeviceGet, , 2000, (CUdevice *, int))                              \
	F(cuCtxCreate, _v2, 3020, (CUcontext *, unsigned, CUdevice))           \
	F(cuCtxSetCurrent, , 4000, (CUcontext))                                \
	F(cuCtxDestroy, _v2, 4000, (CUcontext))                                \
	F(cuCtxSynchronize, , 2000, (void))                                    \
	F(cuModuleLoadData, , 2000, (CUmodule *, const void *))                \
	F(cuModuleGetFunction, , 2000, (CUfunction *, CUmodule, const char *)) \
	F(cuMemAlloc, _v2, 3020, (CUdeviceptr *, size_t))                      \
	F(cuMemFree, _v2, 3020, (CUdeviceptr))                                 \
	F(cuMemcpyHtoD, _v2, 3020, (CUdeviceptr, const void *, size_t))        \
	F(cuMemcpyDtoH, _v2, 3020, (void *, CUdeviceptr, size_t))              \
	F(cuLaunchKernel, , 4000,                                              \
	  (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,       \
	   unsigned, unsigned, CUstream, void **, void **))
#define MORE(F)                                                                \
	F(cuLaunchKernelEx, , 11060,                                           \
	  (const CUlaunchConfig *, CUfunction, void **, void **))              \
	F(cuMemcpy2DAsync, _v2, 3020, (const CUDA_MEMCPY2D *, CUstream))       \
	F(cuMemcpyDtoDAsync, _v2, 3020,                                        \
	  (CUdeviceptr, CUdeviceptr, size_t, CUstream))                        \
	F(cuMemcpyPeerAsync, , 4000,                                           \
	  (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))

static struct {
#define MEMBER(name, suffix, version, parameters) CUresult(*name) parameters;
	FUNCTIONS(MEMBER) MORE(MEMBER)
#undef MEMBER
} cuda;

static void check(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	fprintf(stderr, "driver: %s: error %d\n", what, (int)result);
	exit(2);
}
#define CHECK(call) check(cuda.call, #call)

static void find_functions(int lookup, int more)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	CUresult (*find)(const char *, void **, int, cuuint64_t,
			 CUdriverProcAddressQueryResult *) = NULL;
	void *found;

	if (!library) {
		fprintf(stderr, "driver: %s\n", dlerror());
		exit(2);
	}
	if (lookup) {
		*(void **)&find = dlsym(library, "cuGetProcAddress_v2");
		if (!find) {
			fprintf(stderr, "driver: no cuGetProcAddress_v2\n");
			exit(77);
		}
	}
#define FIND(name, suffix, version, parameters)                                \
	found = NULL;                                                          \
	if (!lookup)                                                           \
		found = dlsym(library, #name #suffix);                         \
	else if (find(#name, &found, version, 0, NULL) != CUDA_SUCCESS)        \
		found = NULL;                                                  \
	if (!found) {                                                          \
		fprintf(stderr, "driver: no %s\n", #name);                     \
		exit(2);                                                       \
	}                                                                      \
	*(void **)&cuda.name = found;
	FUNCTIONS(FIND)
	if (more) {
		MORE(FIND)
	}
#undef FIND
}

struct place {
	CUcontext context;
	CUfunction function;
	CUdeviceptr values, second;
};

static void set_up(struct place *place)
{
	CUmodule module;
	CUdevice device;

	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuCtxCreate(&place->context, 0, device));
	CHECK(cuModuleLoadData(&module, twice_ptx));
	CHECK(cuModuleGetFunction(&place->function, module, "twice"));
	CHECK(cuMemAlloc(&place->values, BYTES));
	CHECK(cuMemAlloc(&place->second, BYTES));
}

static void run_round(struct place *place, int *values)
{
	void *parameters[] = {&place->values};

	CHECK(cuCtxSetCurrent(place->context));
	CHECK(cuMemcpyHtoD(place->values, values, BYTES));
	CHECK(cuLaunchKernel(place->function, COUNT / 256, 1, 1, 256, 1, 1, 0,
			     NULL, parameters, NULL));
	CHECK(cuMemcpyDtoH(values, place->values, BYTES));
}

/* In by rows, and out by way of the other place. */
static void run_more(struct place *place, struct place *other, int *values)
{
	void *parameters[] = {&place->values};
	const CUlaunchConfig config = {.gridDimX = COUNT / 256,
				       .gridDimY = 1,
				       .gridDimZ = 1,
				       .blockDimX = 256,
				       .blockDimY = 1,
				       .blockDimZ = 1};
	const CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
				    .srcHost = values,
				    .srcPitch = BYTES / 16,
				    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				    .dstDevice = place->values,
				    .dstPitch = BYTES / 16,
				    .WidthInBytes = BYTES / 16,
				    .Height = 16};

	CHECK(cuCtxSetCurrent(place->context));
	CHECK(cuMemcpy2DAsync(&rows, NULL));
	CHECK(cuLaunchKernelEx(&config, place->function, parameters, NULL));
	CHECK(cuMemcpyDtoDAsync(place->second, place->values, BYTES, NULL));
	CHECK(cuCtxSynchronize());
	CHECK(cuMemcpyPeerAsync(other->values, other->context, place->second,
				place->context, BYTES, NULL));
	CHECK(cuCtxSynchronize());
	CHECK(cuCtxSetCurrent(other->context));
	CHECK(cuMemcpyDtoH(values, other->values, BYTES));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int more = strcmp(mode, "more") == 0;
	struct place places[2];
	static int values[COUNT];
	int wrong = 0;

	find_functions(strcmp(mode, "symbols") != 0, more);
	CHECK(cuInit(0));
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	for (int i = 0; i < 2; i++)
		set_up(&places[i]);
	for (int round = 0; round < ROUNDS; round++)
		if (more)
			run_more(&places[round % 2], &places[1 - round % 2],
				 values);
		else
			run_round(&places[round % 2], values);
	for (int i = 0; i < COUNT; i++)
		wrong += values[i] != i << ROUNDS;
	for (int i = 0; i < 2; i++) {
		CHECK(cuCtxSetCurrent(places[i].context));
		CHECK(cuMemFree(places[i].values));
		CHECK(cuMemFree(places[i].second));
		CHECK(cuCtxDestroy(places[i].context));
	}
	printf("driver: %d wrong\nexpect ops=%d h2d=%zu d2h=%zu between=%zu\n",
	       wrong, (more ? 5 : 3) * ROUNDS, ROUNDS * BYTES, ROUNDS * BYTES,
	       more ? 2 * ROUNDS * BYTES : 0);
	return wrong != 0;
}
