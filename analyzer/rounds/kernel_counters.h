/* SPDX-License-Identifier: MIT */
/* Hardware counters of kernels, from a trace of the same program. */
#ifndef XS_ANALYZER_ROUNDS_KERNEL_COUNTERS_H
#define XS_ANALYZER_ROUNDS_KERNEL_COUNTERS_H

#include "analyzer/rounds/phase.h"

/*
 * Finds the counters of each shape of `trace`: the median over the launches of
 * the same kernel, grid and block in `counted`, which may be `trace` itself.
 * Stores in *found the number of shapes with counters; the counters of the
 * others are NAN. Caller frees *out. Returns 0 or -ENOMEM.
 */
int xs_kernel_counters_by_shape(const struct xs_trace *trace,
				const struct xs_trace *counted,
				struct xs_counts **out, size_t *found);

#endif
