/* SPDX-License-Identifier: MIT */
/* Launches with pointers in their parameters. Prints what each launch is given:
 * the kernel and the addresses. It knows nothing of xferspy. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define BYTES (1 << 16)

struct pair {
	int count;
	int *in;
	short half;
	int *out;
};

__global__ void plain(int *out, int count, const int *in)
{
	if (threadIdx.x < count)
		out[threadIdx.x] = in[threadIdx.x] + 1;
}

__global__ void in_struct(struct pair pair, long long number)
{
	if (threadIdx.x < pair.count)
		pair.out[threadIdx.x] = pair.in[threadIdx.x] + (int)number;
}

__global__ void without(long long number)
{
	if (number == 1)
		__syncthreads();
}

__global__ void by_list(int *const *list, int *out)
{
	out[threadIdx.x] = list[0][threadIdx.x];
}

__device__ struct {
	int *in;
	long long number;
} variable;

__global__ void by_variable(int *out)
{
	out[threadIdx.x] = variable.in ? variable.in[threadIdx.x] : 0;
}

__global__ void hidden(int *out)
{
	out[threadIdx.x] = 1;
}

__global__ void nothing(void)
{
}

static void tell(const char *kernel, const void *first, const void *second)
{
	printf("%s", kernel);
	for (const void *address : {first, second})
		if (address)
			printf(" %llu", (unsigned long long)address);
	printf("\n");
}

static int *device_memory(void)
{
	int *memory;

	CHECK(cudaMalloc(&memory, 4 * BYTES));
	return memory;
}

static void launch_all(int *a, int *b, int *mapped)
{
	struct pair pair = {32, a + 8, 1, b};
	cudaLaunchConfig_t config = {};

	config.gridDim = 1;
	config.blockDim = 32;
	tell("plain", a, b);
	plain<<<1, 32>>>(a, 32, b);
	tell("plain", a, mapped); /* pinned host memory */
	plain<<<1, 32>>>(a, 32, mapped);
	tell("plain", a, NULL); /* twice the same */
	plain<<<1, 32>>>(a, 32, a);
	tell("plain", b, a); /* by the kernel's stub */
	CHECK(cudaLaunchKernelEx(&config, plain, b, 32, (const int *)a));
	tell("in_struct", a + 8, b);
	in_struct<<<1, 32>>>(pair, 5);
	tell("without", NULL, NULL);
	without<<<1, 32>>>(0);
	tell("hidden", NULL, NULL);
	hidden<<<1, 32>>>(b);
	tell("nothing", NULL, NULL);
	nothing<<<1, 32>>>();
}

static void launch_cooperative(int *a, int *b)
{
	int count = 32;
	void *args[] = {&a, &count, &b};

	tell("plain", a, b);
	CHECK(cudaLaunchCooperativeKernel((void *)plain, 1, 32, args, 0, 0));
}

/* Arrays behind a table, a copy of it, and one in pinned memory, which all are
 * freed; behind managed memory, and behind a texture. */
static void launch_with_others(int *a, int *b)
{
	int **list, **copied, *managed;
	cudaTextureObject_t object;

	CHECK(cudaMalloc(&list, sizeof(a)));
	tell("by_list", list, b);
	CHECK(cudaMemcpy(list, &a, sizeof(a), cudaMemcpyHostToDevice));
	by_list<<<1, 32>>>(list, b);
	CHECK(cudaMalloc(&copied, sizeof(a)));
	CHECK(cudaMemcpy(copied, list, sizeof(a), cudaMemcpyDeviceToDevice));
	CHECK(cudaFree(list));
	tell("by_list", copied, b);
	by_list<<<1, 32>>>(copied, b);
	CHECK(cudaFree(copied));
	CHECK(cudaMallocHost(&list, sizeof(a)));
	list[0] = a;
	tell("by_list", list, b);
	by_list<<<1, 32>>>(list, b);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFreeHost(list));
	CHECK(cudaMallocManaged(&managed, BYTES));
	tell("managed", managed, b);
	plain<<<1, 32>>>(managed, 32, b);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(managed));
	CHECK(cudaCreateTextureObject(&object, NULL, NULL, NULL));
	tell("object", (void *)object, NULL);
	without<<<1, 32>>>((long long)object);
	CHECK(cudaDestroyTextureObject(object));
	tell("without", NULL, NULL);
	without<<<1, 32>>>((long long)object);
}

/* A column with an address in its last row. */
static void launch_with_column(int *a, int *b)
{
	static int *rows[1024][4];
	int *column;

	CHECK(cudaMalloc(&column, sizeof(rows) / 4));
	rows[1023][0] = a;
	tell("by_list", b, column);
	CHECK(cudaMemcpy2D(column, sizeof(a), rows, sizeof(rows[0]), sizeof(a),
			   1024, cudaMemcpyHostToDevice));
	plain<<<1, 32>>>(b, 32, column);
	CHECK(cudaFree(column));
}

/* An array behind a variable; the number behind its address is copied later. */
static void launch_with_variable(int *a, int *b)
{
	const long long number = 1;
	int *none = NULL;

	CHECK(cudaMemcpyToSymbol(variable, &a, sizeof(a)));
	CHECK(cudaMemcpyToSymbol(variable, &number, sizeof(number), sizeof(a)));
	tell("by_variable", b, NULL);
	by_variable<<<1, 32>>>(b);
	CHECK(cudaMemcpyToSymbol(variable, &none, sizeof(none)));
	tell("plain", b, a);
	plain<<<1, 32>>>(b, 32, a);
}

/* The number is an address in memory, far from its ends. */
static void launch_without(const int *memory, bool lives)
{
	const int *number = memory + 64;

	tell("without", lives ? number : NULL, NULL);
	without<<<1, 32>>>((long long)number);
}

/* Memory of another process: it lives until it is closed as often as it was
 * opened. */
static void launch_with_opened(int *own)
{
	cudaIpcMemHandle_t handle;
	int *other;

	CHECK(cudaIpcGetMemHandle(&handle, own));
	for (int i = 0; i < 2; i++)
		CHECK(cudaIpcOpenMemHandle((void **)&other, handle,
					   cudaIpcMemLazyEnablePeerAccess));
	tell("plain", other + BYTES / sizeof(int) - 32, own);
	plain<<<1, 32>>>(other + BYTES / sizeof(int) - 32, 32, own);
	CHECK(cudaIpcCloseMemHandle(other));
	launch_without(other, true);
	CHECK(cudaIpcCloseMemHandle(other));
	launch_without(other, false);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;
	int *a = device_memory(), *b = device_memory(), *c, *mapped;

	CHECK(cudaHostAlloc(&mapped, BYTES, cudaHostAllocDefault));
	for (int i = 0; i < rounds; i++)
		launch_all(a, b, mapped);
	launch_cooperative(a, b);
	launch_with_others(a, b);
	launch_with_column(a, b);
	launch_with_variable(a, b);
	/* the number is the address of memory that was freed, and then of
	 * memory that is there again */
	CHECK(cudaFree(b));
	launch_without(b, false);
	c = device_memory();
	launch_without(c, true);
	launch_with_opened(c);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFree(a));
	CHECK(cudaDeviceReset()); /* frees c */
	launch_without(c, false);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
