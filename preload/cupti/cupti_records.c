/* SPDX-License-Identifier: MIT */
/*
 * Converts CUPTI's activity records to ops of the trace.
 *
 * Each record is read through the oldest struct that has the fields, because
 * CUPTI only adds fields at the end. Every CUPTI from 11.8 on has the fields
 * used here; later fields are read if cuptiGetVersion() is new enough.
 */
#include "preload/cupti/cupti_clock.h"
#include "preload/cupti/cupti_share.h"
#include "preload/cupti/graph_trace.h"
#include "preload/sampling/op_filter.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/session.h"
#include "preload/util/guard.h"
#include "preload/util/pool.h"

#include <limits.h>

#define VERSION_12_8 26u /* added copyCount */
#define VERSION_12_9 27u

/* Static kinds are __device__ and __managed__ variables. */
static uint8_t memory_of(uint8_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return XS_MEM_PAGEABLE;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
		return XS_MEM_PINNED;
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
		return XS_MEM_DEVICE;
	case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
		return XS_MEM_ARRAY;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
		return XS_MEM_MANAGED;
	default:
		return XS_MEM_UNKNOWN;
	}
}

static uint8_t direction_of(uint8_t copy_kind)
{
	switch (copy_kind) {
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
		return XS_DIR_H2D;
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
		return XS_DIR_D2H;
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
		return XS_DIR_D2D;
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
		return XS_DIR_H2H;
	case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
		return XS_DIR_P2P;
	default:
		return XS_DIR_UNKNOWN;
	}
}

/* Returns whether the op is a node of a graph, and notes that there are
 * graphs. */
static bool is_of_graph(uint64_t node)
{
	if (node)
		xs_op_tracker_note_graph();
	return node != 0;
}

static uint8_t op_flags(bool async, uint64_t graph_node)
{
	return (async ? XS_OP_ASYNC : 0) |
	       (is_of_graph(graph_node) ? XS_OP_GRAPH : 0);
}

/* Returns whether to write the op. If other launches of its graph may be
 * recorded as one, it also writes to which executable graph a node belongs. */
static bool is_wanted(const struct xs_gpu_op *op, uint64_t node, uint32_t exec)
{
	if (!xs_share_is_ours(op->start_ns) || !xs_op_filter_wants(op))
		return false;
	if (node && xs_graph_trace_has_begun())
		xs_gpu_records_graph(op, exec, true);
	return true;
}

/* The 6th version of the record of a copy, which older headers lack. */
struct counted_copy {
	CUpti_ActivityMemcpy5 copy;
	uint64_t count;
};
#if CUPTI_API_VERSION >= VERSION_12_8
_Static_assert(offsetof(struct counted_copy, count) ==
		   offsetof(CUpti_ActivityMemcpy6, copyCount),
	       "the count has CUPTI's offset");
#endif

static uint16_t copies_of(const void *record)
{
	const struct counted_copy *m = record;

	if (xs_cupti_api.version < VERSION_12_8 || m->count <= 1)
		return 1;
	return m->count < UINT16_MAX ? (uint16_t)m->count : UINT16_MAX;
}

/* What the records of all ops have. */
#define OF_ALL_OPS(r)                                                          \
	.queue = {(r)->deviceId, (r)->contextId, (r)->streamId},               \
	.correlation = (r)->correlationId,                                     \
	.start_ns = xs_cupti_clock_ns((r)->start),                             \
	.end_ns = xs_cupti_clock_ns((r)->end)

static void take_copy(const void *record)
{
	const CUpti_ActivityMemcpy5 *m = record;
	const struct xs_gpu_op op = {
	    OF_ALL_OPS(m),
	    .bytes = m->bytes,
	    .direction = direction_of(m->copyKind),
	    .src_memory = memory_of(m->srcKind),
	    .dst_memory = memory_of(m->dstKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC,
			      m->graphNodeId),
	    .copies = copies_of(record),
	};
	if (is_wanted(&op, m->graphNodeId, m->graphId))
		xs_gpu_records_copy(&op);
}

static void take_peer_copy(const void *record)
{
	const CUpti_ActivityMemcpyPtoP4 *m = record;
	uint32_t peer =
	    m->dstDeviceId == m->deviceId ? m->srcDeviceId : m->dstDeviceId;
	const struct xs_gpu_op op = {
	    OF_ALL_OPS(m),
	    .bytes = m->bytes,
	    .direction = XS_DIR_P2P,
	    .src_memory = memory_of(m->srcKind),
	    .dst_memory = memory_of(m->dstKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC,
			      m->graphNodeId),
	    .peer_device = (uint16_t)peer,
	    .copies = 1,
	};
	if (is_wanted(&op, m->graphNodeId, m->graphId))
		xs_gpu_records_copy(&op);
}

static void take_set(const void *record)
{
	const CUpti_ActivityMemset4 *m = record;
	const struct xs_gpu_op op = {
	    OF_ALL_OPS(m),
	    .bytes = m->bytes,
	    .value = m->value,
	    .dst_memory = memory_of((uint8_t)m->memoryKind),
	    .flags = op_flags(m->flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC,
			      m->graphNodeId),
	};
	if (is_wanted(&op, m->graphNodeId, m->graphId))
		xs_gpu_records_set(&op);
}

/* Reads version 2 of this record; later versions only add fields at the end. */
static void take_migration(const void *record)
{
	const CUpti_ActivityUnifiedMemoryCounter2 *m = record;
	struct xs_gpu_op op = {
	    .queue = {m->dstId, XS_GPU_NO_CONTEXT, 0},
	    .start_ns = xs_cupti_clock_ns(m->start),
	    .end_ns = xs_cupti_clock_ns(m->end),
	    .bytes = m->value,
	    .src_memory = XS_MEM_MANAGED,
	    .dst_memory = XS_MEM_MANAGED,
	    .flags = XS_OP_ASYNC | XS_OP_MIGRATION,
	    .copies = 1,
	};

	switch (m->counterKind) {
	case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
		op.direction = XS_DIR_H2D;
		break;
	case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
		op.direction = XS_DIR_D2H;
		op.queue.device = m->srcId;
		break;
	case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD:
		op.direction = XS_DIR_P2P;
		op.peer_device = (uint16_t)m->srcId;
		break;
	default:
		return;
	}
	if (is_wanted(&op, 0, 0))
		xs_gpu_records_copy(&op);
}

static void take_kernel(const void *record)
{
	const CUpti_ActivityKernel5 *k = record;
	const struct xs_gpu_op op = {
	    OF_ALL_OPS(k),
	};
	struct xs_rec_shape shape = {
	    .grid_x = (uint32_t)k->gridX,
	    .grid_y = (uint32_t)k->gridY,
	    .grid_z = (uint32_t)k->gridZ,
	    .block_x = (uint16_t)k->blockX,
	    .block_y = (uint16_t)k->blockY,
	    .block_z = (uint16_t)k->blockZ,
	    .registers = k->registersPerThread,
	    .shared_static_bytes = (uint32_t)k->staticSharedMemory,
	    .shared_dynamic_bytes = (uint32_t)k->dynamicSharedMemory,
	    .local_bytes = k->localMemoryPerThread < UINT16_MAX
			       ? (uint16_t)k->localMemoryPerThread
			       : UINT16_MAX,
	};
	is_of_graph(k->graphNodeId);
	if (is_wanted(&op, k->graphNodeId, k->graphId))
		xs_gpu_records_kernel(&op, k->name, &shape);
}

/* Version 2 of this record, which older headers lack. */
struct graph_launch {
	CUpti_ActivityGraphTrace graph;
	uint32_t end_device, end_context;
};
#if CUPTI_API_VERSION >= VERSION_12_9
_Static_assert(offsetof(struct graph_launch, end_context) ==
		   offsetof(CUpti_ActivityGraphTrace2, endContextId),
	       "the end has CUPTI's offset");
#endif

/* A graph that begins with a host function has no start device: the end device
 * is used. */
static void take_graph(const void *record)
{
	const struct graph_launch *launch = record;
	const CUpti_ActivityGraphTrace *g = &launch->graph;
	struct xs_gpu_op op = {
	    OF_ALL_OPS(g),
	};

	if (op.queue.device == INT_MAX) {
		op.queue.device = launch->end_device;
		op.queue.context = launch->end_context;
	}
	if (op.queue.device != INT_MAX && is_wanted(&op, 0, 0))
		xs_gpu_records_graph(&op, g->graphId, false);
}

static void take_record(const CUpti_Activity *record)
{
	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		take_copy(record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		take_peer_copy(record);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		take_set(record);
		break;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		take_migration(record);
		break;
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		take_kernel(record);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		take_graph(record);
		break;
	default: /* enabled by another tool of the process */
		break;
	}
}

void CUPTIAPI xs_cupti_give_buffer(uint8_t **buffer, size_t *bytes,
				   size_t *most_records)
{
	struct xs_guard guard;

	if (xs_share_ask_buffer(buffer, bytes, most_records))
		return;
	xs_guard_begin(&guard);
	*buffer = xs_pool_take();
	xs_guard_end(&guard);
	*bytes = *buffer ? XS_POOL_BYTES : 0;
	*most_records = 0;
}

void CUPTIAPI xs_cupti_take_buffer(CUcontext context, uint32_t stream,
				   uint8_t *buffer, size_t bytes,
				   size_t valid_bytes)
{
	CUpti_Activity *record = NULL;
	struct xs_guard guard;
	size_t dropped = 0;

	xs_guard_begin(&guard);
	if (valid_bytes)
		xs_cupti_clock_look();
	while (valid_bytes &&
	       xs_cupti_api.cuptiActivityGetNextRecord(
		   buffer, valid_bytes, &record) == CUPTI_SUCCESS)
		take_record(record);
	if (xs_cupti_api.cuptiActivityGetNumDroppedRecords &&
	    xs_cupti_api.cuptiActivityGetNumDroppedRecords(
		context, stream, &dropped) == CUPTI_SUCCESS) {
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CUPTI, dropped);
		xs_share_dropped(dropped);
	}
	xs_guard_end(&guard);
	/* may call the client */
	xs_share_return_buffer(context, stream, buffer, bytes, valid_bytes);
}
