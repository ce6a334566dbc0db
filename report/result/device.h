/* SPDX-License-Identifier: MIT */
/* A GPU of a run, and its work. */
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
