/* SPDX-License-Identifier: MIT */
/* What is known of the calls of a long trace that were not read. */
#pragma once

#include "analyzer/timeline/cuda_startup.h"

/* Returns, by site, the time of all its calls for each ns of those that were
 * read, without CUDA's startup; 0: none was. Caller frees it. NULL without
 * memory. */
double *xs_skipped_call_time(const struct xs_trace *trace,
			     const struct xs_cuda_startup *startup);

/* Returns the time of a call without CUDA's startup, in ns. */
double xs_call_own_ns(const struct xs_trace *trace,
		      const struct xs_cuda_startup *startup, size_t call);
