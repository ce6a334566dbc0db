/* SPDX-License-Identifier: MIT */
/*
 * A trace of another tool while it is read: an importer adds what the file has,
 * in any order, and xs_foreign_pass() passes it on as records of the xferspy
 * format. What the file lacks stays 0, which the format reads as unknown.
 */
#pragma once

#include "analyzer/records/trace_visitor.h"
#include "analyzer/util/distinct.h"
#include "analyzer/util/sort.h"

#include <stdbool.h>

/* One API call. Times are ns of any clock; those of calls and ops agree. */
struct xs_foreign_call {
	uint64_t start_ns, end_ns;
	uint64_t bytes, address; /* allocations; copies and sets: from ops */
	uint64_t stream;	 /* xs_foreign_stream() */
	uint64_t event;		 /* 0: unknown */
	uint32_t thread, correlation;
	uint32_t site; /* from xs_foreign_add_site() */
	uint16_t error;
	uint8_t call_class;
	uint8_t direction;   /* filled from ops */
	bool result_unknown; /* error has no meaning */
	bool has_stream;     /* stream is known; filled from ops and details */
};

/* One operation of the GPU, or the launch of a graph. */
struct xs_foreign_op {
	uint64_t start_ns, end_ns;
	uint64_t bytes;
	uint32_t correlation;
	uint32_t shape; /* kernels: xs_foreign_add_shape(); graphs: exec */
	uint16_t queue; /* from xs_foreign_add_queue() */
	uint16_t copies;
	uint16_t peer; /* copies: the other device + 1; 0: unknown */
	uint8_t kind;  /* XS_REC_kernel, _copy, _set, _graph */
	uint8_t direction, src_memory, dst_memory, flags;
};

/* Where a call comes from; numbers of strings, 0: unknown. */
struct xs_foreign_site {
	uint32_t function; /* the CUDA function */
	uint32_t call_class;
	uint32_t symbol, file, line; /* the caller's */
	uint32_t module;	     /* path of its object */
	uint32_t caller; /* site of the next outer frame + 1; 0: none */
};

struct xs_foreign_queue {
	uint32_t device, context, stream, queue_kind;
};

/* What another part of the file tells of the call with this id. */
struct xs_foreign_detail {
	uint64_t stream; /* as of a call; has_stream: it is known */
	uint64_t event;	 /* 0: unknown, and so are address and bytes */
	uint64_t address, bytes;
	uint32_t correlation;
	bool has_stream;
};

/* A range that the program named; name and domain are strings. */
struct xs_foreign_range {
	uint64_t start_ns, end_ns; /* as of a call */
	uint32_t thread, name, domain;
	bool process; /* started, not pushed by the thread */
};

struct xs_foreign {
	struct xs_distinct strings, sites, shapes, queues;
	struct xs_foreign_call *calls;
	size_t call_count;
	struct xs_foreign_op *ops;
	size_t op_count;
	struct xs_foreign_detail *details;
	size_t detail_count;
	struct xs_foreign_range *ranges;
	size_t range_count;
	size_t left_out; /* events that cannot be */
	size_t mixed;	 /* calls that are of another process */
	size_t inferred; /* copies whose calls tell their kind of memory */
	struct xs_rec_device *devices; /* each with its name's string */
	uint32_t *device_names;
	size_t device_count;
	uint32_t *infos; /* strings: key=value */
	size_t info_count;
	uint32_t pid;
	uint64_t begin_ns, end_ns; /* of the run; 0: of the first and last
				    * call or op */
	bool has_span;		   /* the file gives them */
	uint64_t base_ns;      /* is added to all times when they are passed */
	uint64_t source_bytes; /* size of the file */
};

void xs_foreign_init(struct xs_foreign *foreign);
void xs_foreign_release(struct xs_foreign *foreign);

/* Text of NULL or "" is string 0. */
void xs_foreign_add_string(struct xs_foreign *foreign, const char *text,
			   uint32_t *number);
void xs_foreign_add_site(struct xs_foreign *foreign,
			 const struct xs_foreign_site *site, uint32_t *number);
/* name: mangled, or as the file has it. shape: its name is filled in. */
void xs_foreign_add_shape(struct xs_foreign *foreign, const char *name,
			  struct xs_rec_shape *shape, uint32_t *number);
/* Returns the queue's number. xs_foreign_join() refuses more queues than the
 * format can tell apart. */
uint16_t xs_foreign_add_queue(struct xs_foreign *foreign,
			      const struct xs_foreign_queue *queue);
void xs_foreign_add_call(struct xs_foreign *foreign,
			 const struct xs_foreign_call *call);
void xs_foreign_add_op(struct xs_foreign *foreign,
		       const struct xs_foreign_op *op);
void xs_foreign_add_detail(struct xs_foreign *foreign,
			   const struct xs_foreign_detail *detail);
void xs_foreign_add_range(struct xs_foreign *foreign,
			  const struct xs_foreign_range *range);
void xs_foreign_add_device(struct xs_foreign *foreign,
			   const struct xs_rec_device *device,
			   const char *name);
/* Adds "key=value". A key of `note` is a line that the report shows. */
void xs_foreign_add_info(struct xs_foreign *foreign, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the version of the driver, such as 13020 for 13.2; 0: unknown. */
void xs_foreign_add_driver(struct xs_foreign *foreign, uint64_t version);

/* Returns the kind of memory whose name the text begins with, such as "pinned"
 * or "DEVICE_STATIC". */
uint8_t xs_foreign_memory(const char *text);

/* Returns the handle of a stream for calls: 0 for the default stream. */
uint64_t xs_foreign_stream(const struct xs_foreign *foreign, uint16_t queue);

/* Returns the other device of a copy; its own, if the file does not name it. */
uint16_t xs_foreign_peer(const struct xs_foreign *foreign,
			 const struct xs_foreign_op *op);

/* Gives calls what only their ops (bytes, direction, stream) and details tell,
 * and ops whether they are asynchronous; drops calls that another call of the
 * thread made. */
int xs_foreign_join(struct xs_foreign *foreign, const char **error);

/* Passes the joined trace to the visitor. */
void xs_foreign_pass(const struct xs_foreign *foreign,
		     const struct xs_trace_visitor *visitor);
