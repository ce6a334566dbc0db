/* SPDX-License-Identifier: MIT */
/*
 * The number of hardware queues that the program's streams share, from its
 * environment: CUDA_DEVICE_MAX_CONNECTIONS, and
 * CUDA_DEVICE_MAX_COPY_CONNECTIONS for copies on newer devices.
 */
#pragma once

#include "analyzer/rounds/phase.h"

/* 1 to XS_HW_QUEUES_MAX; 0: not set. */
struct xs_connections {
	unsigned all, copy;
};

struct xs_connections xs_connections_asked(const struct xs_trace *trace);

/* Sets kernel_hw_queues and copy_hw_queues of the phases, by their devices. */
void xs_connections_fill(const struct xs_trace *trace,
			 struct xs_phases *phases);
