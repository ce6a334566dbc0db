/* SPDX-License-Identifier: MIT */
/*
 * What the environment says:
 *   XFERSPY_OUTPUT   the trace file; %p pid, %h host, %r rank, %% a percent
 *   XFERSPY_MODE     trace (the default), light (records all calls until no new
 *                    kinds of calls come, then gives CUPTI up and only counts
 *                    the calls that hooks see, until the end), counters
 *                    (also what the first launches of each kernel read, write
 *                    and execute), events (without CUPTI: calls, timed by
 *                    events), calls (alone), off
 *   XFERSPY_RANGE    what is recorded of the run, the rest is counted: profiler
 *                    (from cudaProfilerStart() to ...Stop()), signal (SIGUSR2
 *                    begins and ends it), or seconds, DELAY or DELAY+DURATION
 *   XFERSPY_MAX_SIZE the most bytes of trace, 2M or more (K, M, G): from half
 *                    of it on calls are counted, with a window now and then
 *   XFERSPY_GRAPHS   launch (the default: each launch of a CUDA graph is one
 *                    record, except for the first ones of each executable
 *                    graph) or nodes (each node of each launch)
 *   XFERSPY_HASH     1: hash what copies move, of large ones samples; full: all
 *   XFERSPY_STACK    how many frames of its callers a call is recorded with: N,
 *                    up to 64, leaf (1; below a launch's own stubs), off (no
 *                    walk). 8 if not set, and then only the nearest frame where
 *                    a hook knows it for free. In Python so many lines of
 *                    Python, one of the user's own code in any case, and the
 *                    frames below them only where N is given
 *   XFERSPY_LOG      1 for standard error, or a file to append to
 *   XFERSPY_SUMMARY  0: no line at exit
 *   XFERSPY_CUPTI    the path of libcupti; none: do without
 */
#ifndef XS_PRELOAD_UTIL_CONFIG_H
#define XS_PRELOAD_UTIL_CONFIG_H

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
	XS_MODES
};

/* Whether the environment turns us off; safe before anything else. */
bool xs_config_is_off(void);

enum xs_mode xs_config_mode(void);

/* How many frames a call is recorded with. */
struct xs_config_stack {
	unsigned frames; /* 0: no walk */
	bool hooked;	 /* walked where a hook knows the nearest frame, too */
};

#define XS_STACK_MOST 64u

/* From XFERSPY_STACK; its text, if it is none that is known, else NULL. */
const char *xs_config_stack(struct xs_config_stack *stack);

/* As XFERSPY_MODE has it. */
const char *xs_config_mode_name(enum xs_mode mode);

/* The mode's text as given, if it is none that is known; else NULL. */
const char *xs_config_unknown_mode(void);

bool xs_config_summary(void);

/* The most bytes of trace; 0: no bound. *unknown is set to the text that is
 * none, and left else. */
uint64_t xs_config_max_bytes(const char **unknown);

enum xs_range_kind {
	XS_RANGE_ALL,
	XS_RANGE_TIMED,
	XS_RANGE_PROFILER,
	XS_RANGE_SIGNAL,
};

struct xs_config_range {
	enum xs_range_kind kind;
	uint64_t from_ns, for_ns; /* timed: since tracing began */
};

/* What of the run is recorded. NULL, or the text that is no range. */
const char *xs_config_range(struct xs_config_range *range);

/* Whether each node of each graph launch is recorded. *unknown is set to the
 * text that is none, else to NULL. */
bool xs_config_graphs_by_node(const char **unknown);

enum xs_hash_mode {
	XS_HASH_OFF,
	XS_HASH_SAMPLED, /* at most 1 MiB of a copy, spread over all of it */
	XS_HASH_FULL,
};

/* Whether contents of copies are hashed. */
enum xs_hash_mode xs_config_hash(void);

/*
 * The trace's path for a process, from a pattern (NULL: the default; in it,
 * where the pattern is a directory's). 0, or -ENAMETOOLONG if it does not fit.
 */
int xs_config_path(const char *pattern, pid_t pid, char *path, size_t bytes);

/* What a variable asks NVIDIA's driver for, of the hardware queues that streams
 * share: 1 to 32; 0 where it is not set, or no such number. */
unsigned xs_config_connections(const char *variable);

/* The rank that an MPI or batch launcher gave the process, or "0". */
const char *xs_config_rank(void);

/* A line of diagnostics, where XFERSPY_LOG asks for it. */
void xs_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
