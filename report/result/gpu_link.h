/* SPDX-License-Identifier: MIT */
/* The copies between two GPUs of a run. */
#ifndef XS_REPORT_RESULT_GPU_LINK_H
#define XS_REPORT_RESULT_GPU_LINK_H

#include <stdint.h>

struct xs_result_gpu_link {
	int64_t first, second; /* numbers of the GPUs; copies both ways */
	int64_t direct_ops, direct_bytes, direct_ns;
	/* staged in host memory by the driver, without peer access; each from
	 * the start of its first part to the end of its last */
	int64_t staged_ops, staged_bytes, staged_ns;
	/* the staged ones with peer access, by the profile, at most staged_ns;
	 * XS_UNKNOWN */
	int64_t peer_ns;
	const char *staged_text, *direct_text; /* sentences; NULL: no copies */
};

#endif
