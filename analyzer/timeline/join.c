/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/join.h"

#include "analyzer/timeline/graph_expand.h"
#include "analyzer/timeline/match.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* Limit of threads that capture at once; further ones are not tracked. */
#define MOST_THREADS 64

struct capturing {
	uint32_t threads[MOST_THREADS];
	size_t count;
};

static size_t find_capture(const struct capturing *c, uint32_t thread)
{
	size_t i = 0;

	while (i < c->count && c->threads[i] != thread)
		i++;
	return i;
}

static void begin_capture(struct capturing *c, uint32_t thread)
{
	if (find_capture(c, thread) == c->count && c->count < MOST_THREADS)
		c->threads[c->count++] = thread;
}

static void end_capture(struct capturing *c, uint32_t thread)
{
	size_t i = find_capture(c, thread);

	if (i < c->count)
		c->threads[i] = c->threads[--c->count];
}

static bool can_be_captured(const struct xs_call *call)
{
	switch (call->call_class) {
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_LAUNCH:
	case XS_CALL_GRAPH_LAUNCH:
	case XS_CALL_EVENT_RECORD:
	case XS_CALL_STREAM_WAIT:
	case XS_CALL_HOST_FUNCTION:
	case XS_CALL_PREFETCH:
		return call->error == 0;
	}
	return false;
}

static bool has_captures(const struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->site_count; i++)
		if (trace->sites[i].call_class == XS_CALL_CAPTURE_BEGIN)
			return true;
	return false;
}

/*
 * Marks captured calls: device work that a capturing thread issued between the
 * begin and the end of its capture, and that has no op. The ops belong to the
 * graph launches. Calls must be sorted by start and joined to their ops.
 */
static void mark_captured(struct xs_trace *trace)
{
	struct capturing capturing = {.count = 0};
	bool *worked;

	if (!has_captures(trace))
		return;
	worked = xs_calloc(trace->call_count + 1, sizeof(*worked));
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			worked[trace->ops[i].call] = true;
	for (size_t i = 0; i < trace->call_count; i++) {
		struct xs_call *call = &trace->calls[i];

		if (call->call_class == XS_CALL_CAPTURE_BEGIN &&
		    call->error == 0)
			begin_capture(&capturing, call->thread);
		else if (call->call_class == XS_CALL_CAPTURE_END)
			end_capture(&capturing, call->thread);
		else if (find_capture(&capturing, call->thread) <
			 capturing.count)
			call->captured = can_be_captured(call) && !worked[i];
		trace->calls_captured += call->captured;
	}
	free(worked);
}

/* Sorts by the first field, as key_of reads it. */
static void sort(void *items, size_t count, size_t item_bytes,
		 uint64_t (*key_of)(const void *item))
{
	struct xs_key *keys = xs_calloc(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){
		    key_of((const char *)items + i * item_bytes), (uint32_t)i};
	xs_keys_sort(keys, count);
	xs_keys_apply(keys, count, items, item_bytes);
	free(keys);
}

_Static_assert(offsetof(struct xs_op, start_ns) == 0 &&
		   offsetof(struct xs_call, start_ns) == 0,
	       "start_of() reads it");

static uint64_t start_of(const void *item)
{
	return *(const uint64_t *)item;
}

static void sort_ops(struct xs_op *ops, size_t count)
{
	sort(ops, count, sizeof(*ops), start_of);
}

static uint64_t start_of_range(const void *trace, uint32_t i)
{
	return ((const struct xs_trace *)trace)->nvtx[i].start_ns;
}

static uint64_t end_of_range(const void *trace, uint32_t i)
{
	return ((const struct xs_trace *)trace)->nvtx[i].end_ns;
}

/* A range comes before those in it. */
static void sort_nvtx(struct xs_trace *trace)
{
	const size_t count = trace->nvtx_count;
	struct xs_key *keys = xs_calloc(count + 1, sizeof(*keys));

	xs_keys_sort_nested(keys, count, trace, start_of_range, end_of_range);
	xs_keys_apply(keys, count, trace->nvtx, sizeof(*trace->nvtx));
	free(keys);
}

/* Returns the call of that thread with that start, or XS_NONE. */
static uint32_t call_that_began(const struct xs_trace *trace, uint32_t thread,
				uint64_t start_ns)
{
	size_t low = 0, high = trace->call_count;

	XS_BISECT(low, high, i, trace->calls[i].start_ns < start_ns);
	for (;
	     low < trace->call_count && trace->calls[low].start_ns == start_ns;
	     low++)
		if (trace->calls[low].thread == thread)
			return (uint32_t)low;
	return XS_NONE;
}

/* Each of these begins with the index of its call. */
_Static_assert(offsetof(struct xs_faults, call) == 0 &&
		   offsetof(struct xs_content, call) == 0 &&
		   offsetof(struct xs_pointers, call) == 0,
	       "call_of() reads it");

static uint64_t call_of(const void *item)
{
	return *(const uint32_t *)item;
}

/* Finds the call of each entry, by thread and start, and sorts by it. */
#define JOIN(trace, entries, count)                                            \
	do {                                                                   \
		for (size_t i = 0; i < (trace)->count; i++)                    \
			(trace)->entries[i].call = call_that_began(            \
			    (trace), (trace)->entries[i].thread,               \
			    (trace)->entries[i].start_ns);                     \
		sort((trace)->entries, (trace)->count,                         \
		     sizeof(*(trace)->entries), call_of);                      \
	} while (0)

static void join_details(struct xs_trace *trace)
{
	JOIN(trace, faults, fault_count);
	JOIN(trace, contents, content_count);
	JOIN(trace, pointers, pointers_count);
}

void xs_trace_join(struct xs_trace *trace)
{
	sort_ops(trace->ops, trace->op_count);
	xs_graph_expand(trace);
	if (trace->graphs_as_one)
		sort_ops(trace->ops, trace->op_count);
	sort_ops(trace->migrations, trace->migration_count);
	sort(trace->calls, trace->call_count, sizeof(*trace->calls), start_of);
	sort_nvtx(trace);
	join_details(trace);
	xs_match_ops(trace);
	mark_captured(trace);
}
