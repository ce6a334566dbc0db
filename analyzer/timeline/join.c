/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/join.h"

#include "analyzer/timeline/graph_capture.h"
#include "analyzer/timeline/graph_expand.h"
#include "analyzer/timeline/match.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

static int sort_ops(struct xs_op *ops, size_t count)
{
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	int rc;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){ops[i].start_ns, (uint32_t)i};
	rc = xs_keys_sort(keys, count);
	if (!rc)
		xs_keys_apply(keys, count, ops, sizeof(*ops));
	free(keys);
	return rc;
}

static int sort_calls(struct xs_trace *trace)
{
	struct xs_key *keys = malloc((trace->call_count + 1) * sizeof(*keys));
	int rc;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < trace->call_count; i++)
		keys[i] =
		    (struct xs_key){trace->calls[i].start_ns, (uint32_t)i};
	rc = xs_keys_sort(keys, trace->call_count);
	if (!rc)
		xs_keys_apply(keys, trace->call_count, trace->calls,
			      sizeof(*trace->calls));
	free(keys);
	return rc;
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
static int sort_nvtx(struct xs_trace *trace)
{
	const size_t count = trace->nvtx_count;
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	int rc = keys && count < XS_NONE
		     ? xs_keys_sort_nested(keys, count, trace, start_of_range,
					   end_of_range)
		     : -ENOMEM;

	if (!rc)
		xs_keys_apply(keys, count, trace->nvtx, sizeof(*trace->nvtx));
	free(keys);
	return rc;
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
	       "by_call() reads it");

static int by_call(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Finds the call of each entry, by thread and start, and sorts by it. */
#define JOIN(trace, entries, count)                                            \
	do {                                                                   \
		for (size_t i = 0; i < (trace)->count; i++)                    \
			(trace)->entries[i].call = call_that_began(            \
			    (trace), (trace)->entries[i].thread,               \
			    (trace)->entries[i].start_ns);                     \
		if ((trace)->count)                                            \
			qsort((trace)->entries, (trace)->count,                \
			      sizeof(*(trace)->entries), by_call);             \
	} while (0)

static void join_details(struct xs_trace *trace)
{
	JOIN(trace, faults, fault_count);
	JOIN(trace, contents, content_count);
	JOIN(trace, pointers, pointers_count);
}

int xs_trace_join(struct xs_trace *trace)
{
	int rc = sort_ops(trace->ops, trace->op_count);

	if (!rc)
		rc = xs_graph_expand(trace);
	if (!rc && trace->graphs_as_one)
		rc = sort_ops(trace->ops, trace->op_count);
	if (!rc)
		rc = sort_ops(trace->migrations, trace->migration_count);
	if (!rc)
		rc = sort_calls(trace);
	if (!rc)
		rc = sort_nvtx(trace);
	if (rc)
		return rc;
	join_details(trace);
	rc = xs_match_ops(trace);
	return rc ? rc : xs_graph_capture_mark(trace);
}
