/* SPDX-License-Identifier: MIT */
/* Builds a result from a trace file. */
#pragma once

#include "report/build/options.h"
#include "report/result/result.h"

/*
 * Reads a trace and builds its result; the caller frees it with
 * xs_result_free(). Returns 0 or -errno. On failure *error is a static text
 * that explains the problem, or NULL if errno is enough.
 */
int xs_result_read(const char *path, const struct xs_result_options *options,
		   struct xs_result **result, const char **error);

/* The same for a trace that is read and resolved; path is its name in the
 * report. */
struct xs_result *xs_result_build(const struct xs_trace *trace,
				  const char *path,
				  const struct xs_result_options *options);
