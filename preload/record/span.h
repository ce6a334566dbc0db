/* SPDX-License-Identifier: MIT */
/* A call in the terms of its record. */
#ifndef XS_PRELOAD_RECORD_SPAN_H
#define XS_PRELOAD_RECORD_SPAN_H

#include <stdint.h>

struct xs_span {
	uint32_t site, correlation; /* the trace's number; CUPTI's id */
	uint64_t start_ns, end_ns;
};

#endif
