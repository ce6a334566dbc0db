/* SPDX-License-Identifier: MIT */
/* Builds a result from a trace file. */
#ifndef XS_REPORT_BUILD_READ_H
#define XS_REPORT_BUILD_READ_H

#include "report/build/options.h"
#include "report/result/result.h"

/*
 * Reads and works out a trace. 0 or -errno; then *error (static text, NULL
 * where errno says it all) says what is wrong and what to do.
 */
int xs_result_read(const char *path, const struct xs_result_options *options,
		   struct xs_result **result, const char **error);

#endif
