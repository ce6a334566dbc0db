/* SPDX-License-Identifier: MIT */
/* Activity records in CUPTI's layout. */
#include "tests/sim/cupti_pending.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool graphs; /* a node of a graph ran meanwhile */

size_t xs_cu_record_bytes(CUpti_ActivityKind kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(xs_cu_kernel);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(xs_cu_copy);
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return sizeof(CUpti_ActivityMemcpyPtoP4);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		return sizeof(xs_cu_migration);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return sizeof(xs_cu_graph);
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	default:
		return 0;
	}
}

static void add(CUpti_ActivityKind kind, struct xs_cu_pending *record,
		uint64_t end_ns)
{
	record->any.kind = kind;
	record->bytes = xs_cu_record_bytes(kind);
	record->end_ns = end_ns;
	xs_cu_add(record);
}

static uint32_t exec_of(const struct xs_sim_op *op)
{
	return op->graph_run ? op->graph_run->exec : 0;
}

static bool on_host(enum xs_sim_memory memory)
{
	return memory == XS_SIM_PAGEABLE || memory == XS_SIM_PINNED;
}

static uint8_t copy_kind(const struct xs_sim_copy *copy)
{
	bool from = on_host(copy->src_memory), to = on_host(copy->dst_memory);

	if (from)
		return to ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOH
			  : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
	return to ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
		  : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
}

/* When and where the op of a record ran, and which call issued it. */
#define RAN(record, r)                                                         \
	do {                                                                   \
		(record).start = (r)->start_ns;                                \
		(record).end = (r)->end_ns;                                    \
		(record).deviceId = (uint32_t)(r)->device;                     \
		(record).contextId = (uint32_t)(r)->device + 1;                \
		(record).streamId = (r)->stream;                               \
		(record).correlationId = (r)->correlation;                     \
	} while (0)

#define OF_NODE(record, r)                                                     \
	do {                                                                   \
		(record).graphNodeId = (r)->op->graph_node;                    \
		(record).graphId = exec_of((r)->op);                           \
	} while (0)

static void add_copy(const struct xs_sim_record *r, struct xs_cu_pending *p)
{
	const struct xs_sim_copy *copy = &r->op->copy;

	p->copy.copyKind = copy_kind(copy);
	p->copy.srcKind = (uint8_t)copy->src_memory;
	p->copy.dstKind = (uint8_t)copy->dst_memory;
	p->copy.flags = copy->async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
	p->copy.bytes = (uint64_t)copy->width * copy->height * copy->depth;
	RAN(p->copy, r);
#if CUPTI_API_VERSION >= 130000
	p->copy.copyCount = 1;
#endif
	OF_NODE(p->copy, r);
	add(CUPTI_ACTIVITY_KIND_MEMCPY, p, r->end_ns);
}

static void add_peer_copy(const struct xs_sim_record *r,
			  struct xs_cu_pending *p)
{
	const struct xs_sim_copy *copy = &r->op->copy;

	p->peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
	p->peer.srcKind = (uint8_t)copy->src_memory;
	p->peer.dstKind = (uint8_t)copy->dst_memory;
	p->peer.flags = copy->async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
	p->peer.bytes = (uint64_t)copy->width * copy->height * copy->depth;
	RAN(p->peer, r);
	p->peer.srcDeviceId = (uint32_t)copy->src_device;
	p->peer.srcContextId = (uint32_t)copy->src_device + 1;
	p->peer.dstDeviceId = (uint32_t)copy->dst_device;
	p->peer.dstContextId = (uint32_t)copy->dst_device + 1;
	OF_NODE(p->peer, r);
	add(CUPTI_ACTIVITY_KIND_MEMCPY2, p, r->end_ns);
}

static void add_set(const struct xs_sim_record *r, struct xs_cu_pending *p)
{
	const struct xs_sim_set *set = &r->op->set;
	struct xs_sim_range range;

	p->set.value = set->value;
	p->set.bytes = set->bytes;
	RAN(p->set, r);
	OF_NODE(p->set, r);
	p->set.flags = set->async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0;
	p->set.memoryKind = xs_sim_find(set->dst, &range)
				? (uint16_t)range.memory
				: CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
	add(CUPTI_ACTIVITY_KIND_MEMSET, p, r->end_ns);
}

static void add_kernel(const struct xs_sim_record *r, struct xs_cu_pending *p)
{
	const struct xs_sim_launch *launch = &r->op->launch;
	struct xs_sim_function_info info;

	xs_sim_function_info(launch->function, &info);
	p->kernel.registersPerThread = (uint16_t)info.registers;
	p->timeless = xs_sim_counts_of(r->device) != NULL; /* as in CUPTI */
	RAN(p->kernel, r);
	p->kernel.completed = r->end_ns;
	p->kernel.gridX = (int32_t)launch->grid[0];
	p->kernel.gridY = (int32_t)launch->grid[1];
	p->kernel.gridZ = (int32_t)launch->grid[2];
	p->kernel.blockX = (int32_t)launch->block[0];
	p->kernel.blockY = (int32_t)launch->block[1];
	p->kernel.blockZ = (int32_t)launch->block[2];
	p->kernel.staticSharedMemory = (int32_t)info.shared_bytes;
	p->kernel.dynamicSharedMemory = (int32_t)launch->shared_bytes;
	p->kernel.localMemoryPerThread = (uint32_t)info.local_bytes;
	OF_NODE(p->kernel, r);
	p->kernel.name = info.name;
	add(xs_cu_wants(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
		: CUPTI_ACTIVITY_KIND_KERNEL,
	    p, r->end_ns);
}

/* The host is device -1 here. */
static void add_migration(const struct xs_sim_record *r,
			  struct xs_cu_pending *p)
{
	const struct xs_sim_copy *copy = &r->op->copy;
	bool in = copy->dst_memory == XS_SIM_DEVICE;

	p->migration.counterKind =
	    in ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
	       : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
	p->migration.value = copy->width;
	p->migration.start = r->start_ns;
	p->migration.end = r->end_ns;
	p->migration.address = (uint64_t)(uintptr_t)copy->dst;
	p->migration.srcId = in ? UINT32_MAX : (uint32_t)r->device;
	p->migration.dstId = in ? (uint32_t)r->device : UINT32_MAX;
	p->migration.processId = (uint32_t)getpid();
	add(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, p, r->end_ns);
}

static void add_graph(const struct xs_sim_record *r, struct xs_cu_pending *p)
{
	RAN(p->graph, r);
#if CUPTI_API_VERSION >= 27
	p->graph.endDeviceId = p->graph.deviceId;
	p->graph.endContextId = p->graph.contextId;
#endif
	p->graph.graphId = exec_of(r->op);
	add(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, p, r->end_ns);
}

bool xs_cu_is_node_of(const struct xs_cu_pending *p, uint32_t correlation)
{
	switch (p->any.kind) {
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return p->copy.correlationId == correlation;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return p->set.correlationId == correlation;
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return p->kernel.correlationId == correlation;
	default:
		return false;
	}
}

void xs_cu_end_late(struct xs_cu_pending *p)
{
	const uint64_t late_ns = 300000;

	if (p->any.kind == CUPTI_ACTIVITY_KIND_MEMCPY)
		p->copy.end += late_ns;
	else if (p->any.kind == CUPTI_ACTIVITY_KIND_MEMSET)
		p->set.end += late_ns;
	else
		p->kernel.end += late_ns;
}

static bool is_peer(const struct xs_sim_copy *copy)
{
	return copy->src_device != copy->dst_device &&
	       !on_host(copy->src_memory) && !on_host(copy->dst_memory);
}

/* One of the two records of a copy between devices through the host: out of one
 * for the first half of its time, then into the other. */
static void record_part(const struct xs_sim_record *record, bool out)
{
	const struct xs_sim_copy *copy = &record->op->copy;
	const uint64_t middle_ns =
	    record->start_ns + (record->end_ns - record->start_ns) / 2;
	struct xs_cu_pending *p = calloc(1, sizeof(*p));
	struct xs_sim_record part = *record;

	if (!p)
		return;
	part.device = out ? copy->src_device : copy->dst_device;
	if (out)
		part.end_ns = middle_ns;
	else
		part.start_ns = middle_ns;
	add_copy(&part, p);
	p->copy.copyKind = out ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
			       : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
}

/* Returns the function that makes the record, if its kind is enabled. */
static void (*maker(const struct xs_sim_record *r))(
    const struct xs_sim_record *, struct xs_cu_pending *)
{
	switch (r->kind) {
	case XS_SIM_COPY:
		if (is_peer(&r->op->copy))
			return xs_cu_wants(CUPTI_ACTIVITY_KIND_MEMCPY2)
				   ? add_peer_copy
				   : NULL;
		return xs_cu_wants(CUPTI_ACTIVITY_KIND_MEMCPY) ? add_copy
							       : NULL;
	case XS_SIM_SET:
		return xs_cu_wants(CUPTI_ACTIVITY_KIND_MEMSET) ? add_set : NULL;
	case XS_SIM_KERNEL:
		return xs_cu_wants(CUPTI_ACTIVITY_KIND_KERNEL) ||
			       xs_cu_wants(
				   CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			   ? add_kernel
			   : NULL;
	case XS_SIM_MIGRATION:
		return xs_cu_wants(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
			   ? add_migration
			   : NULL;
	case XS_SIM_GRAPH:
		return add_graph;
	default:
		return NULL;
	}
}

bool xs_cu_saw_graph(void)
{
	return atomic_load(&graphs);
}

static bool is_staged(const struct xs_sim_record *record)
{
	return record->kind == XS_SIM_COPY && is_peer(&record->op->copy) &&
	       getenv("XS_SIM_NO_PEER_ACCESS") &&
	       xs_cu_wants(CUPTI_ACTIVITY_KIND_MEMCPY);
}

void xs_cu_record(const struct xs_sim_record *record)
{
	const bool staged = is_staged(record);
	void (*make)(const struct xs_sim_record *, struct xs_cu_pending *) =
	    staged ? NULL : maker(record);
	struct xs_cu_pending *p = make ? calloc(1, sizeof(*p)) : NULL;

	if (record->op->graph_node && xs_cu_is_subscribed())
		atomic_store(&graphs, true);
	if (p)
		make(record, p);
	if (staged) {
		record_part(record, true);
		record_part(record, false);
	}
}

void xs_cu_api_record(const struct xs_sim_call *call)
{
	CUpti_ActivityKind kind = call->domain == CUPTI_CB_DOMAIN_DRIVER_API
				      ? CUPTI_ACTIVITY_KIND_DRIVER
				      : CUPTI_ACTIVITY_KIND_RUNTIME;
	struct xs_cu_pending *p =
	    xs_cu_wants(kind) ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return;
	p->api.cbid = call->cbid;
	p->api.start = call->start_ns;
	p->api.end = xs_sim_now_ns();
	p->api.processId = (uint32_t)getpid();
	p->api.threadId = (uint32_t)syscall(SYS_gettid);
	p->api.correlationId = call->correlation;
	p->api.returnValue = (uint32_t)call->result;
	add(kind, p, p->api.end);
}

#define CONVERT(record)                                                        \
	do {                                                                   \
		(record).start =                                               \
		    p->timeless ? 0 : xs_cu_ticks(line, (record).start);       \
		(record).end =                                                 \
		    p->timeless ? 0 : xs_cu_ticks(line, (record).end);         \
	} while (0)

void xs_cu_convert(struct xs_cu_pending *p, const struct xs_cu_line *line)
{
	switch (p->any.kind) {
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		CONVERT(p->copy);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		CONVERT(p->peer);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		CONVERT(p->set);
		break;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		CONVERT(p->migration);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		CONVERT(p->graph);
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		CONVERT(p->api);
		break;
	default:
		CONVERT(p->kernel);
		p->kernel.completed = p->kernel.end;
		break;
	}
}
