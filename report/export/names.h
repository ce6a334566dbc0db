/* SPDX-License-Identifier: MIT */
/* Parts of a trace by name or number, for exports. */
#pragma once

#include "analyzer/read/trace.h"

/* A string of the trace; NULL: none. */
const char *xs_export_string(const struct xs_trace *trace, uint32_t string);

/* The CUDA function that is called at a site. */
const char *xs_export_function(const struct xs_trace *trace, uint32_t site);

/* "main.cu:12" of the program's call, or its function; buffer for the first.
 * NULL: unknown. */
const char *xs_export_place(const struct xs_trace *trace, uint32_t site,
			    char *buffer, size_t size);

/* GPUs are numbered from 0; "GPU 0: its name". */
size_t xs_export_gpu_count(const struct xs_trace *trace);
void xs_export_gpu(const struct xs_trace *trace, size_t gpu, char *name,
		   size_t size);

/* A queue by its index; unknown ones are one of GPU 0. */
const struct xs_queue *xs_export_queue(const struct xs_trace *trace,
				       uint64_t index);

/* A time as ns after the start of the run. */
uint64_t xs_export_since(const struct xs_trace *trace, uint64_t ns);

/* The demangled name of a kernel; the caller frees it. NULL: unknown, or no
 * memory. */
char *xs_export_kernel(const struct xs_trace *trace, uint32_t shape);
