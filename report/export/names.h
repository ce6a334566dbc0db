/* SPDX-License-Identifier: MIT */
/* Strings, functions and kernels by name in exported traces. */
#ifndef XS_REPORT_EXPORT_NAMES_H
#define XS_REPORT_EXPORT_NAMES_H

#include "analyzer/read/trace.h"

/* A string of the trace; NULL: none. */
const char *xs_export_string(const struct xs_trace *trace, uint32_t string);

/* The CUDA function that is called at a site. */
const char *xs_export_function(const struct xs_trace *trace, uint32_t site);

/* The demangled name of a kernel; the caller frees it. NULL: unknown, or no
 * memory. */
char *xs_export_kernel(const struct xs_trace *trace, uint32_t shape);

#endif
