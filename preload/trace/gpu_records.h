/* SPDX-License-Identifier: MIT */
/*
 * The writer of what the GPU did, and of what is said once about the run. It
 * is shared and locked, and off the application's own path; never call CUPTI
 * with its lock held.
 */
#ifndef XS_PRELOAD_TRACE_GPU_RECORDS_H
#define XS_PRELOAD_TRACE_GPU_RECORDS_H

#include "preload/format.h"

#include <stdbool.h>
#include <stdint.h>

/* A queue as CUPTI names it; its contexts count from 1. */
#define XS_GPU_NO_CONTEXT 0u /* managed memory migrates, by nobody's stream */
struct xs_gpu_queue {
	uint32_t device, context, stream;
};

struct xs_gpu_op {
	struct xs_gpu_queue queue;
	uint32_t correlation;
	uint64_t start_ns, end_ns; /* both 0: the GPU's clock was not read */
	uint64_t bytes;
	uint32_t value; /* of a set */
	uint8_t direction, src_memory, dst_memory, flags;
	uint16_t peer_device, copies;
};

/* How a kernel was launched; its bytes are the key, so no padding. */
struct xs_gpu_shape {
	uint32_t name; /* string id; 0: filled in by xs_gpu_records_kernel */
	uint32_t grid[3];
	uint32_t shared_static_bytes, shared_dynamic_bytes;
	uint16_t block[3];
	uint16_t registers;
	uint32_t local_bytes;
};

/* What one launch of a kernel did; XS_UNCOUNTED: not known. */
struct xs_gpu_counts {
	uint16_t device, launch;
	uint32_t correlation;
	uint32_t grid[3];
	uint16_t block[3];
	uint64_t sectors_read, sectors_written;
	uint64_t requests_read, requests_written;
	uint64_t host_sectors_read, host_sectors_written;
	uint64_t instructions;
};

void xs_gpu_records_copy(const struct xs_gpu_op *op);
void xs_gpu_records_set(const struct xs_gpu_op *op);
void xs_gpu_records_kernel(const struct xs_gpu_op *op, const char *name,
			   struct xs_gpu_shape *shape);

/* The launch of an executable graph: recorded as one, or by_node, where each of
 * its nodes tells of it and the first one is written. */
void xs_gpu_records_graph(const struct xs_gpu_op *op, uint32_t exec,
			  bool by_node);

/* The string id of a kernel's name, for a shape; 0 when there was no room. */
uint32_t xs_gpu_records_name(const char *name);

void xs_gpu_records_counters(const struct xs_gpu_counts *counts,
			     const char *name);

/* A default stream of a context: enum xs_queue_kind. */
void xs_gpu_records_note_stream(uint32_t context, uint32_t stream,
				uint16_t kind);

/* Devices that ops were seen on, a bit each; those of 64 and more are not. */
uint64_t xs_gpu_records_devices(void);

/* The end of the last op that was written; 0 when there is none. */
uint64_t xs_gpu_records_last_end_ns(void);

#endif
