/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver for `xferspy calibrate`: loaded at run time, with
 * prototypes of our own, so that neither toolkit nor headers are needed.
 *
 * Errors stick, as in ferror(3): after the first one, every XS_CUDA call does
 * nothing until xs_cuda_clear. A measurement can so be written straight down
 * and be judged once, at its end.
 */
#ifndef XS_REPORT_CALIBRATE_CUDA_DEVICE_H
#define XS_REPORT_CALIBRATE_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t xs_cuda_address; /* CUdeviceptr */
typedef struct xs_cuda_context_s *xs_cuda_context;
typedef struct xs_cuda_module_s *xs_cuda_module;
typedef struct xs_cuda_function_s *xs_cuda_function;
typedef struct xs_cuda_stream_s *xs_cuda_stream;
typedef struct xs_cuda_event_s *xs_cuda_event;

/* F(function, suffix of its symbol, parameters); each returns a CUresult. */
#define XS_CUDA_API(F)                                                         \
	F(cuInit, "", (unsigned flags))                                        \
	F(cuGetErrorName, "", (int error, const char **name))                  \
	F(cuDriverGetVersion, "", (int *version))                              \
	F(cuDeviceGetCount, "", (int *count))                                  \
	F(cuDeviceGet, "", (int *device, int ordinal))                         \
	F(cuDeviceGetName, "", (char *name, int size, int device))             \
	F(cuDeviceTotalMem, "_v2", (size_t * bytes, int device))               \
	F(cuDeviceGetAttribute, "", (int *value, int attribute, int device))   \
	F(cuDevicePrimaryCtxRetain, "",                                        \
	  (xs_cuda_context * context, int device))                             \
	F(cuDevicePrimaryCtxRelease, "_v2", (int device))                      \
	F(cuCtxSetCurrent, "", (xs_cuda_context context))                      \
	F(cuCtxSynchronize, "", (void))                                        \
	F(cuModuleLoadData, "", (xs_cuda_module * module, const void *image))  \
	F(cuModuleUnload, "", (xs_cuda_module module))                         \
	F(cuModuleGetFunction, "",                                             \
	  (xs_cuda_function * function, xs_cuda_module module,                 \
	   const char *name))                                                  \
	F(cuMemAlloc, "_v2", (xs_cuda_address * address, size_t bytes))        \
	F(cuMemFree, "_v2", (xs_cuda_address address))                         \
	F(cuMemHostAlloc, "", (void **host, size_t bytes, unsigned flags))     \
	F(cuMemFreeHost, "", (void *host))                                     \
	F(cuMemHostGetDevicePointer, "_v2",                                    \
	  (xs_cuda_address * address, void *host, unsigned flags))             \
	F(cuMemHostRegister, "_v2",                                            \
	  (void *host, size_t bytes, unsigned flags))                          \
	F(cuMemHostUnregister, "", (void *host))                               \
	F(cuMemcpyHtoD, "_v2",                                                 \
	  (xs_cuda_address to, const void *from, size_t bytes))                \
	F(cuMemcpyDtoH, "_v2", (void *to, xs_cuda_address from, size_t bytes)) \
	F(cuMemcpyHtoDAsync, "_v2",                                            \
	  (xs_cuda_address to, const void *from, size_t bytes,                 \
	   xs_cuda_stream stream))                                             \
	F(cuMemcpyDtoHAsync, "_v2",                                            \
	  (void *to, xs_cuda_address from, size_t bytes,                       \
	   xs_cuda_stream stream))                                             \
	F(cuStreamCreate, "", (xs_cuda_stream * stream, unsigned flags))       \
	F(cuStreamDestroy, "_v2", (xs_cuda_stream stream))                     \
	F(cuStreamSynchronize, "", (xs_cuda_stream stream))                    \
	F(cuStreamWaitEvent, "",                                               \
	  (xs_cuda_stream stream, xs_cuda_event event, unsigned flags))        \
	F(cuEventCreate, "", (xs_cuda_event * event, unsigned flags))          \
	F(cuEventDestroy, "_v2", (xs_cuda_event event))                        \
	F(cuEventRecord, "", (xs_cuda_event event, xs_cuda_stream stream))     \
	F(cuEventSynchronize, "", (xs_cuda_event event))                       \
	F(cuEventElapsedTime, "",                                              \
	  (float *ms, xs_cuda_event start, xs_cuda_event end))                 \
	F(cuLaunchKernel, "",                                                  \
	  (xs_cuda_function function, unsigned grid_x, unsigned grid_y,        \
	   unsigned grid_z, unsigned block_x, unsigned block_y,                \
	   unsigned block_z, unsigned shared_bytes, xs_cuda_stream stream,     \
	   void **parameters, void **extra))

struct xs_cuda_api {
#define XS_CUDA_MEMBER(function, suffix, parameters) int(*function) parameters;
	XS_CUDA_API(XS_CUDA_MEMBER)
#undef XS_CUDA_MEMBER
};

/* The numbers of cuda.h that are used; they are part of the driver's ABI. */
enum xs_cuda_attribute {
	XS_CUDA_CLOCK_KHZ = 13,
	XS_CUDA_SM_COUNT = 16,
	XS_CUDA_PCI_BUS = 33,
	XS_CUDA_PCI_DEVICE = 34,
	XS_CUDA_MEMORY_CLOCK_KHZ = 36,
	XS_CUDA_MEMORY_BUS_BITS = 37,
	XS_CUDA_THREADS_PER_SM = 39,
	XS_CUDA_COPY_ENGINES = 40,
	XS_CUDA_PCI_DOMAIN = 50,
	XS_CUDA_CC_MAJOR = 75,
	XS_CUDA_CC_MINOR = 76,
	XS_CUDA_SHARED_PER_SM = 81,
	XS_CUDA_REGISTERS_PER_SM = 82,
	XS_CUDA_BLOCKS_PER_SM = 106,
};

#define XS_CUDA_HOST_MAPPED	    2u /* CU_MEMHOSTALLOC_DEVICEMAP */
#define XS_CUDA_STREAM_NON_BLOCKING 1u
#define XS_CUDA_EVENT_DEFAULT	    0u
#define XS_CUDA_EVENT_NO_TIMING	    2u

enum xs_cuda_kernel {
	XS_KERNEL_EMPTY,
	XS_KERNEL_SPIN,
	XS_KERNEL_READ,
	XS_KERNEL_WRITE,
	XS_KERNEL_COPY,
	XS_KERNEL_PER_ELEMENT,
	XS_KERNELS
};

extern const char xs_calibrate_ptx[];

struct xs_cuda_device {
	void *library;
	struct xs_cuda_api api;
	int device;
	bool retained; /* the context below is ours to release */
	xs_cuda_context context;
	xs_cuda_module module;
	xs_cuda_function kernel[XS_KERNELS];
	char failure[160]; /* the first failing step and why; "" if none */
};

/* XS_CUDA(gpu, function, arguments...): a driver call, unless one has failed.
 */
#define XS_CUDA(gpu, function, ...)                                            \
	((gpu)->failure[0] != '\0'                                             \
	     ? (void)0                                                         \
	     : xs_cuda_note((gpu), (gpu)->api.function(__VA_ARGS__),           \
			    #function))

/*
 * Loads the driver, takes the device's primary context and compiles the
 * kernels. 0, or -ENODEV with gpu->failure saying why; close it either way.
 */
int xs_cuda_open(struct xs_cuda_device *gpu, int ordinal);
void xs_cuda_close(struct xs_cuda_device *gpu);

static inline bool xs_cuda_failed(const struct xs_cuda_device *gpu)
{
	return gpu->failure[0] != '\0';
}

/* Forgets the failure, so that the next measurement can be tried. */
void xs_cuda_clear(struct xs_cuda_device *gpu);

/* Keeps the step's failure where result is not 0 (CUDA_SUCCESS). */
void xs_cuda_note(struct xs_cuda_device *gpu, int result, const char *step);

/* A failure that is not the driver's own. */
void xs_cuda_fail(struct xs_cuda_device *gpu, const char *why);

/* The attribute, or 0 where the driver does not know it; never fails. */
int xs_cuda_attribute(struct xs_cuda_device *gpu,
		      enum xs_cuda_attribute attribute);

/* Time between two events that have happened, in ns; NAN after a failure. */
double xs_cuda_elapsed_ns(struct xs_cuda_device *gpu, xs_cuda_event start,
			  xs_cuda_event end);

/*
 * Launches. xs_cuda_spin: one thread, for `cycles` of the SM's clock; then it
 * writes value to flag (0: to nowhere). xs_cuda_spin_all: the same on all of
 * the GPU, with so much shared memory that no two such kernels run at once;
 * flag is nowhere. xs_cuda_sweep: read, write or copy, bytes (a multiple of 16)
 * between device-visible addresses, by at most `blocks` blocks of 256 threads,
 * with something to do for each.
 */
void xs_cuda_launch_empty(struct xs_cuda_device *gpu, xs_cuda_stream stream);
void xs_cuda_spin(struct xs_cuda_device *gpu, uint64_t cycles,
		  xs_cuda_address flag, uint32_t value, xs_cuda_stream stream);
void xs_cuda_spin_all(struct xs_cuda_device *gpu, uint64_t cycles,
		      xs_cuda_stream stream);
void xs_cuda_sweep(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
		   xs_cuda_address to, xs_cuda_address from, size_t bytes,
		   unsigned blocks, xs_cuda_stream stream);

/* A read or a write of the first line_bytes (32, 64 or 128) of each line of
 * 128 bytes: bytes are those, and the range as much longer. */
#define XS_CUDA_LINE_BYTES 128u
void xs_cuda_sweep_lines(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
			 xs_cuda_address to, xs_cuda_address from, size_t bytes,
			 unsigned line_bytes, unsigned blocks,
			 xs_cuda_stream stream);

/* The kernel that most programs have: a thread an element of 4 bytes, which it
 * reads from `from` and writes to `to`, each `stride` elements on. */
#define XS_CUDA_BLOCK_THREADS 256 /* of a block */
void xs_cuda_per_element(struct xs_cuda_device *gpu, xs_cuda_address to,
			 xs_cuda_address from, size_t elements, size_t stride,
			 xs_cuda_stream stream);

#endif
