/* SPDX-License-Identifier: MIT */
/*
 * The simulated CUDA device: what libcuda.so.1 of this folder offers to the
 * simulated runtime and CUPTI beside it.
 *
 * Each device has one worker thread. It takes operations in the order in
 * which the host issued them, really performs them (device memory is host
 * memory, kernels are interpreted from the program's own PTX), and gives each
 * a place on the device's timeline, which is computed from a model and not
 * measured: an operation starts when it was issued, its engine is free and
 * everything that it depends on has ended, and lasts as long as the model
 * says (never less than performing it took). All times are CLOCK_REALTIME
 * ns, the clock of CUPTI's records. A call that waits for an operation
 * returns when that moment has really come.
 *
 * Functions return 0 or a cudaError_t as int, so that this header needs no
 * CUDA header.
 */
#ifndef XS_SIM_CORE_H
#define XS_SIM_CORE_H

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

/* From the environment; README.md lists the variables. */
struct xs_sim_config {
	int devices;
	int copy_engines;   /* 1 or 2 */
	bool implicit_sync; /* as on devices before compute capability 3.5 */
	double h2d_gbs;	    /* pinned, 1e9 bytes a second */
	double d2h_gbs;
	double bidir_gbs;    /* each way, while the other way is busy */
	double pageable_gbs; /* staged, either way */
	double mem_gbs;	     /* device memory */
	double gips;	     /* 1e9 thread instructions a second */
	uint64_t copy_ns;    /* fixed part of a copy */
	uint64_t launch_ns;  /* fixed part of a kernel */
	uint64_t latency_ns; /* from the call to the earliest start */
	uint64_t init_ns;    /* what starting takes */
	uint64_t call_ns;    /* host time of a call, at least */
	uint64_t memory_bytes;
	uint64_t hang; /* this launch never ends; 0: none */
	uint32_t hold; /* this call waits for as many others; 0: none does */
	bool own_ids;  /* each thread counts its calls for itself */
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
	unsigned flags;	 /* as given to cudaHostAlloc or cudaHostRegister */
	bool registered; /* the application's own memory */
	bool migrated;	 /* managed: it is with the device now */
};

struct xs_sim_stream {
	struct xs_sim_stream *next;
	int device;
	uint32_t id; /* as in activity records */
	unsigned flags;
	int priority;
	bool legacy;		      /* the legacy default stream */
	struct xs_sim_graph *capture; /* NULL: it does what it is asked */
	uint64_t issued;	      /* sequence of the last operation */
	uint64_t end_ns; /* of the last operation that was placed */
};

struct xs_sim_event {
	int device;
	unsigned flags;
	uint64_t issued; /* sequence of the last record; 0: never recorded */
	uint64_t end_ns; /* of the last record that was placed */
	struct xs_sim_graph *capture; /* where it was recorded, or NULL */
};

enum xs_sim_op_kind {
	XS_SIM_COPY,
	XS_SIM_SET,
	XS_SIM_KERNEL,
	XS_SIM_RECORD,
	XS_SIM_WAIT,
	XS_SIM_HOST,
	XS_SIM_MIGRATION, /* never in a queue */
	XS_SIM_GRAPH,	  /* the launch of one as a whole; never in a queue */
};

/* width bytes of each row; a plain copy has one row of one slice. */
struct xs_sim_copy {
	char *dst;
	const char *src;
	size_t width, height, depth;
	size_t dst_pitch, src_pitch;		   /* from row to row */
	size_t dst_slice, src_slice;		   /* from slice to slice */
	bool async;				   /* by an asynchronous call */
	enum xs_sim_memory src_memory, dst_memory; /* found by the core */
	int src_device, dst_device;
};

struct xs_sim_set {
	char *dst;
	size_t width, height, pitch; /* width in bytes */
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

/* One launch of a graph, whose nodes the worker performs in order. It frees it
 * after the last one. */
struct xs_sim_graph_run {
	uint32_t exec; /* number of what was instantiated */
	bool as_one;   /* it gives one record, and its nodes none */
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
	uint64_t event_sequence; /* waits: of the record waited for */
	uint64_t graph_node;	 /* 0: not of a graph */
	struct xs_sim_graph_run *graph_run; /* NULL: not of a graph */
	union {
		struct xs_sim_copy copy;
		struct xs_sim_set set;
		struct xs_sim_launch launch;
		struct xs_sim_event *event;
		struct xs_sim_host host;
	};
};

/* What the device did; the launch's args are not to be used. */
struct xs_sim_record {
	enum xs_sim_op_kind kind;
	uint64_t start_ns, end_ns;
	int device;
	uint32_t stream, correlation;
	const struct xs_sim_op *op; /* valid during the call */
};

/* Where an API call is seen from: CUPTI's domains, by its own numbers. */
struct xs_sim_call {
	int domain; /* CUpti_CallbackDomain */
	uint32_t cbid;
	const char *name;
	const void *params;
	const char *symbol; /* of the kernel, where there is one */
	uint32_t correlation;
	uint64_t start_ns;
	uint64_t correlation_data;
	int result;
	bool outermost;
};

/* What CUPTI puts in; NULL when it is not there. */
struct xs_sim_hooks {
	/* whether a callback was made of it */
	bool (*call)(struct xs_sim_call *call, bool leaving);
	void (*record)(const struct xs_sim_record *record);
	/* something that cannot be 0 of a graph that is instantiated */
	unsigned (*instantiated)(void);
	/* such a graph is launched, by a call: whether as one */
	bool (*graph_launched)(unsigned instantiated, uint32_t exec,
			       uint32_t correlation);
};
XS_SIM_API void xs_sim_set_hooks(const struct xs_sim_hooks *hooks);
/* Calls have ids from 1 again. */
XS_SIM_API void xs_sim_restart_ids(void);
/* Calls that have begun and not ended, of all threads. */
XS_SIM_API unsigned xs_sim_calls_inside(void);

/* --- device.c: lifecycle and calls */

/* Reads the environment, once; honours CUDA_INJECTION64_PATH, once. 0, or
 * cudaErrorInitializationError in a child forked after initialisation. */
XS_SIM_API int xs_sim_init(void);
XS_SIM_API bool xs_sim_ready(void);
XS_SIM_API uint64_t xs_sim_now_ns(void);
/* Brackets an API call: correlation id, hooks, host cost. A thread that CUPTI
 * heard enter a call and not leave it, since its callback was switched off
 * meanwhile, is inside of it for good: all its calls have one id. Nested calls
 * have the id of the outermost. */
XS_SIM_API void xs_sim_enter(struct xs_sim_call *call);
XS_SIM_API int xs_sim_leave(struct xs_sim_call *call, int result);
/* The calling thread's current device. */
XS_SIM_API int xs_sim_device(void);
XS_SIM_API int xs_sim_set_device(int device);
/* The one context of a device; stands for a CUcontext. */
XS_SIM_API void *xs_sim_context(int device);

/* --- counts.c: what kernels do */
struct xs_sim_counts {
	uint64_t kernels, instructions; /* of warps */
	uint64_t sectors_read, sectors_written;
	uint64_t requests_read, requests_written;
	uint64_t host_sectors_read, host_sectors_written;
};
/* Both wait for the device; in between, what its kernels do is counted. */
XS_SIM_API void xs_sim_count_start(int device);
XS_SIM_API void xs_sim_count_stop(int device, struct xs_sim_counts *out);

/* --- attribute.c: 0 for what the device does not have. */
#define XS_SIM_NAME	    "Simulated CUDA device"
#define XS_SIM_CUDA_VERSION 13000
XS_SIM_API int xs_sim_attribute(int device, int attribute);

/* --- memory.c */
XS_SIM_API int xs_sim_alloc(enum xs_sim_memory memory, size_t bytes,
			    unsigned flags, void **address);
XS_SIM_API int xs_sim_free(void *address, enum xs_sim_memory memory);
/* Makes a range known that is not to be freed: pinned memory of the
 * application, or device code's variables. */
XS_SIM_API int xs_sim_register(enum xs_sim_memory memory, void *address,
			       size_t bytes, unsigned flags);
XS_SIM_API int xs_sim_unregister(void *address);
/* The range that holds the address; false: pageable host memory. */
XS_SIM_API bool xs_sim_find(const void *address, struct xs_sim_range *range);
/* Moves the managed memory in a range to a device or to the host, where it is
 * not yet; at once, whatever streams do. */
XS_SIM_API int xs_sim_migrate(const void *address, size_t bytes, int device,
			      bool to_device);
XS_SIM_API void xs_sim_memory_info(int device, size_t *free_bytes,
				   size_t *total_bytes);
/* Frees all that was allocated on a device. */
XS_SIM_API void xs_sim_memory_reset(int device);

/* --- timeline.c: streams, events, operations */

/* A runtime or driver handle as a stream of the current device: 0 and 1 are
 * the legacy default stream, 2 the per-thread one. NULL: no such stream. */
XS_SIM_API struct xs_sim_stream *xs_sim_stream_get(const void *handle);
XS_SIM_API struct xs_sim_stream *xs_sim_stream_create(unsigned flags,
						      int priority);
XS_SIM_API void xs_sim_stream_destroy(struct xs_sim_stream *stream);
XS_SIM_API struct xs_sim_event *xs_sim_event_create(unsigned flags);
XS_SIM_API void xs_sim_event_destroy(struct xs_sim_event *event);

/* Queues a copy of *op. */
XS_SIM_API int xs_sim_issue(const struct xs_sim_op *op);
/* Queues a copy; waits for it where the memories or !async ask for it. */
XS_SIM_API int xs_sim_copy(struct xs_sim_stream *stream,
			   struct xs_sim_copy copy);
/* Return when everything up to now is done, in real time. */
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
/* Of the calling thread: a cudaStreamCaptureMode; the one before. */
XS_SIM_API int xs_sim_capture_exchange_mode(int mode);
/* Whether a capture in progress has it that the legacy default stream is not
 * used, or that this thread asks for no event; doing it breaks the capture. All
 * captures are taken to be global. */
XS_SIM_API bool xs_sim_capture_forbids_legacy(bool breaks);
XS_SIM_API bool xs_sim_capture_forbids_query(void);
/* Of a graph that is instantiated: from 1. */
XS_SIM_API uint32_t xs_sim_graph_number(void);
/* exec: its number; instantiated: what xs_sim_instantiated() returned. */
XS_SIM_API int xs_sim_graph_launch(const struct xs_sim_graph *graph,
				   uint32_t exec, unsigned instantiated,
				   struct xs_sim_stream *stream);
XS_SIM_API unsigned xs_sim_instantiated(void);
XS_SIM_API void xs_sim_graph_free(struct xs_sim_graph *graph);

/* --- request.c: the same, checked as the APIs do */
XS_SIM_API int xs_sim_set(struct xs_sim_stream *stream,
			  const struct xs_sim_set *set);
/* XS_SIM_RECORD or XS_SIM_WAIT. */
XS_SIM_API int xs_sim_event_issue(enum xs_sim_op_kind kind,
				  struct xs_sim_event *event,
				  struct xs_sim_stream *stream);
XS_SIM_API int xs_sim_event_query(struct xs_sim_event *event);
XS_SIM_API int xs_sim_event_elapsed(struct xs_sim_event *start,
				    struct xs_sim_event *end, float *ms);
/* What a device calls a pinned address. */
XS_SIM_API int xs_sim_device_pointer(const void *host, void **device);

/* --- module.c: device code */
struct xs_sim_module;
struct xs_sim_function;

/* From a fat binary, a wrapper of one, or PTX text. The module loads even
 * when it has no PTX; then its functions cannot be found. */
XS_SIM_API struct xs_sim_module *xs_sim_module_load(const void *image);
XS_SIM_API void xs_sim_module_unload(struct xs_sim_module *module);
XS_SIM_API struct xs_sim_function *
xs_sim_module_function(struct xs_sim_module *module, const char *name);
/* The address of a global variable, or NULL. */
XS_SIM_API void *xs_sim_module_global(struct xs_sim_module *module,
				      const char *name, size_t *bytes);

struct xs_sim_function_info {
	const char *name;
	unsigned registers;
	size_t shared_bytes, local_bytes, const_bytes;
	unsigned params;
};
XS_SIM_API void xs_sim_function_info(const struct xs_sim_function *function,
				     struct xs_sim_function_info *info);
/* Queues a launch; args: one pointer a parameter. */
XS_SIM_API int xs_sim_launch(struct xs_sim_function *function,
			     struct xs_sim_stream *stream,
			     const uint32_t grid[3], const uint32_t block[3],
			     size_t shared_bytes, void **args);

#endif
