/* SPDX-License-Identifier: MIT */
#include "preload/events/timed.h"
#include "preload/util/intern.h"
#include "preload/util/pages.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WAIT_S 1

/* Its bytes are a key, so there is no padding. */
struct queue_key {
	const struct xs_timed_context *context;
	CUstream stream;
	uint64_t thread; /* only for a per-thread default stream */
};

/* Never held during a call of the driver. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stuck; /* its holder jumped out of a signal handler */
static struct xs_timed_context contexts[XS_TIMED_MAX_CONTEXTS];
static uint32_t context_count;
static struct xs_timed_queue queues[XS_TIMED_MAX_QUEUES];
static _Atomic uint32_t queue_count;
static struct xs_intern queue_numbers;

/* The lock is taken in each call, without a guard, which would take two system
 * calls. So a holder may be interrupted by a handler that jumps away: waits at
 * most WAIT_S, and after one timeout never again. Returns false then: calls
 * are no longer timed. */
static bool take_lock(void)
{
	struct timespec until;

	if (atomic_load(&stuck))
		return false;
	if (pthread_mutex_trylock(&lock) == 0)
		return true;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	if (pthread_mutex_timedlock(&lock, &until) == 0)
		return true;
	atomic_store(&stuck, true);
	return false;
}

static void free_lock(void)
{
	pthread_mutex_unlock(&lock);
}

bool xs_timed_is_capturing(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	return xs_event_api.capturing(stream, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

struct current {
	CUcontext handle;
	unsigned long long id;
	CUdevice device;
};

static bool get_current(struct current *now)
{
	*now = (struct current){0};
	if (xs_event_api.current(&now->handle) != CUDA_SUCCESS || !now->handle)
		return false;
	/* A new context may have the address of an old one. */
	return !xs_event_api.context_id ||
	       xs_event_api.context_id(now->handle, &now->id) == CUDA_SUCCESS;
}

static struct xs_timed_context *find_context(const struct current *now)
{
	for (uint32_t i = 0; i < context_count; i++)
		if (contexts[i].handle == now->handle &&
		    contexts[i].id == now->id)
			return &contexts[i];
	return NULL;
}

/* The caller holds the lock. */
static struct xs_timed_context *add_context(const struct current *now)
{
	struct xs_timed_context *context;
	struct xs_timed *all;

	if (context_count == XS_TIMED_MAX_CONTEXTS)
		return NULL;
	all = xs_pages_map(XS_TIMED_MAX * sizeof(*all));
	if (!all)
		return NULL;
	context = &contexts[context_count++];
	context->handle = now->handle;
	context->id = now->id;
	context->number = context_count;
	context->device = (uint32_t)now->device;
	context->all = all;
	return context;
}

/* The caller holds the lock. */
static struct xs_timed_queue *find_queue(struct xs_timed_context *context,
					 CUstream stream)
{
	struct queue_key key = {.context = context, .stream = stream};
	uint32_t count = atomic_load(&queue_count);
	struct xs_timed_queue *queue;
	uint32_t *slot;

	if (stream == CU_STREAM_PER_THREAD)
		key.thread = (uint64_t)syscall(SYS_gettid);
	slot = xs_intern_number(&queue_numbers, &key, sizeof(key));
	if (!slot || (*slot == 0 && count == XS_TIMED_MAX_QUEUES))
		return NULL;
	if (*slot)
		return &queues[*slot - 1];
	queue = &queues[count];
	*queue = (struct xs_timed_queue){.context = context,
					 .stream = stream,
					 .number = count + 1,
					 .last = &queue->first};
	if (stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
		xs_gpu_records_note_stream(context->number, queue->number,
					   stream == CU_STREAM_LEGACY
					       ? XS_QUEUE_DEFAULT
					       : XS_QUEUE_PER_THREAD);
	*slot = count + 1;
	atomic_store(&queue_count, count + 1);
	return queue;
}

/* The caller holds the lock. */
static struct xs_timed *take_slot(struct xs_timed_context *context)
{
	struct xs_timed *timed = context->free;

	if (timed)
		context->free = timed->next;
	else if (context->made < XS_TIMED_MAX)
		timed = &context->all[context->made++];
	return timed;
}

/* Events are reused and live as long as their context. */
static bool make_events(struct xs_timed *timed)
{
	return (timed->before ||
		xs_event_api.create(&timed->before, CU_EVENT_DEFAULT) ==
		    CUDA_SUCCESS) &&
	       (timed->after ||
		xs_event_api.create(&timed->after, CU_EVENT_DEFAULT) ==
		    CUDA_SUCCESS);
}

struct xs_timed_queue *xs_timed_allocate(CUstream stream,
					 struct xs_timed **timed)
{
	struct xs_timed_context *context;
	struct xs_timed_queue *queue = NULL;
	struct current now;

	*timed = NULL;
	if (!get_current(&now) ||
	    xs_event_api.device(&now.device) != CUDA_SUCCESS)
		return NULL;
	if (!take_lock())
		return NULL;
	context = find_context(&now);
	if (!context)
		context = add_context(&now);
	if (context)
		queue = find_queue(context, stream);
	if (queue)
		*timed = take_slot(context);
	free_lock();
	if (!*timed)
		return NULL;
	(*timed)->queue = queue;
	if (make_events(*timed))
		return queue;
	xs_timed_free(*timed);
	return NULL;
}

uint32_t xs_timed_enqueue(struct xs_timed *timed)
{
	struct xs_timed_queue *queue = timed->queue;
	uint32_t waiting;

	timed->next = NULL;
	if (!take_lock()) {
		xs_timed_count_untimed(1);
		return 1;
	}
	*queue->last = timed;
	queue->last = &timed->next;
	waiting = ++queue->waiting;
	free_lock();
	return waiting;
}

struct xs_timed *xs_timed_first(struct xs_timed_queue *queue)
{
	struct xs_timed *first;

	if (!take_lock())
		return NULL;
	first = queue->first;
	free_lock();
	return first;
}

bool xs_timed_drop_first(struct xs_timed_queue *queue)
{
	if (!take_lock())
		return false;
	queue->first = queue->first->next;
	if (!queue->first)
		queue->last = &queue->first;
	queue->waiting--;
	free_lock();
	return true;
}

void xs_timed_free(struct xs_timed *timed)
{
	struct xs_timed_context *context = timed->queue->context;

	if (!take_lock())
		return;
	timed->next = context->free;
	context->free = timed;
	free_lock();
}

struct xs_timed_context *xs_timed_context(void)
{
	struct xs_timed_context *context;
	struct current now;

	if (!get_current(&now) || !take_lock())
		return NULL;
	context = find_context(&now);
	free_lock();
	return context;
}

struct xs_timed_queue *xs_timed_queue_at(uint32_t index)
{
	return index < atomic_load(&queue_count) ? &queues[index] : NULL;
}

/* Its slots are neither reused nor read again. */
void xs_timed_drop_context(struct xs_timed_context *context)
{
	uint64_t missed = 0;

	while (atomic_exchange(&context->reading, true))
		sched_yield();
	if (!take_lock())
		return;
	context->handle = NULL;
	for (uint32_t i = 0; i < atomic_load(&queue_count); i++) {
		if (queues[i].context != context)
			continue;
		missed += queues[i].waiting;
		queues[i].waiting = 0;
		queues[i].first = NULL;
		queues[i].last = &queues[i].first;
	}
	free_lock();
	xs_timed_count_untimed(missed);
}

uint64_t xs_timed_waiting(void)
{
	uint64_t waiting = 0;

	const bool locked = take_lock();

	for (uint32_t i = 0; i < atomic_load(&queue_count); i++)
		waiting += queues[i].waiting;
	if (locked)
		free_lock();
	return waiting;
}
