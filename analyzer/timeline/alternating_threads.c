/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/alternating_threads.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* A thread, and if it stands for a set of threads, what is known of the set. */
struct member {
	uint32_t thread; /* kernel thread id */
	uint32_t set;	 /* number of a thread; its own: it stands for the set
			  */
	uint32_t last;	 /* number of the thread that made the last call */
	uint64_t end_ns; /* of all calls so far */
	uint32_t threads, turns; /* number of threads, and how often another one
				  * made the next call */
	uint32_t overlaps;	 /* turns that began within a call, of threads
				  * that work */
	bool works;		 /* it launches or waits; others only copy for
				  * those that do */
};

/* Turns of each thread, in the mean, from which threads take turns. */
#define LEAST_TURNS 3

/* Of so many turns, one may begin within a call of another thread. */
#define TURNS_OF_AN_OVERLAP 20

struct turns {
	struct xs_trace *trace;
	struct member *members; /* by number of the thread */
	size_t count;
	uint32_t *numbers; /* by call: of its thread */
};

static void add_member(struct turns *t, uint32_t thread)
{
	const struct member member = {.thread = thread,
				      .set = (uint32_t)t->count};

	XS_ARRAY_ADD(t->members, t->count, member);
}

static void number_threads(struct turns *t)
{
	const size_t count = t->trace->call_count;
	struct xs_key *keys = xs_calloc(count + 1, sizeof(*keys));
	bool *blocked = xs_calls_blocked(t->trace);

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){t->trace->calls[i].thread, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		const uint32_t call = keys[i].index;
		const uint8_t call_class = t->trace->calls[call].call_class;

		if (i == 0 || keys[i].key != keys[i - 1].key)
			add_member(t, (uint32_t)keys[i].key);
		t->numbers[call] = (uint32_t)t->count - 1;
		t->members[t->count - 1].works |=
		    blocked[call] || call_class == XS_CALL_LAUNCH ||
		    call_class == XS_CALL_GRAPH_LAUNCH;
	}
	free(blocked);
	free(keys);
}

/* Returns the thread that stands for the set of a thread. */
static uint32_t set_of(struct turns *t, uint32_t number)
{
	struct member *members = t->members;

	while (members[number].set != number) {
		members[number].set = members[members[number].set].set;
		number = members[number].set;
	}
	return number;
}

/* Puts threads that issue ops to a common queue into one set. */
static void join_users_of_queues(struct turns *t)
{
	const struct xs_trace *trace = t->trace;
	uint32_t *first = xs_malloc((trace->queue_count + 1) * sizeof(*first));

	for (size_t i = 0; i < trace->queue_count; i++)
		first[i] = XS_NONE;
	XS_EACH(op, trace->ops, trace->op_count) {
		uint32_t number;

		if (op->call == XS_NONE)
			continue;
		number = t->numbers[op->call];
		if (first[op->queue] == XS_NONE)
			first[op->queue] = number;
		t->members[set_of(t, number)].set = set_of(t, first[op->queue]);
	}
	free(first);
}

/* Puts a thread whose stream waits for an event into the set of the thread that
 * recorded it last. Calls are sorted by start. */
static void join_waiters(struct turns *t)
{
	const struct xs_trace *trace = t->trace;
	struct xs_key *keys = xs_calloc(trace->call_count + 1, sizeof(*keys));
	uint32_t recorder = XS_NONE;
	size_t count = 0;

	for (size_t i = 0; i < trace->call_count; i++) {
		const uint8_t call_class = trace->calls[i].call_class;

		if (call_class == XS_CALL_EVENT_RECORD ||
		    call_class == XS_CALL_STREAM_WAIT)
			keys[count++] =
			    (struct xs_key){trace->calls[i].event, (uint32_t)i};
	}
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		const uint32_t number = t->numbers[keys[i].index];

		if (i == 0 || keys[i].key != keys[i - 1].key)
			recorder = XS_NONE;
		if (trace->calls[keys[i].index].call_class ==
		    XS_CALL_EVENT_RECORD)
			recorder = number;
		else if (recorder != XS_NONE)
			t->members[set_of(t, number)].set = set_of(t, recorder);
	}
	free(keys);
}

/* Calls are sorted by start. */
static void find_overlaps(struct turns *t)
{
	for (size_t i = 0; i < t->trace->call_count; i++) {
		const struct xs_call *call = &t->trace->calls[i];
		const uint32_t number = t->numbers[i];
		struct member *set = &t->members[set_of(t, number)];

		if (set->last != number) {
			set->turns++;
			set->overlaps += call->start_ns < set->end_ns &&
					 t->members[number].works &&
					 t->members[set->last].works;
		}
		if (call->end_ns > set->end_ns) {
			set->end_ns = call->end_ns;
			set->last = number;
		}
	}
}

/* Returns the thread id for the calls of a thread. */
static uint32_t name_of(struct turns *t, uint32_t number)
{
	const struct member *set = &t->members[set_of(t, number)];
	const bool take_turns =
	    set->turns / TURNS_OF_AN_OVERLAP >= set->overlaps &&
	    set->turns / LEAST_TURNS >= set->threads;

	return take_turns ? set->thread : t->members[number].thread;
}

/* Returns the number of a thread, XS_NONE if it made no call. Members are
 * sorted by thread. */
static uint32_t number_of(const struct turns *t, uint32_t thread)
{
	size_t low = 0, high = t->count;

	XS_BISECT(low, high, i, t->members[i].thread < thread);
	return low < t->count && t->members[low].thread == thread
		   ? (uint32_t)low
		   : XS_NONE;
}

/* A range goes where the calls of its thread go. */
static void rename_nvtx(struct turns *t)
{
	XS_EACH_MUTABLE(range, t->trace->nvtx, t->trace->nvtx_count) {
		const uint32_t number = number_of(t, range->thread);

		if (number != XS_NONE)
			range->thread = name_of(t, number);
	}
}

static void rename_threads(struct turns *t)
{
	struct xs_trace *trace = t->trace;
	uint32_t context_tid = trace->context_tid;

	for (uint32_t i = 0; i < t->count; i++)
		t->members[set_of(t, i)].threads++;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->members[i].thread == trace->context_tid)
			context_tid = name_of(t, i);
	trace->context_tid = context_tid;
	rename_nvtx(t);
	for (size_t i = 0; i < trace->call_count; i++)
		trace->calls[i].thread = name_of(t, t->numbers[i]);
}

/* Gives the threads of each set that take turns one thread id. `join` makes the
 * sets. */
static void join_threads(struct xs_trace *trace, void (*join)(struct turns *t))
{
	struct turns t = {
	    .trace = trace,
	    .numbers = xs_calloc(trace->call_count + 1, sizeof(*t.numbers))};

	number_threads(&t);
	if (t.count > 1) {
		join(&t);
		find_overlaps(&t);
		rename_threads(&t);
	}
	free(t.members);
	free(t.numbers);
}

void xs_alternating_threads_join(struct xs_trace *trace)
{
	join_threads(trace, join_users_of_queues);
	join_threads(trace, join_waiters);
}
