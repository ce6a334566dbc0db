/* SPDX-License-Identifier: MIT */
#ifndef XS_ANALYZER_ROUNDS_ALLOCATION_STARTS_H
#define XS_ANALYZER_ROUNDS_ALLOCATION_STARTS_H

#include "analyzer/rounds/phase.h"

/* Sets src_starts and dst_starts of the phases' copies. Returns 0 or -ENOMEM.
 */
int xs_allocation_starts_find(const struct xs_trace *trace,
			      struct xs_phases *phases);

#endif
