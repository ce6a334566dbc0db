/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver for `xferspy calibrate`, loaded at run time with our own
 * prototypes, so that no toolkit and no headers are needed.
 *
 * Errors are sticky, as in ferror(3): after the first one, every XS_CUDA call
 * does nothing until xs_cuda_clear(). A measurement checks for errors once, at
 * its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t xs_cuda_address; /* CUdeviceptr */
typedef struct xs_cuda_context_s *xs_cuda_context;
typedef struct xs_cuda_module_s *xs_cuda_module;
typedef struct xs_cuda_function_s *xs_cuda_function;
typedef struct xs_cuda_stream_s *xs_cuda_stream;
typedef struct xs_cuda_event_s *xs_cuda_event;
typedef struct xs_cuda_graph_s *xs_cuda_graph;
typedef struct xs_cuda_graph_exec_s *xs_cuda_graph_exec;

/* CUmemcpyAttributes */
struct xs_cuda_copy_attributes {
	int source_order;
	int source_hint[2], destination_hint[2];
	unsigned flags;
};
#define XS_CUDA_SOURCE_ORDER_STREAM 1

/* F(function, symbol suffix, parameters); each returns a CUresult. */
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

/* The same for functions that older drivers lack: these are NULL then. */
#define XS_CUDA_NEWER_API(F)                                                   \
	F(cuDeviceCanAccessPeer, "", (int *can, int device, int peer))         \
	F(cuCtxEnablePeerAccess, "", (xs_cuda_context peer, unsigned flags))   \
	F(cuCtxDisablePeerAccess, "", (xs_cuda_context peer))                  \
	F(cuMemcpyPeerAsync, "",                                               \
	  (xs_cuda_address to, xs_cuda_context to_context,                     \
	   xs_cuda_address from, xs_cuda_context from_context, size_t bytes,   \
	   xs_cuda_stream stream))                                             \
	F(cuStreamBeginCapture, "_v2", (xs_cuda_stream stream, int mode))      \
	F(cuStreamEndCapture, "",                                              \
	  (xs_cuda_stream stream, xs_cuda_graph * graph))                      \
	F(cuGraphInstantiateWithFlags, "",                                     \
	  (xs_cuda_graph_exec * exec, xs_cuda_graph graph,                     \
	   unsigned long long flags))                                          \
	F(cuGraphLaunch, "", (xs_cuda_graph_exec exec, xs_cuda_stream stream)) \
	F(cuGraphExecDestroy, "", (xs_cuda_graph_exec exec))                   \
	F(cuGraphDestroy, "", (xs_cuda_graph graph))                           \
	F(cuMemcpyBatchAsync, "_v2",                                           \
	  (xs_cuda_address * to, xs_cuda_address * from, size_t * bytes,       \
	   size_t count, struct xs_cuda_copy_attributes * attributes,          \
	   size_t * attribute_starts, size_t attribute_count,                  \
	   xs_cuda_stream stream))

struct xs_cuda_api {
#define XS_CUDA_MEMBER(function, suffix, parameters) int(*function) parameters;
	XS_CUDA_API(XS_CUDA_MEMBER)
	XS_CUDA_NEWER_API(XS_CUDA_MEMBER)
#undef XS_CUDA_MEMBER
};

/* Numbers from cuda.h, part of the driver's ABI. */
enum xs_cuda_attribute {
	XS_CUDA_CLOCK_KHZ = 13,
	XS_CUDA_SM_COUNT = 16,
	XS_CUDA_PCI_BUS = 33,
	XS_CUDA_PCI_DEVICE = 34,
	XS_CUDA_MEMORY_CLOCK_KHZ = 36,
	XS_CUDA_MEMORY_BUS_BITS = 37,
	XS_CUDA_L2_BYTES = 38,
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
#define XS_CUDA_CAPTURE_RELAXED	    2

enum xs_cuda_kernel {
	XS_KERNEL_EMPTY,
	XS_KERNEL_SPIN,
	XS_KERNEL_READ,
	XS_KERNEL_CHASE,
	XS_KERNEL_WRITE,
	XS_KERNEL_COPY,
	XS_KERNEL_PER_ELEMENT,
	XS_KERNEL_POLL,
	XS_KERNEL_MESSAGE,
	XS_KERNEL_MAILBOX,
	XS_KERNELS
};

/* The text of kernels.ptx. */
extern const char xs_calibrate_ptx[];

struct xs_cuda_device {
	void *library;
	struct xs_cuda_api api;
	int device;
	bool retained; /* the context must be released */
	xs_cuda_context context;
	xs_cuda_module module;
	xs_cuda_function kernel[XS_KERNELS];
	char failure[160]; /* first failing step and reason, or "" */
};

/* XS_CUDA(gpu, function, arguments...): calls the driver unless a call failed.
 */
#define XS_CUDA(gpu, function, ...)                                            \
	((gpu)->failure[0] != '\0'                                             \
	     ? (void)0                                                         \
	     : xs_cuda_note((gpu), (gpu)->api.function(__VA_ARGS__),           \
			    #function))

/*
 * Loads the driver, retains the device's primary context and loads the
 * kernels. Returns 0, or -ENODEV with gpu->failure set. Call xs_cuda_close()
 * in both cases.
 */
int xs_cuda_open(struct xs_cuda_device *gpu, int ordinal);
void xs_cuda_close(struct xs_cuda_device *gpu);

static inline bool xs_cuda_failed(const struct xs_cuda_device *gpu)
{
	return gpu->failure[0] != '\0';
}

/* Clears the failure before the next measurement. */
void xs_cuda_clear(struct xs_cuda_device *gpu);

/* Records a failure of the step if result is not CUDA_SUCCESS. */
void xs_cuda_note(struct xs_cuda_device *gpu, int result, const char *step);

/* Records a failure that is not from the driver. */
void xs_cuda_fail(struct xs_cuda_device *gpu, const char *why);

/* Returns the attribute, 0 if the driver does not know it. Never fails. */
int xs_cuda_attribute(struct xs_cuda_device *gpu,
		      enum xs_cuda_attribute attribute);

/* Returns the time between two completed events in ns; NAN after a failure. */
double xs_cuda_elapsed_ns(struct xs_cuda_device *gpu, xs_cuda_event start,
			  xs_cuda_event end);

/*
 * Launch kernels. xs_cuda_spin: one thread spins for `cycles` of the SM clock,
 * then writes value to flag (0: no write). xs_cuda_spin_all: spins on all SMs,
 * with enough shared memory that no two such kernels run at the same time; no
 * flag. xs_cuda_sweep: reads, writes or copies `bytes` (a multiple of 16)
 * between device-visible addresses, with at most `blocks` blocks of 256
 * threads that all have work. XS_KERNEL_CHASE: each thread has one read of 16
 * bytes in flight.
 */
void xs_cuda_launch_empty(struct xs_cuda_device *gpu, xs_cuda_stream stream);
void xs_cuda_spin(struct xs_cuda_device *gpu, uint64_t cycles,
		  xs_cuda_address flag, uint32_t value, xs_cuda_stream stream);
void xs_cuda_spin_all(struct xs_cuda_device *gpu, uint64_t cycles,
		      xs_cuda_stream stream);
void xs_cuda_sweep(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
		   xs_cuda_address to, xs_cuda_address from, size_t bytes,
		   unsigned blocks, xs_cuda_stream stream);

/* Reads or writes the first line_bytes (32, 64 or 128) of each line of 128
 * bytes; 32 bytes are read every 160, so that the sectors of a line take turns.
 * `bytes` counts the accessed bytes; the range is up to five times as long. */
#define XS_CUDA_LINE_BYTES 128u
void xs_cuda_sweep_lines(struct xs_cuda_device *gpu, enum xs_cuda_kernel kernel,
			 xs_cuda_address to, xs_cuda_address from, size_t bytes,
			 unsigned line_bytes, unsigned blocks,
			 xs_cuda_stream stream);

/* The usual kernel: one thread per element of 4 bytes, read from `from` and
 * written to `to`, `stride` elements apart. */
#define XS_CUDA_BLOCK_THREADS 256 /* per block */
void xs_cuda_per_element(struct xs_cuda_device *gpu, xs_cuda_address to,
			 xs_cuda_address from, size_t elements, size_t stride,
			 xs_cuda_stream stream);

/* One block of XS_CUDA_LARGE_BLOCK threads copies bytes, a multiple of 16. */
#define XS_CUDA_LARGE_BLOCK 512
void xs_cuda_sweep_block(struct xs_cuda_device *gpu, xs_cuda_address to,
			 xs_cuda_address from, size_t bytes,
			 xs_cuda_stream stream);

/* One thread reads a flag `count` times, one after the other; it must be 0. */
void xs_cuda_poll(struct xs_cuda_device *gpu, xs_cuda_address flag,
		  uint32_t count, xs_cuda_stream stream);

/* Each block sends `count` messages of 64 bytes, and a flag behind each, to a
 * line of its own: bytes from `from`, or 0: from no memory. */
void xs_cuda_message(struct xs_cuda_device *gpu, xs_cuda_address to,
		     xs_cuda_address from, xs_cuda_address flag, uint32_t count,
		     unsigned blocks, xs_cuda_stream stream);

/*
 * One block with a warp for each of `flags` pairs of flags, 64 bytes apart. In
 * each turn, 1, 2, ..., a warp waits until its answer has the number of the
 * turn, then stores the number in its request. It gives up after most_ns
 * without an answer, and stores the number in *late.
 */
struct xs_cuda_mailbox {
	xs_cuda_address request, answer, late;
	uint64_t most_ns;
};
void xs_cuda_mailbox(struct xs_cuda_device *gpu,
		     const struct xs_cuda_mailbox *box, uint32_t turns,
		     unsigned flags, xs_cuda_stream stream);
