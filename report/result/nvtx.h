/* SPDX-License-Identifier: MIT */
/* The run by the names that the program gave its code with NVTX: the part of a
 * result that --by-range asks for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All ranges of one name and domain, added up; ops are those that they issued.
 */
struct xs_result_range {
	const char *name, *domain; /* domain NULL: the default one */
	bool process;		   /* started, not pushed by a thread */
	int64_t count;
	int64_t total_ns, range_ns; /* of all; the median of one */
	int64_t h2d_bytes, d2h_bytes, kernels;
	int64_t h2d_ns, kernel_ns, d2h_ns;
	int64_t host_blocked_ns;
	/* ids of the phases most of whose rounds lie in such a range, and in no
	 * range inside of it */
	int64_t *phases;
	size_t phase_count;
};

struct xs_result_nvtx {
	struct xs_result_range *ranges; /* the longest total time first */
	size_t count;
	int64_t lost;	     /* ranges that are not in the trace */
	const char *missing; /* why there are none; NULL: there are some */
};
