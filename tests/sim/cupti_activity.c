/* SPDX-License-Identifier: MIT */
/* Activity records. They wait in a list until their end, and are delivered in
 * the user's buffers on request, or when many are complete: from a thread of
 * the simulator, as CUPTI does it. */
#include "tests/sim/cupti_pending.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GATHERED 4096 /* records that start a flush */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gathered = PTHREAD_COND_INITIALIZER;
/* Held while buffers are filled and delivered; never together with `lock`. */
static pthread_mutex_t flush_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_cu_pending *first, **last = &first;
static size_t pending_count, dropped;
/* XS_SIM_CUPTI_SPARE: a buffer that is requested before it is needed. */
static struct {
	uint8_t *buffer;
	size_t bytes, most;
} spare;
static atomic_bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
static CUpti_BuffersCallbackRequestFunc request_buffer;
static CUpti_BuffersCallbackCompleteFunc complete_buffer;

bool xs_cu_wants(CUpti_ActivityKind kind)
{
	return atomic_load(&enabled[kind]);
}

void xs_cu_add(struct xs_cu_pending *record)
{
	pthread_mutex_lock(&lock);
	*last = record;
	last = &record->next;
	if (++pending_count == GATHERED)
		pthread_cond_signal(&gathered);
	pthread_mutex_unlock(&lock);
}

void xs_cu_lose_times(void)
{
	pthread_mutex_lock(&lock);
	for (struct xs_cu_pending *p = first; p; p = p->next)
		p->timeless = p->any.kind != CUPTI_ACTIVITY_KIND_RUNTIME &&
			      p->any.kind != CUPTI_ACTIVITY_KIND_DRIVER;
	pthread_mutex_unlock(&lock);
}

void xs_cu_spoil(uint32_t correlation)
{
	struct xs_cu_pending *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct xs_cu_pending *p = first; p; p = p->next)
		if (xs_cu_is_node_of(p, correlation))
			found = p;
	if (found)
		xs_cu_end_late(found);
	pthread_mutex_unlock(&lock);
}

/* Removes the complete records from the list; if forced all of them, the
 * incomplete ones without times, unless XS_SIM_CUPTI_COMPLETE is set. */
static struct xs_cu_pending *detach(bool forced)
{
	const bool all = forced && !getenv("XS_SIM_CUPTI_COMPLETE");
	struct xs_cu_pending *list = NULL, **list_last = &list, **at = &first;
	uint64_t now;

	pthread_mutex_lock(&lock);
	/* under the lock: no record of an op that ends after it is in the list
	 * because this thread did not run */
	now = xs_sim_now_ns();
	while (*at) {
		struct xs_cu_pending *p = *at;

		if (!all && p->end_ns > now) {
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

static void drop(struct xs_cu_pending *p)
{
	while (p) {
		struct xs_cu_pending *next = p->next;

		free(p);
		p = next;
		dropped++;
	}
}

/* XS_SIM_CUPTI_DROP: the first records, so many, are dropped. Returns the
 * others. */
static struct xs_cu_pending *drop_first(struct xs_cu_pending *p)
{
	static unsigned long to_drop = ULONG_MAX;
	const char *text = getenv("XS_SIM_CUPTI_DROP");

	if (to_drop == ULONG_MAX)
		to_drop = text ? strtoul(text, NULL, 10) : 0;
	while (p && to_drop > 0) {
		struct xs_cu_pending *next = p->next;

		p->next = NULL;
		drop(p);
		p = next;
		to_drop--;
	}
	return p;
}

static atomic_bool zeroed; /* by the client */

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
				      size_t *bytes, void *value)
{
	uint8_t on = 0;

	if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER ||
	    !bytes || *bytes != sizeof(on) || !value)
		return CUPTI_ERROR_INVALID_PARAMETER;
	memcpy(&on, value, sizeof(on));
	atomic_store(&zeroed, on);
	return CUPTI_SUCCESS;
}

/* If the client declared its buffers zeroed, one that is not ends the
 * program. */
static void make_zero(uint8_t *buffer, size_t bytes)
{
	if (!buffer)
		return;
	if (!atomic_load(&zeroed)) {
		memset(buffer, 0, bytes);
		return;
	}
	for (size_t i = 0; i < bytes; i++) {
		if (buffer[i]) {
			fputs("a buffer is not zeroed\n", stderr);
			abort();
		}
	}
}

/* An old spare buffer is used first, whoever its owner was. */
static void take_buffer(uint8_t **buffer, size_t *bytes, size_t *most)
{
	*buffer = spare.buffer;
	*bytes = spare.bytes;
	*most = spare.most;
	spare.buffer = NULL;
	if (!*buffer && request_buffer) {
		request_buffer(buffer, bytes, most);
		make_zero(*buffer, *bytes);
	}
}

static void ask_ahead(void)
{
	if (getenv("XS_SIM_CUPTI_SPARE") && !spare.buffer && request_buffer)
		request_buffer(&spare.buffer, &spare.bytes, &spare.most);
	make_zero(spare.buffer, spare.bytes);
}

/* XS_SIM_CUPTI_HELD: only the last of this many flushes in a row delivers
 * records, as if the current buffer nearly always had a running op. */
static bool is_held(bool forced)
{
	static _Atomic unsigned long asked;
	const char *text = getenv("XS_SIM_CUPTI_HELD");
	const unsigned long each = text ? strtoul(text, NULL, 10) : 0;

	return each && !forced && (atomic_fetch_add(&asked, 1) + 1) % each;
}

/* XS_SIM_CUPTI_FLUSHED: this file begins with the start of the last flush whose
 * records were all delivered, in ns. */
static void note_flushed(uint64_t start_ns)
{
	static uint64_t *flushed_ns;
	static bool opened;
	const char *path = getenv("XS_SIM_CUPTI_FLUSHED");

	if (!opened && path) {
		const int file = open(path, O_RDWR | O_CLOEXEC);
		void *memory =
		    mmap(NULL, sizeof(*flushed_ns), PROT_READ | PROT_WRITE,
			 MAP_SHARED, file, 0);

		flushed_ns = memory == MAP_FAILED ? NULL : memory;
		if (file >= 0)
			close(file);
	}
	opened = true;
	if (flushed_ns)
		__atomic_store_n(flushed_ns, start_ns, __ATOMIC_RELEASE);
}

static void flush(bool forced)
{
	struct xs_cu_line line;
	struct xs_cu_pending *p;
	uint64_t start_ns;

	if (is_held(forced))
		return;
	pthread_mutex_lock(&flush_lock);
	start_ns = xs_sim_now_ns();
	p = drop_first(detach(forced));
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
			struct xs_cu_pending *next = p->next;

			xs_cu_convert(p, &line);
			memcpy(buffer + used, &p->any, p->bytes);
			used += p->bytes;
			records++;
			free(p);
			p = next;
		}
		complete_buffer(NULL, 0, buffer, bytes, used);
		ask_ahead();
	}
	note_flushed(start_ns);
	pthread_mutex_unlock(&flush_lock);
}

static void *flusher(void *unused)
{
	for (;;) {
		struct timespec until;
		bool due = false;

		clock_gettime(CLOCK_REALTIME, &until);
		pthread_mutex_lock(&lock);
		until.tv_sec++;
		if (pending_count < GATHERED || getenv("XS_SIM_CUPTI_HELD"))
			pthread_cond_timedwait(&gathered, &lock, &until);
		due = pending_count >= GATHERED;
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

/* XS_SIM_CUPTI_SUBSCRIBE_FAIL=all: as in a process started by ncu. */
static bool is_taken(void)
{
	const char *taken = getenv("XS_SIM_CUPTI_SUBSCRIBE_FAIL");

	return taken && strcmp(taken, "all") == 0;
}

/* A graph was launched with records on, and then they were switched off. */
static atomic_bool graphs_spoiled;

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
	if (!on && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
	    xs_cu_saw_graph())
		atomic_store(&graphs_spoiled, true);
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

/* One context per device: all of them change. */
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
	if (atomic_load(&graphs_spoiled)) {
		fputs("cuptiFinalize with records off after a graph: what the "
		      "program does next fails\n",
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

/* XS_SIM_CUPTI_MANAGED_FAIL: as on an unsupported system. */
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

/* XS_SIM_CUPTI_LEFT: prints the number of flushes. */
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

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
				       CUpti_Activity **record)
{
	uint8_t *next = buffer;

	if (*record)
		next = (uint8_t *)*record + xs_cu_record_bytes((*record)->kind);
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
