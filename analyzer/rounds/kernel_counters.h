/* SPDX-License-Identifier: MIT */
/* What kernels do, as counted in a trace of the same program. */
#ifndef XS_ANALYZER_ROUNDS_KERNEL_COUNTERS_H
#define XS_ANALYZER_ROUNDS_KERNEL_COUNTERS_H

#include "analyzer/rounds/phase.h"

/*
 * The counts of each shape of `trace`, by its index: from the launches of that
 * kernel, grid and block that `counted` has, their median. `counted` may be
 * `trace`. *found: shapes that were counted; the others' counts are NAN. Free
 * *out. 0 or -ENOMEM.
 */
int xs_kernel_counters_by_shape(const struct xs_trace *trace,
				const struct xs_trace *counted,
				struct xs_counts **out, size_t *found);

#endif
