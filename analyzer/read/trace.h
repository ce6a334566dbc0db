/* SPDX-License-Identifier: MIT */
/* A trace as plain arrays: the contents of the file, with absolute times. */
#pragma once

#include "analyzer/util/each.h"
#include "preload/format.h"

#include <stdbool.h>
#include <stddef.h>

#define XS_NONE XS_NONE32

enum xs_op_kind {
	XS_OP_H2D,
	XS_OP_D2H,
	XS_OP_D2D, /* within one device, also array to array */
	XS_OP_H2H,
	XS_OP_SET,
	XS_OP_KERNEL,
	XS_OP_P2P, /* between devices */
	XS_OP_KINDS
};

/* Flags of an op beside enum xs_op_flag, not in files. Its times are estimates,
 * because the launch of its graph was recorded as one. A copy between devices
 * that the driver stages in host memory: the op is its part out of one device,
 * or into the other. */
#define XS_OP_ESTIMATED	 0x80u
#define XS_OP_STAGED_OUT 0x40u
#define XS_OP_STAGED_IN	 0x20u
#define XS_OP_NOT_IN_FILES                                                     \
	(XS_OP_ESTIMATED | XS_OP_STAGED_OUT | XS_OP_STAGED_IN)

/* One operation of the GPU. Times are CLOCK_REALTIME ns. */
struct xs_op {
	uint64_t start_ns, end_ns;
	uint64_t bytes;	      /* 0 for kernels */
	uint32_t correlation; /* 0: none */
	uint32_t call;	      /* index of the call that issued it, or XS_NONE */
	uint32_t shape;	      /* kernels: index into shapes, else XS_NONE */
	uint16_t queue;	      /* index into queues */
	uint8_t kind;	      /* enum xs_op_kind */
	uint8_t src_memory, dst_memory; /* enum xs_memory */
	uint8_t flags;	 /* enum xs_op_flag, XS_OP_NOT_IN_FILES */
	uint16_t copies; /* number of copies that this op stands for; at least 1
			  */
	uint16_t peer;	 /* P2P, not staged: the other device */
};

/* Whether the host's side of a copy is pageable memory. */
static inline bool xs_op_is_pageable(const struct xs_op *op)
{
	return op->src_memory == XS_MEM_PAGEABLE ||
	       op->dst_memory == XS_MEM_PAGEABLE;
}

/* One API call of the host. Times are CLOCK_REALTIME ns. */
struct xs_call {
	uint64_t start_ns, end_ns;
	uint64_t bytes;	   /* copies, sets, allocations; else 0 */
	uint64_t dst, src; /* copies; dst is also the address of an allocation
			    */
	uint64_t stream;   /* handle as passed; 0: default stream */
	uint64_t event;	   /* handle; 0: none */
	uint32_t thread;   /* kernel thread id (tid); threads that take turns at
			    * a stream have one: alternating_threads.h */
	uint32_t correlation;
	uint32_t site;	    /* index into sites */
	uint32_t rows;	    /* rows of 2D and 3D copies; number of polls; else 1
			     * or 0 */
	uint8_t call_class; /* enum xs_call_class */
	uint8_t direction;  /* cudaMemcpyKind as passed */
	bool done;	    /* polls: the last one returned success */
	bool waited;	    /* polls: earlier ones returned not ready */
	bool captured;	    /* captured into a graph: the GPU did not run it */
	uint16_t error;
};

static inline uint64_t xs_call_ns(const struct xs_call *call)
{
	return call->end_ns - call->start_ns;
}

/* Whether the call pins host memory. */
static inline bool xs_call_pins(const struct xs_call *call)
{
	return call->call_class == XS_CALL_ALLOC_PINNED ||
	       call->call_class == XS_CALL_REGISTER;
}

static inline bool xs_call_unpins(const struct xs_call *call)
{
	return call->call_class == XS_CALL_FREE_PINNED ||
	       call->call_class == XS_CALL_UNREGISTER;
}

/* The launch of a CUDA graph. Times are CLOCK_REALTIME ns. */
struct xs_graph_launch {
	uint64_t start_ns, end_ns; /* of the whole; by_node: of no meaning */
	uint32_t correlation;
	uint32_t exec;	/* number of the executable graph */
	uint16_t queue; /* index into queues */
	bool by_node;	/* the trace has the ops of its nodes */
};

struct xs_site {
	uint32_t function; /* index into strings: the CUDA function */
	uint32_t module;   /* index into modules, or XS_NONE */
	uint32_t caller;   /* index into sites, or XS_NONE */
	uint64_t offset;
	uint8_t call_class;
	uint32_t id;	 /* id in the file */
	bool has_source; /* the file has a source record for this site */
	bool outer;	 /* not a frame of the stack: a function that another
			  * one is inlined into */
	/* NULL or 0 when unknown. Owned by the trace's strings if the file has
	 * them, else set by xs_symbols_resolve() and owned by the site. */
	char *symbol; /* demangled name of the function that contains the call
		       */
	char *file;
	unsigned line;
	bool unhooked; /* its calls pass no hook */
};

struct xs_shape {
	uint32_t name; /* index into strings: mangled kernel name */
	uint32_t grid[3], block[3];
	uint32_t registers, shared_static_bytes, shared_dynamic_bytes;
};

/* Hardware counters of one launch of a kernel; XS_UNCOUNTED: not counted. */
struct xs_counter {
	uint32_t name; /* index into strings: mangled kernel name */
	uint32_t grid[3], block[3];
	uint32_t correlation;
	uint16_t launch; /* 1: first launch with this name, grid and block */
	uint64_t sectors_read, sectors_written; /* 32 bytes each, between SMs
						 * and L2 */
	uint64_t requests_read, requests_written;
	/* the part that accessed host memory */
	uint64_t host_sectors_read, host_sectors_written;
	uint64_t instructions; /* warp instructions */
	uint64_t l1_fills;     /* sectors that reads bring into the L1 */
	/* of all warps on the SMs, and waiting for reads */
	uint64_t waiting_cycles, warp_cycles;
	/* instructions of warps, and the sectors that each touches */
	uint64_t stores, store_sectors;
};

/* Calls of a site that were counted but not recorded. Several entries of one
 * site add up. */
struct xs_tally {
	uint32_t site;	   /* index into sites */
	uint8_t size;	   /* xs_tally_size(); 0: any size */
	uint8_t direction; /* copies: enum xs_direction */
	bool estimated;	   /* not seen: sampling/unhooked.c */
	uint64_t calls, bytes;
	uint64_t ns; /* that they took; 0: unknown */
};

/* Ops of one stream that were not read. STAGED_IN ops count for their time. */
struct xs_skipped {
	uint64_t count[XS_OP_KINDS], bytes[XS_OP_KINDS], ns[XS_OP_KINDS];
};

/* Calls were recorded from begin_ns to end_ns, and only counted otherwise.
 * end_ns is UINT64_MAX when recording went on to the end. */
struct xs_window {
	uint64_t begin_ns, end_ns;
};

/* Page faults of the calling thread during a large copy. */
struct xs_faults {
	uint32_t call; /* index of the copy, or XS_NONE */
	uint32_t thread;
	uint64_t start_ns; /* start of the call */
	uint32_t minor, major, page_bytes;
};

/* Hash of the host side's bytes of a copy. */
struct xs_content {
	uint32_t call; /* index of the copy, or XS_NONE */
	uint32_t thread;
	uint64_t start_ns; /* start of the call */
	uint64_t hash, hashed_bytes;
	uint32_t hash_ns; /* what hashing took: of a copy in before the call, of
			   * a copy out after it; 0: unknown */
};

/* Addresses in live memory among the parameters of a launch: up to four of
 * them. A launch with more has several entries. */
struct xs_pointers {
	uint32_t call; /* index of the launch, or XS_NONE */
	uint32_t thread;
	uint64_t start_ns; /* start of the call */
	uint16_t known;	   /* enum xs_pointers_known */
	uint16_t count;	   /* of the launch */
	uint64_t addresses[4];
};

/* An NVTX range of the program, which has ended. Times are CLOCK_REALTIME
 * ns. */
struct xs_nvtx {
	uint64_t start_ns, end_ns;
	uint32_t thread; /* kernel thread id, of the thread that ended it */
	uint32_t domain; /* index into strings; 0: the default domain */
	uint32_t name;	 /* index into strings */
	bool process;	 /* started by any thread, not pushed by this one */
};

struct xs_queue {
	uint16_t device;
	uint16_t queue_kind; /* enum xs_queue_kind */
	uint32_t context, stream;
};

struct xs_module {
	uint32_t path, build_id; /* indices into strings */
	bool changed; /* the file has changed since the run: no lines are known
		       */
};

struct xs_device {
	uint32_t name; /* index into strings */
	struct xs_rec_device rec;
};

struct xs_info {
	char *key, *value;
};

/* A defect of the file, in words. offset is in bytes. */
struct xs_defect {
	uint64_t offset;
	char text[120];
};

/* When a call began and ended, CLOCK_REALTIME. */
struct xs_call_time {
	uint64_t start_ns, end_ns;
};

/* CUDA's own startup, which took place within a process's first call. */
struct xs_cuda_startup {
	uint64_t end_ns; /* CLOCK_REALTIME */
	uint64_t ns;	 /* duration; 0: unknown, and the rest is not set */
	uint32_t call;	 /* that had it; XS_NONE: no recorded one, and ns is an
			  * upper bound */
	/* As recorded: of the calls from `first` on that waited for it. */
	uint32_t first;
	struct xs_call_time *recorded;
	size_t recorded_count;
};

/*
 * All arrays are owned by the trace. ops and calls are sorted by start_ns.
 * strings[0] is ""; index 0 means none.
 */
struct xs_trace {
	struct xs_file_header header;
	uint64_t file_bytes;
	uint64_t used_end, chunks_end; /* of the last chunk, in the file */

	struct xs_op *ops;
	size_t op_count;
	struct xs_op *migrations; /* of managed memory; not part of ops */
	size_t migration_count;
	struct xs_graph_launch *graph_launches; /* sorted by exec, then start */
	size_t graph_launch_count;
	struct xs_call *calls;
	size_t call_count;
	struct xs_site *sites;
	size_t site_count;
	struct xs_shape *shapes;
	size_t shape_count;
	struct xs_counter *counters;
	size_t counter_count;
	struct xs_tally *tallies;
	size_t tally_count;
	struct xs_window *windows; /* sorted by begin_ns; empty: everything was
				    * recorded */
	size_t window_count;
	/* By queue. NULL, unless the trace is too long to be read whole: then
	 * it is as if it were sampled, but for what is known of skipped ops. */
	struct xs_skipped *skipped;
	bool begins_counted; /* calls were only counted before the first window
			      */
	uint64_t counted_ns; /* part of the run after the last window */
	uint64_t hooked_from_ns; /* only hooks saw calls from then on; or 0 */
	uint64_t ignored_ns; /* part of the run outside the requested range */
	struct xs_cuda_startup startup;
	uint64_t context_ns;  /* creation of the first context; 0: unknown */
	uint32_t context_tid; /* tid of the thread that created it */
	struct xs_faults *faults; /* sorted by call */
	size_t fault_count;
	struct xs_content *contents; /* sorted by call */
	size_t content_count;
	struct xs_pointers *pointers; /* sorted by call */
	size_t pointers_count;
	struct xs_nvtx *nvtx; /* sorted by start; an outer one comes first */
	size_t nvtx_count;
	struct xs_queue *queues;
	size_t queue_count;
	struct xs_module *modules;
	size_t module_count;
	struct xs_device *devices;
	size_t device_count;
	char **strings;
	size_t string_count;
	uint32_t string_id_end; /* larger than all string ids of the file */
	struct xs_info *infos;
	size_t info_count;
	struct xs_defect *defects;
	size_t defect_count;

	size_t ops_matched; /* ops whose call is known */
	size_t calls_captured;
	size_t graphs_as_one;  /* graph launches without records of their nodes
				*/
	size_t graphs_by_node; /* launches of the same graphs that have them */
	size_t graphs_unknown; /* of graphs_as_one: one op of unknown content */
	size_t unknown_records;
	uint64_t lost_calls, lost_ops, lost_cupti;
	uint64_t lost_nvtx;
	uint64_t untimed; /* calls whose GPU work has no op for any other reason
			   */
	uint64_t clock_set_ns; /* by which CLOCK_REALTIME was set meanwhile */
	uint64_t begin_ns, end_ns; /* of the run: process start to end; to the
				    * last record if the process was killed */
};

void xs_trace_free(struct xs_trace *trace);

void xs_skipped_add(struct xs_skipped *skipped, const struct xs_op *op);
void xs_skipped_sum(struct xs_skipped *sum, const struct xs_skipped *skipped);

/* Inserts a new site between a site and its caller: the function that the
 * site's function is inlined into. Invalidates pointers to sites. */
struct xs_site *xs_trace_add_outer(struct xs_trace *trace, uint32_t site);

/* Returns when the process started, ns since 1970; 0: the times of an imported
 * trace have another zero. */
uint64_t xs_trace_started_ns(const struct xs_trace *trace);

/* Returns the device of that number, or NULL. */
const struct xs_device *xs_trace_device(const struct xs_trace *trace,
					size_t number);

/* Returns the value of an info record, or NULL. */
const char *xs_trace_find_info(const struct xs_trace *trace, const char *key);

/* Returns the index of the first entry of pointers for the call or a later one;
 * their number if there is none. */
size_t xs_trace_first_pointers(const struct xs_trace *trace, uint32_t call);

/* Returns whether a record tells what memory the call's kernel was given, or
 * why not. */
bool xs_trace_has_pointers(const struct xs_trace *trace, uint32_t call);
