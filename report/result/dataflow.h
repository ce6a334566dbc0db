/* SPDX-License-Identifier: MIT */
/* Who needs what: the part of a result that --dataflow asks for. Times are in
 * ns and sizes in bytes, as in result.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_result_site;

/* Memory that an op reads or writes. */
struct xs_result_access {
	int64_t memory; /* number of the allocation, from 1 on; XS_UNKNOWN: no
			 * call of the trace allocated it */
	bool device;	/* such memory of the device, not of the host */
	int64_t offset, bytes; /* offset: an address if memory is unknown */
	bool reads, writes;
};

/* One op of the dataflow. */
struct xs_result_flow_op {
	const char *kind;   /* "h2d", "d2h", "d2d", "set", "kernel", ... */
	const char *kernel; /* short name; NULL: no kernel */
	const struct xs_result_site *site;
	int64_t stream;		       /* number in the trace */
	int64_t start_ns, duration_ns; /* start: since the first op's call */
	int64_t bytes;		       /* XS_UNKNOWN: a kernel */
	bool unknown;		       /* may access any memory */
	struct xs_result_access *accesses;
	size_t access_count;
};

/* Why one op follows another, in the order of enum xs_flow_kind. */
#define XS_RESULT_FLOW_KINDS 5

struct xs_result_flow_edge {
	int64_t from, to; /* indices of ops */
	int kind;
};

struct xs_result_flow_reason {
	int64_t ops;
	const char *why; /* begins with what they are: "launches of graphs" */
};

/* Who needs what in some rounds of the leading phase. */
struct xs_result_dataflow {
	const char *missing; /* why there is none; NULL: there is one */
	int64_t phase;	     /* its id */
	int64_t rounds;
	int64_t from_ns;	       /* since the run began */
	struct xs_result_flow_op *ops; /* in the order of issue */
	size_t op_count;
	struct xs_result_flow_edge *edges; /* by `to` */
	size_t edge_count;
	int64_t unknown;    /* ops that may access any memory */
	int64_t unrecorded; /* launches whose pointers are not in the trace */
	struct xs_result_flow_reason *reasons; /* why ops are unknown */
	size_t reason_count;
	int64_t round_ns; /* of these rounds, on average */
	bool others;	  /* these times have other work between them, too */
	int64_t bound_ns; /* the least, if only data orders them */
	/* the parts of which it is the longest */
	int64_t path_ns, in_ns, kernel_ns, out_ns;
	const char *limit; /* which one that is */
};

/* "true", "reuse", "unknown", "stream", "host" */
const char *xs_result_flow_kind(int kind);
