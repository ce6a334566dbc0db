/* SPDX-License-Identifier: MIT */
/* A call in the terms of its record. */
#pragma once

#include <stdint.h>

struct xs_span {
	uint32_t site, correlation; /* the trace's number; CUPTI's id */
	uint64_t start_ns, end_ns;
};
