/* SPDX-License-Identifier: MIT */
/*
 * What the environment says:
 *   XFERSPY_OUTPUT   the trace file; %p pid, %h host, %r rank, %% a percent
 *   XFERSPY_MODE     trace (the default), counters (also what the first
 *                    launches of each kernel read, write and execute), calls
 *                    (without CUPTI), off
 *   XFERSPY_LOG      1 for standard error, or a file to append to
 *   XFERSPY_SUMMARY  0: no line at exit
 *   XFERSPY_CUPTI    the path of libcupti
 */
#ifndef XS_CONFIG_H
#define XS_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum xs_mode {
	XS_MODE_TRACE,
	XS_MODE_COUNTERS,
	XS_MODE_CALLS,
	XS_MODE_OFF,
	XS_MODES
};

/* Whether the environment turns us off; safe before anything else. */
bool xs_config_is_off(void);

enum xs_mode xs_config_mode(void);

/* As XFERSPY_MODE has it. */
const char *xs_config_mode_name(enum xs_mode mode);

/* The mode's text as given, if it is none that is known; else NULL. */
const char *xs_config_unknown_mode(void);

bool xs_config_summary(void);

/*
 * The trace's path for a process, from a pattern (NULL: the default). 0, or
 * -ENAMETOOLONG if it does not fit.
 */
int xs_config_path(const char *pattern, pid_t pid, char *path, size_t bytes);

/* The rank that an MPI or batch launcher gave the process, or "0". */
const char *xs_config_rank(void);

/* A line of diagnostics, where XFERSPY_LOG asks for it. */
void xs_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
