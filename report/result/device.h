/* SPDX-License-Identifier: MIT */
/* The GPUs of a run: the work of each, and the copies between two. */
#pragma once

#include <stdint.h>

struct xs_result_device {
	const char *name;
	int64_t index, sm_count, copy_engines, memory_bytes;
	int64_t pcie_gen, pcie_width;
	int64_t numa_node; /* closest to it */
	const char *uuid;
	/* work of this device, as in xs_result_totals; p2p: copies from or to
	 * another device, in this device's streams */
	int64_t h2d_bytes, d2h_bytes, p2p_bytes;
	int64_t h2d_ops, d2h_ops, p2p_ops, kernels;
	int64_t h2d_ns, d2h_ns, p2p_ns, kernel_ns;
	int64_t busy_ns, overlap_ns;
};

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
