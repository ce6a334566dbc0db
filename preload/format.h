/* SPDX-License-Identifier: MIT */
/*
 * The xferspy trace format, version 1. This header is its only definition.
 *
 * A trace is one file: a header page, then chunks. A chunk belongs to one
 * writer (a thread of the application, or the shared writer of GPU records) and
 * holds records. Everything is little-endian and fixed-width, every structure
 * is a multiple of four bytes, and every chunk starts on a 4 KiB boundary, so
 * that a reader can find the next chunk after damage.
 *
 * The structs, the kind numbers, their names, `xferspy dump` and its parser all
 * come from XS_RECORDS below: a new kind of record is one line there and one
 * list of fields. docs/trace-format.md describes the format in prose.
 *
 * Compatibility: a reader skips unknown kinds by their length. The fields of a
 * kind never change: what is new has a kind of its own. Any other change raises
 * XS_FORMAT_VERSION, which older readers refuse.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define XS_FORMAT_MAGIC	     "XFERSPY" /* 8 bytes with its NUL */
#define XS_FORMAT_VERSION    1
#define XS_FORMAT_BYTE_ORDER 0x01020304u
#define XS_CHUNK_MAGIC	     0x4b435358u /* "XSCK" */
#define XS_PAGE_BYTES	     4096u	 /* header page; chunk alignment */

typedef uint8_t xs_u8;
typedef uint16_t xs_u16;
typedef uint32_t xs_u32;
typedef uint64_t xs_u64;

/* First bytes of the file; the rest of the page is zero. The counters are
 * updated in place while the application runs, so that the trace of a killed
 * process still states its losses and how far it is complete. */
struct xs_file_header {
	char magic[8];
	xs_u16 version;
	xs_u16 header_bytes;	   /* sizeof(struct xs_file_header) */
	xs_u32 byte_order;	   /* XS_FORMAT_BYTE_ORDER */
	xs_u32 pid;		   /* of the traced process */
	xs_u32 state;		   /* enum xs_file_state */
	xs_u64 start_realtime_ns;  /* CLOCK_REALTIME when the process began */
	xs_u64 start_monotonic_ns; /* CLOCK_MONOTONIC at the same moment */
	xs_u64 flush_realtime_ns;  /* GPU records are complete up to here */
	xs_u64 end_realtime_ns;	   /* 0 until the trace was closed */
	xs_u64 tail_bytes;	   /* file bytes handed out to chunks */
	xs_u64 lost_calls;	   /* calls that found no room */
	xs_u64 lost_ops;	   /* GPU records with no room or no times */
	xs_u64 lost_cupti;	   /* GPU records that CUPTI itself dropped */
};

enum xs_file_state {
	XS_FILE_RUNNING = 0, /* the process lives, or was killed */
	XS_FILE_CLOSED = 1,  /* closed in order: nothing is missing */
	XS_FILE_STOPPED = 2, /* tracing gave up; an info record says why */
};

/* Begins each chunk; records follow up to used_bytes, then zeros. */
struct xs_chunk_header {
	xs_u32 magic;	       /* XS_CHUNK_MAGIC */
	xs_u32 capacity_bytes; /* this header included; multiple of 4096 */
	xs_u32 used_bytes;     /* this header included; grows with records */
	xs_u32 thread;	       /* kernel thread id; 0 = the shared writer */
	xs_u64 base_ns;	       /* CLOCK_REALTIME; starts count from here */
	xs_u64 reserved;
};

/*
 * Every record begins with its kind (1 byte) and its length in units of 4 bytes
 * (1 byte), which includes these two. Kind 0 never occurs: zeros mean "no
 * record yet".
 *
 * XS_RECORDS(R): R(number, name) for each kind.
 * XS_FIELDS_<name>(F, T): F(type, field) for each field, in file order;
 * T(field) is text that fills the rest of the record, padded with NULs. It
 * can only be the last field.
 *
 * start: ns after the current base time (the chunk's, or that of the last
 * `time` record in the same chunk). duration: ns. If duration is XS_WIDE32 or
 * site is XS_WIDE16, the `wide` record just before has the full value.
 * correlation: joins a call to its ops; 0 if unknown.
 */
#define XS_WIDE16    0xffffu
#define XS_WIDE32    0xffffffffu
#define XS_NONE32    0xffffffffu
#define XS_UNCOUNTED UINT64_MAX

#define XS_RECORDS(R)                                                          \
	R(1, time)                                                             \
	R(2, wide)                                                             \
	R(3, string)                                                           \
	R(4, info)                                                             \
	R(5, clock)                                                            \
	R(6, loss)                                                             \
	R(7, thread)                                                           \
	R(8, device)                                                           \
	R(9, queue)                                                            \
	R(10, module)                                                          \
	R(11, site)                                                            \
	R(12, shape)                                                           \
	R(13, source)                                                          \
	R(14, context)                                                         \
	R(16, call)                                                            \
	R(17, copycall)                                                        \
	R(18, memcall)                                                         \
	R(19, waitcall)                                                        \
	R(20, faults)                                                          \
	R(21, content)                                                         \
	R(22, pollcall)                                                        \
	R(23, pointers)                                                        \
	R(24, nvtx)                                                            \
	R(25, nvtx_process)                                                    \
	R(26, detail)                                                          \
	R(27, tally)                                                           \
	R(28, unhooked)                                                        \
	R(29, hashing)                                                         \
	R(32, kernel)                                                          \
	R(33, copy)                                                            \
	R(34, set)                                                             \
	R(35, counters)                                                        \
	R(36, graph)                                                           \
	R(37, fills)                                                           \
	R(38, accesses)                                                        \
	R(48, again)

/* clang-format off */
/* A new base time for the records after it in this chunk. */
#define XS_FIELDS_time(F, T)                                                   \
	F(xs_u16, zero) F(xs_u64, base_ns)

/* Full values for the record after it. */
#define XS_FIELDS_wide(F, T)                                                   \
	F(xs_u16, zero) F(xs_u32, site) F(xs_u64, duration_ns)

/* Text by number; a long text comes as several records of one id, in order. */
#define XS_FIELDS_string(F, T)                                                 \
	F(xs_u16, part) F(xs_u32, id) T(text)

/* "key=value" about the run: app, host, mode, cupti, driver, note, ... */
#define XS_FIELDS_info(F, T)                                                   \
	F(xs_u16, zero) T(text)

/* The same moment on each clock; cupti_ns is 0 without CUPTI. */
#define XS_FIELDS_clock(F, T)                                                  \
	F(xs_u16, zero) F(xs_u64, realtime_ns) F(xs_u64, monotonic_ns)         \
	F(xs_u64, cupti_ns)

/* what: enum xs_loss. */
#define XS_FIELDS_loss(F, T)                                                   \
	F(xs_u16, what) F(xs_u64, count) F(xs_u64, first_ns)                   \
	F(xs_u64, last_ns)

#define XS_FIELDS_thread(F, T)                                                 \
	F(xs_u16, zero) F(xs_u32, tid) T(name)

/* Unknown numbers are 0. clock in kHz, bandwidth in bytes a second. */
#define XS_FIELDS_device(F, T)                                                 \
	F(xs_u16, device) F(xs_u16, cc_major) F(xs_u16, cc_minor)              \
	F(xs_u16, copy_engines) F(xs_u16, pcie_gen) F(xs_u16, pcie_width)      \
	F(xs_u16, max_blocks_per_sm) F(xs_u32, sm_count) F(xs_u32, clock_khz)  \
	F(xs_u32, max_threads_per_sm) F(xs_u32, registers_per_sm)              \
	F(xs_u32, shared_per_sm_bytes) F(xs_u32, l2_bytes)                     \
	F(xs_u64, memory_bytes) F(xs_u64, memory_bandwidth) T(name)

/* A stream of a context of a device; queue_kind: enum xs_queue_kind. */
#define XS_FIELDS_queue(F, T)                                                  \
	F(xs_u16, queue) F(xs_u16, device) F(xs_u16, queue_kind)               \
	F(xs_u32, context) F(xs_u32, stream)

/* A loaded object. path and build_id are string ids, 0 if there is none. */
#define XS_FIELDS_module(F, T)                                                 \
	F(xs_u16, zero) F(xs_u32, module) F(xs_u32, path) F(xs_u32, build_id)

/*
 * A call site: class (enum xs_call_class), function (string id of the called
 * CUDA function), and the return address - 1 as an offset into a module
 * (XS_NONE32: unknown). caller: the site of the next outer frame, 0 if there is
 * none. Site ids start at 1.
 */
#define XS_FIELDS_site(F, T)                                                   \
	F(xs_u16, call_class) F(xs_u32, site) F(xs_u32, function)              \
	F(xs_u32, module) F(xs_u32, caller) F(xs_u64, offset)

/*
 * A site's place in the source. For a line of Python, which has no module, it
 * is written during the run. For all other sites it is resolved after the run
 * and appended to the trace, so that the trace can be read without the
 * program's files. symbol and file are string ids, 0 if unknown. outer:
 * describes the function that the site is inlined into, and the line there.
 */
#define XS_FIELDS_source(F, T)                                                 \
	F(xs_u16, outer) F(xs_u32, site) F(xs_u32, symbol) F(xs_u32, file)      \
	F(xs_u32, line)

/* Thread tid created a context at time_ns. */
#define XS_FIELDS_context(F, T)                                                \
	F(xs_u16, zero) F(xs_u32, tid) F(xs_u64, time_ns)

/* A kernel's name (string id of the mangled name) and launch configuration. */
#define XS_FIELDS_shape(F, T)                                                  \
	F(xs_u16, registers) F(xs_u32, shape) F(xs_u32, name)                  \
	F(xs_u32, grid_x) F(xs_u32, grid_y) F(xs_u32, grid_z)                  \
	F(xs_u16, block_x) F(xs_u16, block_y) F(xs_u16, block_z)               \
	F(xs_u16, local_bytes) F(xs_u32, shared_static_bytes)                  \
	F(xs_u32, shared_dynamic_bytes)

#define XS_FIELDS_CALL_HEAD(F)                                                 \
	F(xs_u16, site) F(xs_u32, correlation) F(xs_u32, start)                \
	F(xs_u32, duration)

/* Launches, and calls with no further arguments. */
#define XS_FIELDS_call(F, T)                                                   \
	XS_FIELDS_CALL_HEAD(F)

/* Copies and sets. rows: 1, or the rows of a 2D or 3D copy. direction: the
 * cudaMemcpyKind argument. error: the returned cudaError_t. */
#define XS_FIELDS_copycall(F, T)                                               \
	XS_FIELDS_CALL_HEAD(F) F(xs_u64, bytes) F(xs_u64, dst) F(xs_u64, src)  \
	F(xs_u64, stream) F(xs_u32, rows) F(xs_u16, direction)                 \
	F(xs_u16, error)

/* Allocations, registrations and frees. flags: the call's flags. */
#define XS_FIELDS_memcall(F, T)                                                \
	XS_FIELDS_CALL_HEAD(F) F(xs_u64, address) F(xs_u64, bytes)             \
	F(xs_u64, stream) F(xs_u16, flags) F(xs_u16, error)

/* Synchronisations, events, waits, stream creation. Handles are 0 if none. */
#define XS_FIELDS_waitcall(F, T)                                               \
	XS_FIELDS_CALL_HEAD(F) F(xs_u64, stream) F(xs_u64, event)              \
	F(xs_u16, flags) F(xs_u16, error)

/* The capture mode from time_ns on: enum xs_capture. Without such a record, all
 * calls are recorded. */
#define XS_FIELDS_detail(F, T)                                                 \
	F(xs_u16, detail) F(xs_u64, time_ns)

/*
 * Call counter: calls of a site that were counted and not recorded, and their
 * bytes. Several records of one site add up; they are updated in place while
 * the application runs. size: size class of each call, from xs_tally_size(); 0:
 * any. direction: enum xs_direction as requested by a copy; XS_TALLY_FAILED for
 * calls that returned an error.
 */
#define XS_TALLY_FAILED 255
#define XS_FIELDS_tally(F, T)                                                  \
	F(xs_u8, size) F(xs_u8, direction) F(xs_u32, site) F(xs_u64, calls)    \
	F(xs_u64, bytes)

/* Calls of this site do not pass the hooks: only CUPTI's callbacks see them.
 * From a `detail` record with `hooked` on, they are not counted. */
#define XS_FIELDS_unhooked(F, T)                                               \
	F(xs_u16, zero) F(xs_u32, site)

/* Page faults of the thread during a large copy; absent if there were none.
 * Faults of the driver's own threads are not included. The head is that of the
 * copy's own record, with the same start. */
#define XS_FIELDS_faults(F, T)                                                 \
	XS_FIELDS_CALL_HEAD(F) F(xs_u32, minor) F(xs_u32, major)               \
	F(xs_u32, page_bytes)

/*
 * The data on the host's side of a copy: of a copy in before it, of a copy out
 * after it. hash: XXH3 of hashed_bytes of it, which are all its bytes, or
 * blocks of 4096 bytes spread evenly over it. The head is that of the copy's
 * record.
 */
#define XS_FIELDS_content(F, T)                                                \
	XS_FIELDS_CALL_HEAD(F) F(xs_u64, hash) F(xs_u64, hashed_bytes)

/* Belongs to the content record before it: duration is what hashing took,
 * outside the copy's call. The rest of the head is that of the copy's record.
 */
#define XS_FIELDS_hashing(F, T)                                                \
	XS_FIELDS_CALL_HEAD(F)

/* Consecutive polls of a stream or event (cudaStreamQuery, cudaEventQuery):
 * their number, and how many returned success. stream, event and error are
 * those of the last poll. */
#define XS_FIELDS_pollcall(F, T)                                               \
	XS_FIELDS_CALL_HEAD(F) F(xs_u64, stream) F(xs_u64, event)              \
	F(xs_u32, polls) F(xs_u32, ready) F(xs_u16, error) F(xs_u16, zero)

/*
 * The addresses in live allocations among the parameters of a launch, each
 * once. known: enum xs_pointers_known. count: how many there are; a record has the
 * next four of them, and zeros behind the last one. The head is that of the
 * launch's own record, with the same start.
 */
#define XS_FIELDS_pointers(F, T)                                               \
	XS_FIELDS_CALL_HEAD(F) F(xs_u16, known) F(xs_u16, count)               \
	F(xs_u64, address0) F(xs_u64, address1) F(xs_u64, address2)            \
	F(xs_u64, address3)

/*
 * An NVTX range that has ended: nvtx was pushed and popped by the chunk's
 * thread, nvtx_process was started by any thread and ended by this one. domain
 * and name are string ids; domain 0 is the default one. A wide domain is in the
 * `site` of the `wide` record.
 */
#define XS_FIELDS_nvtx(F, T)                                                   \
	F(xs_u16, domain) F(xs_u32, name) F(xs_u32, start) F(xs_u32, duration)
#define XS_FIELDS_nvtx_process(F, T) XS_FIELDS_nvtx(F, T)

#define XS_FIELDS_OP_HEAD(F)                                                   \
	F(xs_u16, queue) F(xs_u32, correlation) F(xs_u32, start)               \
	F(xs_u32, duration)

#define XS_FIELDS_kernel(F, T)                                                 \
	XS_FIELDS_OP_HEAD(F) F(xs_u32, shape)

/* direction: enum xs_direction; memories: enum xs_memory; flags: enum
 * xs_op_flag; copies: number of copies in this record (at least 1). */
#define XS_FIELDS_copy(F, T)                                                   \
	XS_FIELDS_OP_HEAD(F) F(xs_u64, bytes) F(xs_u8, direction)              \
	F(xs_u8, src_memory) F(xs_u8, dst_memory) F(xs_u8, flags)              \
	F(xs_u16, peer_device) F(xs_u16, copies)

#define XS_FIELDS_set(F, T)                                                    \
	XS_FIELDS_OP_HEAD(F) F(xs_u64, bytes) F(xs_u8, memory) F(xs_u8, flags) \
	F(xs_u16, zero) F(xs_u32, value)

/*
 * What one launch of a kernel read, wrote and executed; XS_UNCOUNTED: not
 * counted. launch: 1 for the first of this name, grid and block. Sectors (32
 * bytes) and requests are from the SMs to the L2; host_sectors are the part of
 * them that accessed host memory. instructions: warp instructions.
 */
#define XS_FIELDS_counters(F, T)                                               \
	F(xs_u16, device) F(xs_u32, correlation) F(xs_u32, name)               \
	F(xs_u32, grid_x) F(xs_u32, grid_y) F(xs_u32, grid_z)                  \
	F(xs_u16, block_x) F(xs_u16, block_y) F(xs_u16, block_z)               \
	F(xs_u16, launch) F(xs_u64, sectors_read) F(xs_u64, sectors_written)   \
	F(xs_u64, requests_read) F(xs_u64, requests_written)                   \
	F(xs_u64, host_sectors_read) F(xs_u64, host_sectors_written)           \
	F(xs_u64, instructions)

/*
 * Belongs to the counters record before it. sectors: of 32 bytes that reads
 * brought into the L1 caches of the SMs. Some GPUs merge reads of device memory
 * on their way to the L2, and then these are more than sectors_read.
 */
#define XS_FIELDS_fills(F, T)                                                  \
	F(xs_u16, zero) F(xs_u32, correlation) F(xs_u64, sectors)

/*
 * Belongs to the counters record before it. Cycles of all warps on the SMs, and
 * those in which one waits for what it reads. stores: instructions of a warp on
 * global memory. Their sectors are counted before the L1 joins any: each
 * instruction that touches a part of a sector counts it.
 */
#define XS_FIELDS_accesses(F, T)                                               \
	F(xs_u16, zero) F(xs_u32, correlation) F(xs_u64, waiting_cycles)       \
	F(xs_u64, warp_cycles) F(xs_u64, stores) F(xs_u64, store_sectors)

/*
 * The launch of a CUDA graph with that correlation. by_node 0: its nodes have
 * no records; start and duration are those of the whole launch, queue is that
 * of its first node. by_node 1: its nodes have records of their own, and start
 * is that of one of them. exec: number of the executable graph.
 */
#define XS_FIELDS_graph(F, T)                                                  \
	XS_FIELDS_OP_HEAD(F) F(xs_u32, exec) F(xs_u16, by_node) F(xs_u16, zero)

/* A timed record (a call or an op) equal to an earlier one of its chunk except
 * for the fields here. record: offset of the earlier record in units of 4 bytes
 * from the chunk's start; it is never an `again` record itself. */
#define XS_FIELDS_again(F, T)                                                  \
	F(xs_u16, record) F(xs_u32, correlation) F(xs_u32, start)              \
	F(xs_u32, duration)
/* clang-format on */

enum xs_call_class {
	XS_CALL_OTHER = 0,
	XS_CALL_COPY = 1, /* returns when the host may reuse its buffer */
	XS_CALL_COPY_ASYNC = 2,
	XS_CALL_SET = 3,
	XS_CALL_SET_ASYNC = 4,
	XS_CALL_LAUNCH = 5,
	XS_CALL_GRAPH_LAUNCH = 6,
	XS_CALL_ALLOC_DEVICE = 7,
	XS_CALL_ALLOC_PINNED = 8,
	XS_CALL_REGISTER = 9,
	XS_CALL_FREE_DEVICE = 10,
	XS_CALL_FREE_PINNED = 11,
	XS_CALL_UNREGISTER = 12,
	XS_CALL_SYNC_DEVICE = 13,
	XS_CALL_SYNC_STREAM = 14,
	XS_CALL_SYNC_EVENT = 15,
	XS_CALL_EVENT_RECORD = 16,
	XS_CALL_STREAM_WAIT = 17,
	XS_CALL_STREAM_CREATE = 18,
	XS_CALL_STREAM_DESTROY = 19,
	XS_CALL_RANGE_START = 20,
	XS_CALL_RANGE_STOP = 21,
	XS_CALL_POLL = 22,
	XS_CALL_HOST_FUNCTION = 23, /* a host function in stream order */
	XS_CALL_RESET = 24,	    /* cudaDeviceReset: waits and frees */
	XS_CALL_PREFETCH = 25,	    /* of managed memory */
	XS_CALL_CAPTURE_BEGIN = 26, /* what follows goes into a graph */
	XS_CALL_CAPTURE_END = 27,
	XS_CALL_CLASSES
};

enum xs_direction {
	XS_DIR_UNKNOWN = 0,
	XS_DIR_H2D = 1,
	XS_DIR_D2H = 2,
	XS_DIR_D2D = 3,
	XS_DIR_H2H = 4,
	XS_DIR_P2P = 5,
};

enum xs_memory {
	XS_MEM_UNKNOWN = 0,
	XS_MEM_PAGEABLE = 1,
	XS_MEM_PINNED = 2,
	XS_MEM_DEVICE = 3,
	XS_MEM_ARRAY = 4,
	XS_MEM_MANAGED = 5,
};

enum xs_op_flag {
	XS_OP_ASYNC = 1,     /* issued by an asynchronous call */
	XS_OP_GRAPH = 2,     /* a node of a CUDA graph */
	XS_OP_MIGRATION = 4, /* a migration of managed memory */
};

/* Whether a `pointers` record has the addresses of all memory that the launch
 * may access; if not, why. */
enum xs_pointers_known {
	XS_POINTERS_NO_LAYOUT = 0, /* where parameters lie is unknown */
	XS_POINTERS_ALL = 1,	   /* as far as data was looked at: see
				    * "What kernels are given" in capture.md */
	XS_POINTERS_TOO_MANY = 2,  /* more addresses, or more live memory, than
				    * there is room for, or memory of an
				    * unknown size */
	XS_POINTERS_TABLE = 3,	   /* they lead to memory that holds addresses
				    * or could not be looked at */
	XS_POINTERS_ALIAS = 4,	   /* to memory mapped at two addresses */
	XS_POINTERS_OBJECT = 5,	   /* to a texture or surface object */
	XS_POINTERS_VARIABLE = 6,  /* addresses were copied to memory whose
				    * allocation was not recorded */
	XS_POINTERS_MANAGED = 7,   /* to managed memory, where the host may
				    * have written addresses */
	XS_POINTERS_REASONS
};

enum xs_queue_kind {
	XS_QUEUE_STREAM = 0,
	XS_QUEUE_DEFAULT = 1,	 /* the legacy default stream */
	XS_QUEUE_PER_THREAD = 2, /* the per-thread default stream */
	XS_QUEUE_MIGRATION = 3,	 /* no stream: managed memory */
};

enum xs_capture {
	XS_CAPTURE_COUNTED = 0,	 /* in `tally` records; no GPU records */
	XS_CAPTURE_RECORDED = 1, /* each call and its ops */
	XS_CAPTURE_IGNORED = 2,	 /* outside of the requested range */
	XS_CAPTURE_HOOKED = 3,	 /* as counted, but only hooked calls */
};

/* Returns the size class of a `tally` record: 1 for no bytes, 2 for one byte,
 * and one more from each power of two on. */
static inline xs_u8 xs_tally_size(xs_u64 bytes)
{
	return bytes ? (xs_u8)(65 - __builtin_clzll(bytes)) : 1;
}

/* Whether calls of the class allocate or register memory. */
static inline int xs_call_allocates(unsigned call_class)
{
	return call_class == XS_CALL_ALLOC_DEVICE ||
	       call_class == XS_CALL_ALLOC_PINNED ||
	       call_class == XS_CALL_REGISTER;
}

/* Whether they free or unregister it. */
static inline int xs_call_frees(unsigned call_class)
{
	return call_class == XS_CALL_FREE_DEVICE ||
	       call_class == XS_CALL_FREE_PINNED ||
	       call_class == XS_CALL_UNREGISTER;
}

/* Returns whether calls of this class issue ops, which carry their correlation
 * ids. */
static inline int xs_call_issues(unsigned call_class)
{
	switch (call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_LAUNCH:
	case XS_CALL_GRAPH_LAUNCH:
		return 1;
	default:
		return 0;
	}
}

/* Returns the direction of a successful call in a `tally` record: for copies
 * from the cudaMemcpyKind argument. */
static inline xs_u8 xs_tally_direction(xs_u8 call_class, xs_u16 kind)
{
	if (call_class != XS_CALL_COPY && call_class != XS_CALL_COPY_ASYNC)
		return XS_DIR_UNKNOWN;
	switch (kind) {
	case 0:
		return XS_DIR_H2H;
	case 1:
		return XS_DIR_H2D;
	case 2:
		return XS_DIR_D2H;
	case 3:
		return XS_DIR_D2D;
	default: /* cudaMemcpyDefault: the addresses decide */
		return XS_DIR_UNKNOWN;
	}
}

enum xs_loss {
	XS_LOSS_CALLS = 1,
	XS_LOSS_OPS = 2,
	XS_LOSS_CUPTI = 3,
	XS_LOSS_UNTIMED = 4, /* calls whose ops were not timed */
	XS_LOSS_NVTX = 5,    /* NVTX ranges */
};

/* Generated from the lists above: one struct and one number for each kind. */
#define XS_FIELD_MEMBER(type, field) type field;
#define XS_TEXT_NONE(field)

#define XS_RECORD_STRUCT(number, name)                                         \
	struct __attribute__((packed, aligned(4))) xs_rec_##name {             \
		xs_u8 kind;                                                    \
		xs_u8 words;                                                   \
		XS_FIELDS_##name(XS_FIELD_MEMBER, XS_TEXT_NONE)                \
	};                                                                     \
	_Static_assert(sizeof(struct xs_rec_##name) % 4 == 0,                  \
		       #name " must be a multiple of 4 bytes");
XS_RECORDS(XS_RECORD_STRUCT)
#undef XS_RECORD_STRUCT

#define XS_RECORD_ENUM(number, name) XS_REC_##name = (number),
enum xs_record_kind { XS_RECORDS(XS_RECORD_ENUM) };
#undef XS_RECORD_ENUM

#define XS_RECORD_MAX_BYTES (255u * 4u)

_Static_assert(sizeof(struct xs_file_header) == 88, "header layout");
_Static_assert(sizeof(struct xs_chunk_header) == 32, "chunk layout");
_Static_assert(sizeof(struct xs_rec_call) == 16, "call layout");
_Static_assert(sizeof(struct xs_rec_copycall) == 56, "copycall layout");
_Static_assert(sizeof(struct xs_rec_kernel) == 20, "kernel layout");
_Static_assert(sizeof(struct xs_rec_copy) == 32, "copy layout");
_Static_assert(sizeof(struct xs_rec_again) == 16, "again layout");
