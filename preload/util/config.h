/* SPDX-License-Identifier: MIT */
/*
 * Reads the configuration from the environment. A variable that is empty is not
 * set; one with an invalid value has its default.
 *   XFERSPY_OUTPUT   trace file; %p pid, %h host, %r rank, %% a percent sign
 *   XFERSPY_MODE     trace (default); light (records all calls until no new
 *                    kinds of calls come, then detaches CUPTI and only counts
 *                    hooked calls until the end); counters (also counts what
 *                    the first launches of each kernel read, write and
 *                    execute); events (without CUPTI: calls are timed with
 *                    CUDA events); calls (calls only); off
 *   XFERSPY_RANKS    ranks of a launcher that are traced, such as 0,7,64-71
 *   XFERSPY_RANGE    part of the run to record; the rest is counted: profiler
 *                    (from cudaProfilerStart() to cudaProfilerStop()), signal
 *                    (SIGUSR2 begins and ends it), or seconds: DELAY or
 *                    DELAY+DURATION
 *   XFERSPY_MAX_SIZE maximum bytes of trace, 2M or more (K, M, G); from half
 *                    of it on, calls are counted, with sample windows
 *   XFERSPY_GRAPHS   launch (default: one record for each launch of a CUDA
 *                    graph, except the first launches of each executable
 *                    graph) or nodes (each node of each launch)
 *   XFERSPY_HASH     1: hash the data of copies, samples of large ones;
 *                    full: all of it; 0 (default): none
 *   XFERSPY_DATAFLOW sample (default): record the pointers among the
 *                    parameters of some launches of each kernel; all: of all
 *                    launches; off
 *   XFERSPY_STACK    frames of the call stack that are recorded with a call:
 *                    N, up to 64; leaf (1, and the stubs of a launch); off
 *                    (no call stack). Default: 8, but only the nearest frame
 *                    where a hook knows it without a call stack walk. In
 *                    Python the number of lines of Python, with at least one
 *                    of the user's own code; native frames only if N is given
 *   XFERSPY_LOG      1 for stderr, or a file to append to
 *   XFERSPY_SUMMARY  0: no line at exit
 *   XFERSPY_CUPTI    path of libcupti; none: do not use CUPTI
 *   XFERSPY_RUN_PID  set by xferspy run: the process that it became
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum xs_mode {
	XS_MODE_TRACE,
	XS_MODE_LIGHT,
	XS_MODE_COUNTERS,
	XS_MODE_EVENTS,
	XS_MODE_CALLS,
	XS_MODE_OFF,
};

/* Returns whether the environment disables tracing, of all or of this rank.
 * Safe to call before anything else is set up. */
bool xs_config_is_off(void);

/* Returns the mode; XS_MODE_TRACE if XFERSPY_MODE is unset or unknown. */
enum xs_mode xs_config_mode(void);

/* Call stack frames to record. */
struct xs_config_stack {
	unsigned frames; /* 0: no call stack walk */
	bool hooked;	 /* walk also where a hook knows the nearest frame */
};

#define XS_STACK_MAX_FRAMES 64u

struct xs_config_stack xs_config_stack(void);

/* Returns the mode's name as XFERSPY_MODE spells it. */
const char *xs_config_mode_name(enum xs_mode mode);

/* Returns whether `xferspy run` started this process, not one of its parents.
 */
bool xs_config_is_started_by_run(pid_t pid);

/* Whether xferspy run found no driver. */
bool xs_config_lacks_driver(void);

/* Returns whether XFERSPY_SUMMARY allows the line at exit. */
bool xs_config_summary(void);

/* Returns XFERSPY_MAX_SIZE in bytes, 0 if there is no limit. */
uint64_t xs_config_max_bytes(void);

enum xs_range_kind {
	XS_RANGE_ALL,
	XS_RANGE_TIMED,
	XS_RANGE_PROFILER,
	XS_RANGE_SIGNAL,
};

struct xs_config_range {
	enum xs_range_kind kind;
	uint64_t from_ns, for_ns; /* from the start of tracing */
	const char *text;	  /* of the variable */
};

struct xs_config_range xs_config_range(void);

/* Returns whether each node of each graph launch is recorded. */
bool xs_config_graphs_by_node(void);

enum xs_hash_mode {
	XS_HASH_OFF,
	XS_HASH_SAMPLED, /* at most 1 MiB of a copy, spread evenly */
	XS_HASH_FULL,
};

/* Returns whether and how XFERSPY_HASH asks to hash the data of copies. */
enum xs_hash_mode xs_config_hash(void);

enum xs_dataflow_mode {
	XS_DATAFLOW_OFF,
	XS_DATAFLOW_SAMPLE, /* the first launches, then some */
	XS_DATAFLOW_ALL,
};

/* Returns for which launches XFERSPY_DATAFLOW asks for pointers. */
enum xs_dataflow_mode xs_config_dataflow(void);

/* A variable that begins with XFERSPY_. */
struct xs_config_variable {
	const char *name;
	bool (*is_valid)(const char *value); /* NULL: any value is */
	const char *values;		     /* the valid ones, in words */
	const char *otherwise;		     /* what happens with another one */
};

/* All of them; a row without a name ends the table. */
extern const struct xs_config_variable xs_config_variables[];

/* assignment: NAME=VALUE; variable: NULL if it is not in the table, otherwise
 * the value is not valid. */
typedef void xs_config_wrong(const char *assignment,
			     const struct xs_config_variable *variable);

/* Calls wrong() for each variable of the environment that begins with XFERSPY_
 * and is not known or has no valid value. */
void xs_config_check(xs_config_wrong *wrong);

/* Returns the number of hardware queues, 1 to 32, that an environment variable
 * requests from NVIDIA's driver; 0 if it is unset or invalid. */
unsigned xs_config_connections(const char *variable);
