/* SPDX-License-Identifier: MIT */
/*
 * How many hardware queues the program's streams share, as the variables of
 * NVIDIA's driver had it in its environment: CUDA_DEVICE_MAX_CONNECTIONS, and
 * CUDA_DEVICE_MAX_COPY_CONNECTIONS for copies where it is another number.
 */
#ifndef XS_ANALYZER_ROUNDS_CONNECTIONS_H
#define XS_ANALYZER_ROUNDS_CONNECTIONS_H

#include "analyzer/rounds/phase.h"

/* 1 to XS_HW_QUEUES_MAX; 0: not set. */
struct xs_connections {
	unsigned all, copy;
};

struct xs_connections xs_connections_asked(const struct xs_trace *trace);

/* The phase's kernel_hw_queues and copy_hw_queues, from its device. */
void xs_connections_fill(const struct xs_trace *trace, struct xs_phase *phase);

#endif
