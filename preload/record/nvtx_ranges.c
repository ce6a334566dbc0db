/* SPDX-License-Identifier: MIT */
#include "preload/record/nvtx_ranges.h"
#include "preload/record/abandoned_call.h"
#include "preload/record/nvtx_names.h"
#include "preload/sampling/capture_mode.h"
#include "preload/trace/session.h"
#include "preload/trace/thread.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"
#include "preload/util/pages.h"

#include <errno.h>
#include <pthread.h>

struct range {
	uint64_t start_ns;
	uint32_t domain, name; /* name 0: it has none, and is lost */
	uint32_t beyond; /* open ranges of the domain in it without room */
};

/* The open ranges of a thread: two pages. */
#define MOST_DEPTH 340u

/* Numbers are read once: a signal handler may pop, or push, in between. */
struct stack {
	_Atomic uint32_t depth;
	struct range ranges[MOST_DEPTH];
};
_Static_assert(sizeof(struct stack) <= 8192, "two pages");

static _Thread_local struct stack *own_stack
    __attribute__((tls_model("initial-exec")));
static pthread_key_t end_key;
static atomic_bool is_open;

/* The open ranges of the process. id: 0 if free, TAKEN while it is filled or
 * read. The place of an id is in its low bits. */
#define PLACES 1024u
#define TRIES  8
#define TAKEN  1u

static struct {
	_Atomic uint64_t id;
	struct range range;
} started[PLACES];

static _Atomic uint64_t next_id = 1;
static _Atomic uint64_t lost;

static void lose(void)
{
	atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
}

uint64_t xs_nvtx_take_lost(void)
{
	return atomic_exchange(&lost, 0);
}

static void end_thread(void *stack)
{
	own_stack = NULL;
	munmap(stack, sizeof(struct stack));
}

bool xs_nvtx_ranges_open(void)
{
	static atomic_bool opens;

	if (!xs_nvtx_names_open())
		return false;
	if (!atomic_exchange(&opens, true) &&
	    !pthread_key_create(&end_key, end_thread))
		atomic_store(&is_open, true);
	return atomic_load(&is_open);
}

static void make_stack(void *unused)
{
	struct stack *stack = xs_pages_map(sizeof(*stack));

	(void)unused;
	if (!stack)
		return;
	if (pthread_setspecific(end_key, stack))
		munmap(stack, sizeof(*stack));
	else
		own_stack = stack;
}

static bool is_off(void)
{
	return xs_relaxed(&xs_session_state) == XS_SESSION_OFF;
}

static bool is_recorded(void)
{
	return xs_relaxed(&xs_capture_mode_now) == XS_CAPTURE_RECORDED;
}

bool xs_nvtx_wants_names(void)
{
	return !is_off() && is_recorded();
}

/* Returns the last of the first `depth` ranges that is of the domain, or
 * NULL. */
static struct range *last_of(struct stack *stack, uint32_t depth,
			     uint32_t domain)
{
	for (; depth > 0; depth--)
		if (stack->ranges[depth - 1].domain == domain)
			return &stack->ranges[depth - 1];
	return NULL;
}

/* The next pop of the domain is of this range. Where the stack has none of the
 * domain, that pop finds none, too. */
static void push_beyond(struct stack *stack, uint32_t domain)
{
	struct range *last = last_of(stack, MOST_DEPTH, domain);

	if (last)
		last->beyond++;
	lose();
}

/* A signal handler that pushes and pops in between leaves the stack as it was.
 */
void xs_nvtx_push(uint32_t domain, uint32_t name)
{
	const int kept_errno = errno;
	uint32_t depth;

	if (is_off())
		return;
	if (XS_UNLIKELY(!own_stack)) {
		xs_guard_run(make_stack, NULL);
		errno = kept_errno;
	}
	if (!own_stack) {
		lose();
		return;
	}
	depth = xs_relaxed(&own_stack->depth);
	if (depth == MOST_DEPTH) {
		push_beyond(own_stack, domain);
	} else {
		xs_relaxed_set(&own_stack->depth, depth + 1);
		atomic_signal_fence(memory_order_seq_cst);
		own_stack->ranges[depth] =
		    (struct range){xs_clock_realtime_ns(), domain, name, 0};
	}
}

/* Takes the last range of the domain off the stack. Returns false if that one
 * found no room, or if there is none. */
static bool take(struct stack *stack, uint32_t domain, struct range *range)
{
	const uint32_t depth = xs_relaxed(&stack->depth);
	struct range *last = last_of(stack, depth, domain);

	if (!last)
		return false;
	if (last->beyond) {
		last->beyond--;
		return false;
	}
	*range = *last;
	for (; last + 1 < stack->ranges + depth; last++)
		*last = last[1];
	atomic_signal_fence(memory_order_seq_cst);
	xs_relaxed_set(&stack->depth, depth - 1);
	return true;
}

struct ended {
	struct xs_thread *thread; /* first: see xs_thread_begin_hook() */
	const struct range *range;
	xs_u8 kind;
	uint64_t end_ns;
};

static int write_range(struct xs_thread *thread, const struct ended *ended)
{
	struct xs_writer *writer = &thread->writer;
	struct xs_rec_nvtx record = {.kind = ended->kind,
				     .words = sizeof(record) / 4};
	uint32_t domain;

	xs_thread_open(thread, &xs_session_trace);
	if (xs_thread_name(thread))
		return -ENOSPC;
	domain = xs_nvtx_name_string(ended->range->domain, writer);
	record.name = xs_nvtx_name_string(ended->range->name, writer);
	if (!record.name || !domain != !ended->range->domain)
		return -ENOSPC;
	return xs_writer_timed(writer, &record, domain, ended->range->start_ns,
			       ended->end_ns);
}

/* As a call: one in a signal handler sees that it is nested, and can tell if
 * the handler of another one has left this one with a jump. */
static void write_ended(xs_u8 kind, const struct range *range)
{
	struct xs_thread *thread = xs_thread_get();
	const struct ended ended = {thread, range, kind,
				    xs_clock_realtime_ns()};
	const void *outer = thread->inside;
	const int kept_errno = errno;

	if (thread->busy && !xs_abandoned_call_drop(thread, &ended)) {
		lose();
	} else {
		thread->inside = &ended;
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = true;
		if (!range->name || write_range(thread, &ended))
			lose();
		thread->busy = false;
		atomic_signal_fence(memory_order_seq_cst);
		thread->inside = outer;
	}
	errno = kept_errno;
}

static void record(xs_u8 kind, const struct range *range)
{
	if (range->name != XS_NVTX_UNWANTED && xs_session_is_recording() &&
	    is_recorded())
		write_ended(kind, range);
}

void xs_nvtx_pop(uint32_t domain)
{
	struct range range;

	if (own_stack && take(own_stack, domain, &range))
		record(XS_REC_nvtx, &range);
}

uint64_t xs_nvtx_start(uint32_t domain, uint32_t name)
{
	const uint64_t first = atomic_fetch_add(&next_id, TRIES);

	for (uint64_t id = first; !is_off() && id < first + TRIES; id++) {
		const uint64_t place = id % PLACES;
		uint64_t none = 0;

		if (!atomic_compare_exchange_strong(&started[place].id, &none,
						    TAKEN))
			continue;
		started[place].range =
		    (struct range){xs_clock_realtime_ns(), domain, name, 0};
		atomic_store(&started[place].id, id + PLACES);
		return id + PLACES; /* not TAKEN */
	}
	lose();
	return 0;
}

void xs_nvtx_end(uint64_t id)
{
	const uint64_t place = id % PLACES;
	uint64_t expected = id;
	struct range range;

	if (id <= TAKEN || !atomic_compare_exchange_strong(&started[place].id,
							   &expected, TAKEN))
		return;
	range = started[place].range;
	atomic_store(&started[place].id, 0);
	record(XS_REC_nvtx_process, &range);
}
