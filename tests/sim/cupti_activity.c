/* SPDX-License-Identifier: MIT */
/*
 * Activity records. They wait in a list until the moment of their end has
 * come, and are handed over in the user's buffers when asked for, when the
 * flush period is over, or when many have gathered: from a thread of ours, as
 * CUPTI does it.
 */
#include "tests/sim/cupti_sim.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GATHERED 4096 /* records that start a flush */

struct pending {
	struct pending *next;
	uint64_t end_ns;
	size_t bytes;
	bool timeless;
	union {
		CUpti_Activity any;
		xs_cu_kernel kernel;
		xs_cu_copy copy;
		CUpti_ActivityMemcpyPtoP4 peer;
		CUpti_ActivityMemset4 set;
		xs_cu_migration migration;
		CUpti_ActivityAPI api;
	};
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gathered = PTHREAD_COND_INITIALIZER;
/* Held while buffers are filled and handed over, never with the other. */
static pthread_mutex_t flush_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending *first, **last = &first;
static size_t pending_count, dropped;
/* XS_SIM_CUPTI_SPARE: a buffer that was asked for before it is needed. */
static struct {
	uint8_t *buffer;
	size_t bytes, most;
} spare;
static uint32_t period_ms;
static atomic_bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
static CUpti_BuffersCallbackRequestFunc request_buffer;
static CUpti_BuffersCallbackCompleteFunc complete_buffer;
static atomic_bool graphs; /* something of one was done meanwhile */

static size_t record_bytes(CUpti_ActivityKind kind)
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
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	default:
		return 0;
	}
}

static void add(CUpti_ActivityKind kind, struct pending *record,
		uint64_t end_ns)
{
	record->any.kind = kind;
	record->bytes = record_bytes(kind);
	record->end_ns = end_ns;
	pthread_mutex_lock(&lock);
	*last = record;
	last = &record->next;
	if (++pending_count == GATHERED)
		pthread_cond_signal(&gathered);
	pthread_mutex_unlock(&lock);
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

static void add_copy(const struct xs_sim_record *r, struct pending *p)
{
	const struct xs_sim_copy *copy = &r->op->copy;

	p->copy.copyKind = copy_kind(copy);
	p->copy.srcKind = (uint8_t)copy->src_memory;
	p->copy.dstKind = (uint8_t)copy->dst_memory;
	p->copy.flags = copy->async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
	p->copy.bytes = (uint64_t)copy->width * copy->height * copy->depth;
	p->copy.start = r->start_ns;
	p->copy.end = r->end_ns;
	p->copy.deviceId = (uint32_t)r->device;
	p->copy.contextId = (uint32_t)r->device + 1;
	p->copy.streamId = r->stream;
	p->copy.correlationId = r->correlation;
#if CUPTI_API_VERSION >= 130000
	p->copy.copyCount = 1;
#endif
	p->copy.graphNodeId = r->op->graph_node;
	add(CUPTI_ACTIVITY_KIND_MEMCPY, p, r->end_ns);
}

static void add_peer_copy(const struct xs_sim_record *r, struct pending *p)
{
	const struct xs_sim_copy *copy = &r->op->copy;

	p->peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
	p->peer.srcKind = (uint8_t)copy->src_memory;
	p->peer.dstKind = (uint8_t)copy->dst_memory;
	p->peer.flags = copy->async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
	p->peer.bytes = (uint64_t)copy->width * copy->height * copy->depth;
	p->peer.start = r->start_ns;
	p->peer.end = r->end_ns;
	p->peer.deviceId = (uint32_t)r->device;
	p->peer.contextId = (uint32_t)r->device + 1;
	p->peer.streamId = r->stream;
	p->peer.srcDeviceId = (uint32_t)copy->src_device;
	p->peer.srcContextId = (uint32_t)copy->src_device + 1;
	p->peer.dstDeviceId = (uint32_t)copy->dst_device;
	p->peer.dstContextId = (uint32_t)copy->dst_device + 1;
	p->peer.correlationId = r->correlation;
	p->peer.graphNodeId = r->op->graph_node;
	add(CUPTI_ACTIVITY_KIND_MEMCPY2, p, r->end_ns);
}

static void add_set(const struct xs_sim_record *r, struct pending *p)
{
	const struct xs_sim_set *set = &r->op->set;
	struct xs_sim_range range;

	p->set.value = set->value;
	p->set.bytes = (uint64_t)set->width * set->height;
	p->set.start = r->start_ns;
	p->set.end = r->end_ns;
	p->set.deviceId = (uint32_t)r->device;
	p->set.contextId = (uint32_t)r->device + 1;
	p->set.streamId = r->stream;
	p->set.correlationId = r->correlation;
	p->set.graphNodeId = r->op->graph_node;
	p->set.flags = set->async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : 0;
	p->set.memoryKind = xs_sim_find(set->dst, &range)
				? (uint16_t)range.memory
				: CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
	add(CUPTI_ACTIVITY_KIND_MEMSET, p, r->end_ns);
}

static void add_kernel(const struct xs_sim_record *r, struct pending *p)
{
	const struct xs_sim_launch *launch = &r->op->launch;
	struct xs_sim_function_info info;

	xs_sim_function_info(launch->function, &info);
	p->kernel.registersPerThread = (uint16_t)info.registers;
	p->kernel.start = r->start_ns;
	p->kernel.end = p->kernel.completed = r->end_ns;
	p->kernel.deviceId = (uint32_t)r->device;
	p->kernel.contextId = (uint32_t)r->device + 1;
	p->kernel.streamId = r->stream;
	p->kernel.gridX = (int32_t)launch->grid[0];
	p->kernel.gridY = (int32_t)launch->grid[1];
	p->kernel.gridZ = (int32_t)launch->grid[2];
	p->kernel.blockX = (int32_t)launch->block[0];
	p->kernel.blockY = (int32_t)launch->block[1];
	p->kernel.blockZ = (int32_t)launch->block[2];
	p->kernel.staticSharedMemory = (int32_t)info.shared_bytes;
	p->kernel.dynamicSharedMemory = (int32_t)launch->shared_bytes;
	p->kernel.localMemoryPerThread = (uint32_t)info.local_bytes;
	p->kernel.correlationId = r->correlation;
	p->kernel.graphNodeId = r->op->graph_node;
	p->kernel.name = info.name;
	add(atomic_load(&enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL])
		? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
		: CUPTI_ACTIVITY_KIND_KERNEL,
	    p, r->end_ns);
}

/* The host is device -1 here. */
static void add_migration(const struct xs_sim_record *r, struct pending *p)
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

static bool is_peer(const struct xs_sim_copy *copy)
{
	return copy->src_device != copy->dst_device &&
	       !on_host(copy->src_memory) && !on_host(copy->dst_memory);
}

/* The function that makes the record, where its kind is wanted. */
static void (*maker(const struct xs_sim_record *r))(
    const struct xs_sim_record *, struct pending *)
{
	switch (r->kind) {
	case XS_SIM_COPY:
		if (is_peer(&r->op->copy))
			return atomic_load(
				   &enabled[CUPTI_ACTIVITY_KIND_MEMCPY2])
				   ? add_peer_copy
				   : NULL;
		return atomic_load(&enabled[CUPTI_ACTIVITY_KIND_MEMCPY])
			   ? add_copy
			   : NULL;
	case XS_SIM_SET:
		return atomic_load(&enabled[CUPTI_ACTIVITY_KIND_MEMSET])
			   ? add_set
			   : NULL;
	case XS_SIM_KERNEL:
		return atomic_load(&enabled[CUPTI_ACTIVITY_KIND_KERNEL]) ||
			       atomic_load(
				   &enabled
				       [CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL])
			   ? add_kernel
			   : NULL;
	case XS_SIM_MIGRATION:
		return atomic_load(
			   &enabled[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER])
			   ? add_migration
			   : NULL;
	default:
		return NULL;
	}
}

void xs_cu_record(const struct xs_sim_record *record)
{
	void (*make)(const struct xs_sim_record *, struct pending *) =
	    maker(record);
	struct pending *p = make ? calloc(1, sizeof(*p)) : NULL;

	if (record->op->graph_node && xs_cu_is_subscribed())
		atomic_store(&graphs, true);
	if (p)
		make(record, p);
}

void xs_cu_api_record(const struct xs_sim_call *call)
{
	CUpti_ActivityKind kind = call->domain == CUPTI_CB_DOMAIN_DRIVER_API
				      ? CUPTI_ACTIVITY_KIND_DRIVER
				      : CUPTI_ACTIVITY_KIND_RUNTIME;
	struct pending *p =
	    atomic_load(&enabled[kind]) ? calloc(1, sizeof(*p)) : NULL;

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

void xs_cu_lose_times(void)
{
	pthread_mutex_lock(&lock);
	for (struct pending *p = first; p; p = p->next)
		p->timeless = p->any.kind != CUPTI_ACTIVITY_KIND_RUNTIME &&
			      p->any.kind != CUPTI_ACTIVITY_KIND_DRIVER;
	pthread_mutex_unlock(&lock);
}

#define CONVERT(record)                                                        \
	do {                                                                   \
		(record).start =                                               \
		    p->timeless ? 0 : xs_cu_ticks(line, (record).start);       \
		(record).end =                                                 \
		    p->timeless ? 0 : xs_cu_ticks(line, (record).end);         \
	} while (0)

/* Into CUPTI's clock. */
static void convert(struct pending *p, const struct xs_cu_line *line)
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

/* Takes out the records that are complete; when forced all of them, and the
 * others have no times. */
static struct pending *detach(bool forced)
{
	uint64_t now = xs_sim_now_ns();
	struct pending *list = NULL, **list_last = &list, **at = &first;

	pthread_mutex_lock(&lock);
	while (*at) {
		struct pending *p = *at;

		if (!forced && p->end_ns > now) {
			at = &p->next;
			continue;
		}
		p->timeless |= p->end_ns > now;
		*at = p->next;
		p->next = NULL;
		*list_last = p;
		list_last = &p->next;
		pending_count--;
	}
	last = at;
	pthread_mutex_unlock(&lock);
	return list;
}

static void drop(struct pending *p)
{
	while (p) {
		struct pending *next = p->next;

		free(p);
		p = next;
		dropped++;
	}
}

/* Whoever owned the buffers then, an old spare is used first. */
static void take_buffer(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = spare.buffer;
	*bytes = spare.bytes;
	*most = spare.most;
	spare.buffer = NULL;
	if (!*buffer && request_buffer)
		request_buffer(buffer, bytes, most);
}

static void ask_ahead(void)
{
	if (getenv("XS_SIM_CUPTI_SPARE") && !spare.buffer && request_buffer)
		request_buffer(&spare.buffer, &spare.bytes, &spare.most);
}

static void flush(bool forced)
{
	struct xs_cu_line line;
	struct pending *p;

	pthread_mutex_lock(&flush_lock);
	p = detach(forced);
	line = xs_cu_read_clock();
	while (p) {
		uint8_t *buffer = NULL;
		size_t bytes = 0, most = 0, used = 0, records = 0;

		take_buffer(&buffer, &bytes, &most);
		if (!buffer || bytes < p->bytes) {
			drop(p);
			break;
		}
		while (p && used + p->bytes <= bytes &&
		       (most == 0 || records < most)) {
			struct pending *next = p->next;

			convert(p, &line);
			memcpy(buffer + used, &p->any, p->bytes);
			used += p->bytes;
			records++;
			free(p);
			p = next;
		}
		complete_buffer(NULL, 0, buffer, bytes, used);
		ask_ahead();
	}
	pthread_mutex_unlock(&flush_lock);
}

static void *flusher(void *unused)
{
	for (;;) {
		struct timespec until;
		bool due = false;

		clock_gettime(CLOCK_REALTIME, &until);
		pthread_mutex_lock(&lock);
		until.tv_sec += period_ms ? period_ms / 1000 : 1;
		until.tv_nsec += (long)(period_ms % 1000) * 1000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		if (pending_count < GATHERED)
			pthread_cond_timedwait(&gathered, &lock, &until);
		due = pending_count >= GATHERED || period_ms;
		pthread_mutex_unlock(&lock);
		if (due)
			flush(false);
	}
	return unused;
}

static void start_flusher(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, flusher, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
			       CUpti_BuffersCallbackCompleteFunc completed)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (!requested || !completed)
		return CUPTI_ERROR_INVALID_PARAMETER;
	request_buffer = requested;
	complete_buffer = completed;
	xs_cu_attach();
	pthread_once(&once, start_flusher);
	return CUPTI_SUCCESS;
}

/* XS_SIM_CUPTI_SUBSCRIBE_FAIL=all: as in a process that ncu started. */
static bool is_taken(void)
{
	const char *taken = getenv("XS_SIM_CUPTI_SUBSCRIBE_FAIL");

	return taken && strcmp(taken, "all") == 0;
}

static CUptiResult set_kind(CUpti_ActivityKind kind, bool on)
{
	xs_cu_must_be_attached(on ? "cuptiActivityEnable"
				  : "cuptiActivityDisable");
	if (is_taken())
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	if (kind <= CUPTI_ACTIVITY_KIND_INVALID ||
	    kind >= CUPTI_ACTIVITY_KIND_COUNT)
		return CUPTI_ERROR_INVALID_KIND;
	xs_cu_attach();
	atomic_store(&enabled[kind], on);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	return set_kind(kind, true);
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	return set_kind(kind, false);
}

CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
	return set_kind(kind, true);
}

/* One context a device: all of them are switched. */
CUptiResult cuptiActivityEnableContext(CUcontext context,
				       CUpti_ActivityKind kind)
{
	return context ? set_kind(kind, true) : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityDisableContext(CUcontext context,
					CUpti_ActivityKind kind)
{
	return context ? set_kind(kind, false) : CUPTI_ERROR_INVALID_PARAMETER;
}

void xs_cu_forget_records(void)
{
	if (atomic_load(&graphs)) {
		fputs("cuptiFinalize after a graph: what the program does "
		      "next fails\n",
		      stderr);
		abort();
	}
	for (size_t kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		atomic_store(&enabled[kind], false);
	pthread_mutex_lock(&flush_lock);
	request_buffer = NULL;
	complete_buffer = NULL;
	pthread_mutex_unlock(&flush_lock);
}

/* XS_SIM_CUPTI_MANAGED_FAIL: as on a system that cannot tell. */
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
    CUpti_ActivityUnifiedMemoryCounterConfig *config, uint32_t count)
{
	xs_cu_must_be_attached(__func__);
	if (!config || !count)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (getenv("XS_SIM_CUPTI_MANAGED_FAIL"))
		return CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED;
	return CUPTI_SUCCESS;
}

static _Atomic unsigned flushes;

/* XS_SIM_CUPTI_LEFT: how many were asked for. */
__attribute__((destructor)) static void tell_flushes(void)
{
	if (getenv("XS_SIM_CUPTI_LEFT"))
		fprintf(stderr, "flushes: %u\n", atomic_load(&flushes));
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	xs_cu_must_be_attached(__func__);
	atomic_fetch_add(&flushes, 1);
	flush(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(uint32_t time)
{
	pthread_mutex_lock(&lock);
	period_ms = time;
	pthread_cond_signal(&gathered);
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
				       CUpti_Activity **record)
{
	uint8_t *next = buffer;

	if (*record)
		next = (uint8_t *)*record + record_bytes((*record)->kind);
	if (next >= buffer + valid_bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context,
					      uint32_t stream, size_t *count)
{
	(void)context, (void)stream;
	*count = dropped;
	dropped = 0;
	return CUPTI_SUCCESS;
}
