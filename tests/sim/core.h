/* SPDX-License-Identifier: MIT */
/*
 * The core of the simulated CUDA device: the functions that libcuda.so.1 of
 * this folder offers to the simulated runtime and CUPTI.
 *
 * Each device has one worker thread. It takes operations in the order in which
 * the host issued them and really performs them (device memory is host memory,
 * kernels are interpreted from the program's own PTX). Each operation also gets
 * a start and an end on the device's timeline, which is computed from a model
 * and not measured: an operation starts when it was issued, its engine is free
 * and everything that it depends on has ended, and lasts as long as the model
 * says (never less than performing it took). All times are CLOCK_REALTIME ns,
 * the clock of CUPTI's records. A call that waits for an operation returns at
 * the operation's end in real time.
 *
 * Functions return 0 or a cudaError_t as int, so that this header needs no CUDA
 * header.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_SIM_API	    __attribute__((visibility("default")))
#define XS_SIM_MAX_DEVICES  8
#define XS_SIM_WARP_SIZE    32
#define XS_SIM_MAX_THREADS  1024
#define XS_SIM_SHARED_BYTES (48u * 1024)
#define XS_SIM_CLOCK_KHZ    1500000u
#define XS_SIM_SM_COUNT	    24

/* Configuration from the environment; README.md lists the variables. */
struct xs_sim_config {
	int devices;
	int copy_engines;   /* 1 or 2 */
	size_t copy_ends;   /* bytes of a row's ends; 0: rows are whole */
	bool implicit_sync; /* as on devices before compute capability 3.5 */
	double h2d_gbs;	    /* pinned, 1e9 bytes per second */
	double d2h_gbs;
	double bidir_gbs;    /* each direction, while the other is busy */
	double pageable_gbs; /* staged, either direction */
	double mem_gbs;	     /* device memory */
	double gips;	     /* 1e9 thread instructions per second */
	uint64_t copy_ns;    /* fixed part of a copy */
	uint64_t launch_ns;  /* fixed part of a kernel */
	uint64_t latency_ns; /* from the call to the earliest start */
	uint64_t init_ns;    /* time to start */
	uint64_t call_ns;    /* minimum host time of a call */
	bool call_signals;   /* blocked signals come in the rest of it */
	uint64_t memory_bytes;
	uint64_t hang;	   /* this launch never ends; 0: none */
	const char *fault; /* once there is such a file, calls of the driver
			    * fail; NULL: none */
	uint32_t hold;	   /* this call waits for as many others; 0: none */
	bool own_ids;	   /* each thread has its own ids */
	uint32_t last_id;  /* of the call before the first */
};

extern XS_SIM_API struct xs_sim_config xs_sim_config;

/* The values of CUpti_ActivityMemoryKind. */
enum xs_sim_memory {
	XS_SIM_PAGEABLE = 1,
	XS_SIM_PINNED = 2,
	XS_SIM_DEVICE = 3,
	XS_SIM_MANAGED = 5,
};

/* A range that the simulated driver knows. */
struct xs_sim_range {
	uintptr_t base;
	size_t bytes;
	enum xs_sim_memory memory;
	int device;
	bool registered; /* the application's own memory */
	bool migrated;	 /* managed: it is on the device now */
};

struct xs_sim_stream {
	struct xs_sim_stream *next;
	int device;
	uint32_t id; /* as in activity records */
	unsigned flags;
	bool legacy;		      /* the legacy default stream */
	struct xs_sim_graph *capture; /* NULL: not capturing */
	uint64_t issued;	      /* sequence of the last operation */
	uint64_t end_ns;	      /* end of the last placed operation */
};

struct xs_sim_event {
	int device;
	uint64_t issued; /* sequence of the last record; 0: never recorded */
	uint64_t end_ns; /* end of the last placed record */
	struct xs_sim_graph *capture; /* of the record, or NULL */
};

enum xs_sim_op_kind {
	XS_SIM_COPY,
	XS_SIM_SET,
	XS_SIM_KERNEL,
	XS_SIM_RECORD,
	XS_SIM_WAIT,
	XS_SIM_HOST,
	XS_SIM_MIGRATION, /* never in a queue */
	XS_SIM_GRAPH,	  /* a whole launch of a graph; never in a queue */
};

/* width bytes per row; a plain copy has one row and one slice. */
struct xs_sim_copy {
	char *dst;
	const char *src;
	size_t width, height, depth;
	size_t dst_pitch, src_pitch;		   /* from row to row */
	size_t dst_slice, src_slice;		   /* from slice to slice */
	bool async;				   /* by an asynchronous call */
	enum xs_sim_memory src_memory, dst_memory; /* set by the core */
	int src_device, dst_device;
};

struct xs_sim_set {
	char *dst;
	size_t bytes;
	uint32_t value;
	unsigned unit; /* bytes: 1, 2 or 4 */
	bool async;
};

struct xs_sim_launch {
	struct xs_sim_function *function;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* dynamic */
	void *args;	       /* owned; the parameter block of the PTX */
	size_t args_bytes;
};

struct xs_sim_host {
	void (*function)(void *);
	void *data;
};

/* One launch of a graph. The worker performs its nodes in order, and frees it
 * after the last one. */
struct xs_sim_graph_run {
	uint32_t exec; /* number of the executable graph */
	bool as_one;   /* one record for the launch, and none for its nodes */
	size_t nodes_left;
	uint64_t start_ns, end_ns; /* of its nodes so far */
};

/* One operation in a device's queue; owned by the core once issued. */
struct xs_sim_op {
	struct xs_sim_op *next;
	enum xs_sim_op_kind kind;
	struct xs_sim_stream *stream;
	uint64_t sequence, issue_ns;
	uint32_t correlation;
	uint64_t event_sequence; /* waits: sequence of the record waited for */
	uint64_t graph_node;	 /* 0: not in a graph */
	struct xs_sim_graph_run *graph_run; /* NULL: not in a graph */
	union {
		struct xs_sim_copy copy;
		struct xs_sim_set set;
		struct xs_sim_launch launch;
		struct xs_sim_event *event;
		struct xs_sim_host host;
	};
};

/* A finished operation; the launch's args must not be used. */
struct xs_sim_record {
	enum xs_sim_op_kind kind;
	uint64_t start_ns, end_ns;
	int device;
	uint32_t stream, correlation;
	const struct xs_sim_op *op; /* valid during the call */
};

/* An API call as CUPTI sees it: domain and number of its callback. */
struct xs_sim_call {
	int domain; /* CUpti_CallbackDomain */
	uint32_t cbid;
	const char *name;
	const void *params;
	const char *symbol; /* name of the kernel, if any */
	uint32_t correlation;
	uint64_t start_ns;
	uint64_t correlation_data;
	int result;
	bool outermost;
};

/* Set by CUPTI; NULL without CUPTI. */
struct xs_sim_hooks {
	/* returns whether a callback was made */
	bool (*call)(struct xs_sim_call *call, bool leaving);
	void (*record)(const struct xs_sim_record *record);
	/* returns CUPTI's state, which an executable graph stores when it is
	 * instantiated */
	unsigned (*instantiated)(void);
	/* a call launches such a graph; returns whether as one record */
	bool (*graph_launched)(unsigned instantiated, uint32_t exec,
			       uint32_t correlation);
	void (*unloading)(void);
	void (*context_ending)(void);
};
XS_SIM_API void xs_sim_set_hooks(const struct xs_sim_hooks *hooks);
/* Restarts correlation ids at 1. */
XS_SIM_API void xs_sim_restart_ids(void);
/* Returns the number of open calls of all threads. */
XS_SIM_API unsigned xs_sim_calls_inside(void);

/* --- device.c: lifecycle and calls */

/* Reads the environment and loads CUDA_INJECTION64_PATH, both once. Returns 0,
 * or cudaErrorInitializationError in a child forked after initialisation. */
XS_SIM_API int xs_sim_init(void);
XS_SIM_API bool xs_sim_ready(void);
XS_SIM_API uint64_t xs_sim_now_ns(void);
/*
 * Start and end of an API call: correlation id, hooks, host cost. Nested calls
 * have the id of the outermost one. If CUPTI reports the start of a thread's
 * call but not its end, since the callback was disabled meanwhile, the thread
 * stays nested forever: all its calls have one id.
 */
XS_SIM_API void xs_sim_enter(struct xs_sim_call *call);
XS_SIM_API int xs_sim_leave(struct xs_sim_call *call, int result);
/* The calling thread's current device. */
XS_SIM_API int xs_sim_device(void);
XS_SIM_API int xs_sim_set_device(int device);
/* The one context of a device; stands for a CUcontext. */
XS_SIM_API void *xs_sim_context(int device);

/* --- counts.c: what kernels do */
struct xs_sim_counts {
	uint64_t kernels, instructions; /* instructions: warp instructions */
	uint64_t sectors_read, sectors_written;
	uint64_t requests_read, requests_written;
	uint64_t host_sectors_read, host_sectors_written;
	uint64_t stores;		      /* instructions of warps */
	uint64_t waiting_cycles, warp_cycles; /* one for each access */
};
/* Start and stop counting what kernels do. Both wait for the device. */
XS_SIM_API void xs_sim_count_start(int device);
XS_SIM_API void xs_sim_count_stop(int device, struct xs_sim_counts *out);
/* The counters of a device, NULL if it is not counting. */
XS_SIM_API struct xs_sim_counts *xs_sim_counts_of(int device);

/* --- attribute.c: 0 for what the device does not have. */
#define XS_SIM_NAME	    "Simulated CUDA device"
#define XS_SIM_CUDA_VERSION 13000
XS_SIM_API int xs_sim_attribute(int device, int attribute);

/* --- memory.c */
XS_SIM_API int xs_sim_alloc(enum xs_sim_memory memory, size_t bytes,
			    void **address);
XS_SIM_API int xs_sim_free(void *address, enum xs_sim_memory memory);
/* Registers a range that is not freed: pinned memory of the application, or
 * variables of device code. */
XS_SIM_API int xs_sim_register(enum xs_sim_memory memory, void *address,
			       size_t bytes);
XS_SIM_API int xs_sim_unregister(void *address);
/* Finds the range that contains the address. Returns false for pageable host
 * memory. */
XS_SIM_API bool xs_sim_find(const void *address, struct xs_sim_range *range);
/* Memory of another process. handle: of 64 bytes. An address that is opened
 * several times is freed when it is closed as often. */
XS_SIM_API int xs_sim_ipc_handle(void *handle, const void *address);
XS_SIM_API int xs_sim_ipc_open(void **address, const void *handle);
XS_SIM_API int xs_sim_ipc_close(void *address);
/* Migrates the managed memory in a range to a device or to the host; at once,
 * independent of streams. */
XS_SIM_API int xs_sim_migrate(const void *address, size_t bytes, int device,
			      bool to_device);
/* Frees everything allocated on a device. */
XS_SIM_API void xs_sim_memory_reset(int device);

/* --- timeline.c: streams, events, operations */

/* Returns the stream of a runtime or driver handle on the current device: 0
 * and 1 are the legacy default stream, 2 the per-thread one. NULL: no such
 * stream. */
XS_SIM_API struct xs_sim_stream *xs_sim_stream_get(const void *handle);
XS_SIM_API struct xs_sim_stream *xs_sim_stream_create(unsigned flags);
XS_SIM_API void xs_sim_stream_destroy(struct xs_sim_stream *stream);
XS_SIM_API struct xs_sim_event *xs_sim_event_create(void);
XS_SIM_API void xs_sim_event_destroy(struct xs_sim_event *event);

/* Queues *op, which is copied. */
XS_SIM_API int xs_sim_issue(const struct xs_sim_op *op);
/* Queues a copy; waits for it if the kinds of memory or !async require it. */
XS_SIM_API int xs_sim_copy(struct xs_sim_stream *stream,
			   struct xs_sim_copy copy);
/* Return when all earlier work is finished, in real time. */
XS_SIM_API void xs_sim_stream_wait(struct xs_sim_stream *stream);
XS_SIM_API void xs_sim_event_wait(struct xs_sim_event *event);
XS_SIM_API void xs_sim_device_wait(int device);
XS_SIM_API bool xs_sim_stream_done(struct xs_sim_stream *stream);
XS_SIM_API bool xs_sim_event_done(struct xs_sim_event *event);

/* --- graph.c */
struct xs_sim_graph;
XS_SIM_API int xs_sim_capture_begin(struct xs_sim_stream *stream);
XS_SIM_API int xs_sim_capture_end(struct xs_sim_stream *stream,
				  struct xs_sim_graph **graph);
/* Exchanges the calling thread's cudaStreamCaptureMode; returns the old one. */
XS_SIM_API int xs_sim_capture_exchange_mode(int mode);
/* Return whether a capture in progress forbids using the legacy default stream,
 * or querying an event in this thread; doing so invalidates the capture. All
 * captures are treated as global. */
XS_SIM_API bool xs_sim_capture_forbids_legacy(bool breaks);
XS_SIM_API bool xs_sim_capture_forbids_query(void);
/* Returns a new number for an executable graph, from 1. */
XS_SIM_API uint32_t xs_sim_graph_number(void);
/* exec: number of the executable graph; instantiated: the value of
 * xs_sim_instantiated() when it was instantiated. */
XS_SIM_API int xs_sim_graph_launch(const struct xs_sim_graph *graph,
				   uint32_t exec, unsigned instantiated,
				   struct xs_sim_stream *stream);
XS_SIM_API unsigned xs_sim_instantiated(void);
XS_SIM_API void xs_sim_graph_free(struct xs_sim_graph *graph);

/* --- request.c: the same requests with the APIs' error checks */
XS_SIM_API int xs_sim_set(struct xs_sim_stream *stream,
			  const struct xs_sim_set *set);
/* XS_SIM_RECORD or XS_SIM_WAIT. */
XS_SIM_API int xs_sim_event_issue(enum xs_sim_op_kind kind,
				  struct xs_sim_event *event,
				  struct xs_sim_stream *stream);
XS_SIM_API int xs_sim_event_query(struct xs_sim_event *event);
XS_SIM_API int xs_sim_event_elapsed(struct xs_sim_event *start,
				    struct xs_sim_event *end, float *ms);
/* Returns the device address of a pinned address. */
XS_SIM_API int xs_sim_device_pointer(const void *host, void **device);

/* --- module.c: device code */
struct xs_sim_module;
struct xs_sim_function;

/* Loads a fat binary, a wrapper of one, or PTX text. A module without PTX
 * loads, too; its functions are not found. */
XS_SIM_API struct xs_sim_module *xs_sim_module_load(const void *image);
XS_SIM_API void xs_sim_module_unload(struct xs_sim_module *module);
XS_SIM_API struct xs_sim_function *
xs_sim_module_function(struct xs_sim_module *module, const char *name);
/* Returns the address of a global variable, or NULL. */
XS_SIM_API void *xs_sim_module_global(struct xs_sim_module *module,
				      const char *name, size_t *bytes);

struct xs_sim_function_info {
	const char *name;
	unsigned registers;
	size_t shared_bytes, local_bytes;
};
/* Returns false if the function has no such parameter. */
XS_SIM_API bool xs_sim_function_param(const struct xs_sim_function *function,
				      size_t index, size_t *offset,
				      size_t *bytes);

/* A CUkernel is the address of a function plus one: a handle of its own. */
static inline bool xs_sim_is_kernel(const void *handle)
{
	return (uintptr_t)handle & 1;
}
static inline void *xs_sim_kernel_of(struct xs_sim_function *function)
{
	return function ? (char *)function + 1 : NULL;
}
/* Returns the function of a CUfunction or a CUkernel. */
static inline struct xs_sim_function *xs_sim_function_of(const void *handle)
{
	return (struct xs_sim_function *)((uintptr_t)handle & ~(uintptr_t)1);
}

XS_SIM_API void xs_sim_function_info(const struct xs_sim_function *function,
				     struct xs_sim_function_info *info);
/* Queues a launch; args: one pointer per parameter. */
XS_SIM_API int xs_sim_launch(struct xs_sim_function *function,
			     struct xs_sim_stream *stream,
			     const uint32_t grid[3], const uint32_t block[3],
			     size_t shared_bytes, void **args);
