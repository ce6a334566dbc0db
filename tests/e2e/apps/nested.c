/* SPDX-License-Identifier: MIT */
/* A program whose own mmap() calls CUDA and changes errno, as an allocator does
 * that clears GPU memory. It does so in calls from libraries named libxferspy;
 * otherwise it knows nothing of it. Prints how often that was, and how many
 * calls changed errno. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#define SETS	  20
#define CALLS	  20000
#define SET_BYTES 64

static void *device;
static cudaEvent_t event;
static unsigned nested, changed, failed;
static _Thread_local bool armed; /* in the main thread, outside of mmap() */

/* The only place that calls these functions. */
static __attribute__((noinline)) void set(void)
{
	failed += cudaMemset(device, 1, SET_BYTES) != cudaSuccess;
	failed += cuMemsetD8((CUdeviceptr)device, 2, SET_BYTES) != CUDA_SUCCESS;
}

static bool is_from_library(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "/libxferspy.");
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file,
	   off_t offset)
{
	void *memory = (void *)syscall(SYS_mmap, address, bytes, protection,
				       flags, file, offset);

	if (armed && is_from_library(__builtin_return_address(0))) {
		armed = false;
		nested++;
		set();
		errno = ENOTTY;
		armed = true;
	}
	return memory;
}

static void check_errno(void)
{
	changed += errno != EDOM;
	errno = EDOM;
}

int main(void)
{
	failed += cudaMalloc(&device, SET_BYTES) != cudaSuccess;
	failed += cudaEventCreate(&event) != cudaSuccess;
	for (int i = 0; i < SETS; i++)
		set();
	errno = EDOM;
	armed = true;
	for (int i = 0; i < CALLS; i++) {
		failed += cudaEventRecord(event, NULL) != cudaSuccess;
		check_errno();
	}
	/* of another size each time: not on the library's fast path */
	for (int i = 0; i < CALLS / 10; i++) {
		void *more = NULL;

		failed += cudaMalloc(&more, 256 + (size_t)i) != cudaSuccess;
		check_errno();
		failed += cudaFree(more) != cudaSuccess;
		check_errno();
	}
	armed = false;
	fprintf(stderr, "nested: %u\n", nested);
	printf("%u changed, %u failed\n", changed, failed);
	return failed != 0;
}
