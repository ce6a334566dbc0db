/* SPDX-License-Identifier: MIT */
/* Writes the records of ops, kernels and queues with the shared writer. It
 * takes its lock; never call CUPTI with that lock held. */
#pragma once

#include "preload/format.h"

#include <stdbool.h>
#include <stdint.h>

/* A queue as CUPTI identifies it; contexts count from 1. */
#define XS_GPU_NO_CONTEXT 0u /* migrations of managed memory have no stream */
struct xs_gpu_queue {
	uint32_t device, context, stream;
};

struct xs_gpu_op {
	struct xs_gpu_queue queue;
	uint32_t correlation;
	uint64_t start_ns, end_ns; /* both 0: not timed */
	uint64_t bytes;
	uint32_t value; /* value of a set */
	uint8_t direction, src_memory, dst_memory, flags;
	uint16_t peer_device, copies;
};

/* Write an op: a copy, a set or a kernel. If there is no space, it is counted
 * as lost. shape: the record without kind, words and number, and with name 0 if
 * it is to be that of `name`. */
void xs_gpu_records_copy(const struct xs_gpu_op *op);
void xs_gpu_records_set(const struct xs_gpu_op *op);
void xs_gpu_records_kernel(const struct xs_gpu_op *op, const char *name,
			   struct xs_rec_shape *shape);

/* Writes the launch of an executable graph: recorded as one, or by_node. By
 * node each node reports the launch, and only the first report is written. */
void xs_gpu_records_graph(const struct xs_gpu_op *op, uint32_t exec,
			  bool by_node);

/* Returns the string id of a kernel's name, for a shape; 0 if there was no
 * space. */
uint32_t xs_gpu_records_name(const char *name);

/* Writes what one launch of the kernel did, but records of which nothing was
 * counted. Sets the name. */
void xs_gpu_records_counters(struct xs_rec_counters *counters,
			     struct xs_rec_fills *fills,
			     struct xs_rec_accesses *accesses,
			     const char *name);

/* Notes that a stream is a default stream of its context. kind: enum
 * xs_queue_kind. */
void xs_gpu_records_note_stream(uint32_t context, uint32_t stream,
				uint16_t kind);

/* Returns the devices that had ops, one bit each; devices from 64 on are
 * missing. */
uint64_t xs_gpu_records_devices(void);

/* Returns the latest end of a written op, 0 if there is none. */
uint64_t xs_gpu_records_last_end_ns(void);
