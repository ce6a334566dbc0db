/* SPDX-License-Identifier: MIT */
/* What calls, ops and memory are called in exported traces. */
#ifndef XS_REPORT_EXPORT_NAMES_H
#define XS_REPORT_EXPORT_NAMES_H

#include "analyzer/read/trace.h"

/* Of an enum xs_memory; NULL: unknown. */
const char *xs_export_memory(unsigned memory);

/* Of an enum xs_op_kind: "h2d", "d2h", "d2d", "h2h", "set", "kernel", "p2p". */
const char *xs_export_kind(unsigned kind);

/* Of an enum xs_call_class: "copy", "launch", "sync-stream", ... */
const char *xs_export_class(unsigned call_class);

/* A string of the trace; NULL: none. */
const char *xs_export_string(const struct xs_trace *trace, uint32_t string);

/* The CUDA function that is called at a site. */
const char *xs_export_function(const struct xs_trace *trace, uint32_t site);

/* The demangled name of a kernel; the caller frees it. NULL: unknown, or no
 * memory. */
char *xs_export_kernel(const struct xs_trace *trace, uint32_t shape);

#endif
