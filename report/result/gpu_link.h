/* SPDX-License-Identifier: MIT */
/* The copies between two GPUs of a run. */
#pragma once

#include <stdint.h>

struct xs_result_gpu_link {
	int64_t first, second; /* numbers of the GPUs; copies both ways */
	int64_t direct_ops, direct_bytes, direct_ns;
	/* staged in host memory by the driver, without peer access: by the
	 * profile; without its rates as recorded, from the start of each one's
	 * first part to the end of its last, at least the host's link takes */
	int64_t staged_ops, staged_bytes, staged_ns;
	int64_t peer_ns; /* the same with peer access, by the profile;
			  * XS_UNKNOWN */
	/* what that saves if nothing runs beside the copies, with its range;
	 * XS_UNKNOWN without the rates */
	int64_t saves_ns, saves_low_ns, saves_high_ns;
	int64_t steady_ops; /* staged ones that start in the steady part */
	/* number of the step in the plan, after those of the phases, and its
	 * lines: what, by how much, how, and the code; 0 and NULL: none */
	int64_t step;
	int64_t saves_steady_ns; /* of the steady part, at most all of it */
	const char *title, *saving, *advice, *code;
	const char *staged_text, *direct_text; /* sentences; NULL: no copies */
};
