/* SPDX-License-Identifier: MIT */
/* Where the host runs its own code. */
#pragma once

#include "analyzer/read/trace.h"

/* Returns the call site before whose calls their threads spent the most time
 * outside of calls, within a span of CLOCK_REALTIME ns; XS_NONE: no thread has
 * two calls there, or more time is behind all calls or before the
 * first ones of windows. Time between two windows does not count. Of the
 * sites for which is_wanted returns true, if it is not NULL, and only if their
 * longest has a quarter of the longest one's time. */
uint32_t xs_host_gap_longest(const struct xs_trace *trace, uint64_t from_ns,
			     uint64_t to_ns,
			     bool (*is_wanted)(const struct xs_trace *trace,
					       uint32_t site));
