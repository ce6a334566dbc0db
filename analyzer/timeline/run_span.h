/* SPDX-License-Identifier: MIT */
/* A part of the run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_REALTIME ns. */
struct xs_run_span {
	uint64_t from_ns, to_ns;
};

/* Whether work that starts then belongs to the span; NULL: all work does. */
static inline bool xs_run_span_has(const struct xs_run_span *span,
				   uint64_t start_ns)
{
	return !span || (start_ns >= span->from_ns && start_ns < span->to_ns);
}
