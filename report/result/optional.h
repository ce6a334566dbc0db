/* SPDX-License-Identifier: MIT */
/* The parts of a result that options ask for: which op needs what, buffers to
 * pin, NVTX ranges, and figures over several runs. Times are in ns and sizes in
 * bytes, as in result.h. */
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
	int64_t offset; /* an address if memory is unknown */
	int64_t bytes;	/* both XS_UNKNOWN: memory outside all allocations */
	bool reads, writes;
};

/* One op of the dataflow. */
struct xs_result_flow_op {
	const char *kind;   /* "h2d", "d2h", "d2d", "set", "kernel", ... */
	const char *kernel; /* short name; NULL: no kernel */
	const struct xs_result_site *site;
	int64_t stream;		       /* number in the trace */
	int64_t start_ns, duration_ns; /* start: since from_ns */
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

/* Pageable buffers of the copies at one place; saves_ns: of the run, with what
 * pinning costs once. */
struct xs_result_pinned_place {
	const struct xs_result_site *site;
	const char *step;	       /* "h2d" or "d2h" */
	int64_t phase;		       /* its id */
	int64_t buffers, bytes;	       /* all that are worth it */
	int64_t taken;		       /* buffers within the budget */
	int64_t taken_bytes, saves_ns; /* of these */
};

struct xs_result_pinned_budget {
	int64_t budget_bytes, used_bytes, saves_ns;
	struct xs_result_pinned_place *places; /* most gain per byte first */
	size_t count;
};

/* All ranges of one name and domain, added up; ops are those that they issued.
 */
struct xs_result_range {
	const char *name, *domain; /* domain NULL: the default one */
	bool process;		   /* started, not pushed by a thread */
	int64_t count;
	int64_t total_ns, range_ns; /* of all; the median of one */
	int64_t h2d_bytes, d2h_bytes, kernels;
	int64_t h2d_ns, kernel_ns, d2h_ns;
	int64_t host_blocked_ns;
};

struct xs_result_nvtx {
	struct xs_result_range *ranges; /* the longest total time first */
	size_t count;
	int64_t lost;	     /* ranges that are not in the trace */
	const char *missing; /* why there are none; NULL: there are some */
};

/* All XS_UNKNOWN if a run does not tell. */
struct xs_run_spread {
	int64_t median;
	int64_t low, high;   /* interval of the median: 90 %; of fewer than five
			      * runs, which cannot tell that, all of them */
	int64_t least, most; /* of all runs */
};

struct xs_result_runs_total {
	const char *name; /* "run", "copies in", ... */
	const char *unit; /* "ns", "bytes" or "count" */
	struct xs_run_spread spread;
};

/* A phase of the median run: one round, in the runs that have the phase. */
struct xs_result_runs_phase {
	int64_t id;
	size_t runs;
	struct xs_run_spread round_ns;
};

struct xs_result_runs {
	size_t count;
	const char **paths; /* shortest run first */
	size_t middle;	    /* of these: the run that the result is of */
	const char **warnings;
	size_t warning_count;
	struct xs_result_runs_total *totals;
	size_t total_count;
	struct xs_result_runs_phase *phases;
	size_t phase_count;
};
