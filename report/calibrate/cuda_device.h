/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver for `xferspy calibrate`: loaded at run time, with
 * prototypes of our own, so that neither toolkit nor headers are needed.
 *
 * Errors stick, as in ferror(3): after the first one, every XS_GPU call does
 * nothing until xs_gpu_clear. A measurement can so be written straight down
 * and be judged once, at its end.
 */
#ifndef XS_REPORT_CALIBRATE_CUDA_DEVICE_H
#define XS_REPORT_CALIBRATE_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t xs_gpu_address; /* CUdeviceptr */
typedef struct xs_gpu_context_s *xs_gpu_context;
typedef struct xs_gpu_module_s *xs_gpu_module;
typedef struct xs_gpu_function_s *xs_gpu_function;
typedef struct xs_gpu_stream_s *xs_gpu_stream;
typedef struct xs_gpu_event_s *xs_gpu_event;

/* F(function, suffix of its symbol, parameters); each returns a CUresult. */
#define XS_GPU_API(F)                                                          \
	F(cuInit, "", (unsigned flags))                                        \
	F(cuGetErrorName, "", (int error, const char **name))                  \
	F(cuDriverGetVersion, "", (int *version))                              \
	F(cuDeviceGetCount, "", (int *count))                                  \
	F(cuDeviceGet, "", (int *device, int ordinal))                         \
	F(cuDeviceGetName, "", (char *name, int size, int device))             \
	F(cuDeviceTotalMem, "_v2", (size_t * bytes, int device))               \
	F(cuDeviceGetAttribute, "", (int *value, int attribute, int device))   \
	F(cuDevicePrimaryCtxRetain, "",                                        \
	  (xs_gpu_context * context, int device))                              \
	F(cuDevicePrimaryCtxRelease, "_v2", (int device))                      \
	F(cuCtxSetCurrent, "", (xs_gpu_context context))                       \
	F(cuCtxSynchronize, "", (void))                                        \
	F(cuModuleLoadData, "", (xs_gpu_module * module, const void *image))   \
	F(cuModuleUnload, "", (xs_gpu_module module))                          \
	F(cuModuleGetFunction, "",                                             \
	  (xs_gpu_function * function, xs_gpu_module module,                   \
	   const char *name))                                                  \
	F(cuMemAlloc, "_v2", (xs_gpu_address * address, size_t bytes))         \
	F(cuMemFree, "_v2", (xs_gpu_address address))                          \
	F(cuMemHostAlloc, "", (void **host, size_t bytes, unsigned flags))     \
	F(cuMemFreeHost, "", (void *host))                                     \
	F(cuMemHostGetDevicePointer, "_v2",                                    \
	  (xs_gpu_address * address, void *host, unsigned flags))              \
	F(cuMemHostRegister, "_v2",                                            \
	  (void *host, size_t bytes, unsigned flags))                          \
	F(cuMemHostUnregister, "", (void *host))                               \
	F(cuMemcpyHtoD, "_v2",                                                 \
	  (xs_gpu_address to, const void *from, size_t bytes))                 \
	F(cuMemcpyDtoH, "_v2", (void *to, xs_gpu_address from, size_t bytes))  \
	F(cuMemcpyHtoDAsync, "_v2",                                            \
	  (xs_gpu_address to, const void *from, size_t bytes,                  \
	   xs_gpu_stream stream))                                              \
	F(cuMemcpyDtoHAsync, "_v2",                                            \
	  (void *to, xs_gpu_address from, size_t bytes, xs_gpu_stream stream)) \
	F(cuStreamCreate, "", (xs_gpu_stream * stream, unsigned flags))        \
	F(cuStreamDestroy, "_v2", (xs_gpu_stream stream))                      \
	F(cuStreamSynchronize, "", (xs_gpu_stream stream))                     \
	F(cuStreamWaitEvent, "",                                               \
	  (xs_gpu_stream stream, xs_gpu_event event, unsigned flags))          \
	F(cuEventCreate, "", (xs_gpu_event * event, unsigned flags))           \
	F(cuEventDestroy, "_v2", (xs_gpu_event event))                         \
	F(cuEventRecord, "", (xs_gpu_event event, xs_gpu_stream stream))       \
	F(cuEventSynchronize, "", (xs_gpu_event event))                        \
	F(cuEventElapsedTime, "",                                              \
	  (float *ms, xs_gpu_event start, xs_gpu_event end))                   \
	F(cuLaunchKernel, "",                                                  \
	  (xs_gpu_function function, unsigned grid_x, unsigned grid_y,         \
	   unsigned grid_z, unsigned block_x, unsigned block_y,                \
	   unsigned block_z, unsigned shared_bytes, xs_gpu_stream stream,      \
	   void **parameters, void **extra))

struct xs_gpu_api {
#define XS_GPU_MEMBER(function, suffix, parameters) int(*function) parameters;
	XS_GPU_API(XS_GPU_MEMBER)
#undef XS_GPU_MEMBER
};

/* The numbers of cuda.h that are used; they are part of the driver's ABI. */
enum xs_gpu_attribute {
	XS_GPU_CLOCK_KHZ = 13,
	XS_GPU_SM_COUNT = 16,
	XS_GPU_PCI_BUS = 33,
	XS_GPU_PCI_DEVICE = 34,
	XS_GPU_MEMORY_CLOCK_KHZ = 36,
	XS_GPU_MEMORY_BUS_BITS = 37,
	XS_GPU_THREADS_PER_SM = 39,
	XS_GPU_COPY_ENGINES = 40,
	XS_GPU_PCI_DOMAIN = 50,
	XS_GPU_CC_MAJOR = 75,
	XS_GPU_CC_MINOR = 76,
	XS_GPU_SHARED_PER_SM = 81,
	XS_GPU_REGISTERS_PER_SM = 82,
	XS_GPU_BLOCKS_PER_SM = 106,
};

#define XS_GPU_HOST_MAPPED	   2u /* CU_MEMHOSTALLOC_DEVICEMAP */
#define XS_GPU_STREAM_NON_BLOCKING 1u
#define XS_GPU_EVENT_DEFAULT	   0u
#define XS_GPU_EVENT_NO_TIMING	   2u

enum xs_gpu_kernel {
	XS_KERNEL_EMPTY,
	XS_KERNEL_SPIN,
	XS_KERNEL_READ,
	XS_KERNEL_WRITE,
	XS_KERNEL_COPY,
	XS_KERNEL_EACH,
	XS_KERNELS
};

extern const char xs_calibrate_ptx[];

struct xs_gpu {
	void *library;
	struct xs_gpu_api api;
	int device;
	bool retained; /* the context below is ours to release */
	xs_gpu_context context;
	xs_gpu_module module;
	xs_gpu_function kernel[XS_KERNELS];
	char failure[160]; /* the first failing step and why; "" if none */
};

/* XS_GPU(gpu, function, arguments...): a driver call, unless one has failed. */
#define XS_GPU(gpu, function, ...)                                             \
	((gpu)->failure[0] != '\0'                                             \
	     ? (void)0                                                         \
	     : xs_gpu_note((gpu), (gpu)->api.function(__VA_ARGS__),            \
			   #function))

/*
 * Loads the driver, takes the device's primary context and compiles the
 * kernels. 0, or -ENODEV with gpu->failure saying why; close it either way.
 */
int xs_gpu_open(struct xs_gpu *gpu, int ordinal);
void xs_gpu_close(struct xs_gpu *gpu);

static inline bool xs_gpu_failed(const struct xs_gpu *gpu)
{
	return gpu->failure[0] != '\0';
}

/* Forgets the failure, so that the next measurement can be tried. */
void xs_gpu_clear(struct xs_gpu *gpu);

/* Keeps the step's failure where result is not 0 (CUDA_SUCCESS). */
void xs_gpu_note(struct xs_gpu *gpu, int result, const char *step);

/* A failure that is not the driver's own. */
void xs_gpu_fail(struct xs_gpu *gpu, const char *why);

/* The attribute, or 0 where the driver does not know it; never fails. */
int xs_gpu_attribute(struct xs_gpu *gpu, enum xs_gpu_attribute attribute);

/* Time between two events that have happened, in ns; NAN after a failure. */
double xs_gpu_elapsed_ns(struct xs_gpu *gpu, xs_gpu_event start,
			 xs_gpu_event end);

/*
 * Launches. xs_gpu_spin: one thread, for `cycles` of the SM's clock; then it
 * writes value to flag (0: to nowhere). xs_gpu_fill: the same on all of the
 * GPU, with so much shared memory that no two such kernels run at once; flag
 * is nowhere. xs_gpu_sweep: read, write or copy,
 * bytes (a multiple of 16) between device-visible addresses, by at most
 * `blocks` blocks of 256 threads, with something to do for each.
 */
void xs_gpu_empty(struct xs_gpu *gpu, xs_gpu_stream stream);
void xs_gpu_spin(struct xs_gpu *gpu, uint64_t cycles, xs_gpu_address flag,
		 uint32_t value, xs_gpu_stream stream);
void xs_gpu_fill(struct xs_gpu *gpu, uint64_t cycles, xs_gpu_stream stream);
void xs_gpu_sweep(struct xs_gpu *gpu, enum xs_gpu_kernel kernel,
		  xs_gpu_address to, xs_gpu_address from, size_t bytes,
		  unsigned blocks, xs_gpu_stream stream);

/* A read or a write of the first line_bytes (32, 64 or 128) of each line of
 * 128 bytes: bytes are those, and the range as much longer. */
#define XS_GPU_LINE_BYTES 128u
void xs_gpu_sweep_lines(struct xs_gpu *gpu, enum xs_gpu_kernel kernel,
			xs_gpu_address to, xs_gpu_address from, size_t bytes,
			unsigned line_bytes, unsigned blocks,
			xs_gpu_stream stream);

/* The kernel that most programs have: a thread an element of 4 bytes, which it
 * reads from `from` and writes to `to`, each `stride` elements on. */
#define XS_GPU_EACH_THREADS 256 /* of a block */
void xs_gpu_each(struct xs_gpu *gpu, xs_gpu_address to, xs_gpu_address from,
		 size_t elements, size_t stride, xs_gpu_stream stream);

#endif
