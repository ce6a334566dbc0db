/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/record_gaps.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A few calls may lack an op for other reasons. */
#define LEAST_CALLS 16

struct search {
	struct xs_record_gap open[XS_RECORD_GAP_KINDS]; /* calls 0: none */
	struct xs_record_gap *found;
	size_t count;
	struct xs_key *waits; /* waiting calls, by thread and start */
	size_t wait_count;
	size_t last_of_device; /* the last call that waited for the whole device
				*/
};

/* Only CUPTI's callbacks give each call the correlation id of its op. */
static bool is_recorded_by_cupti(const struct xs_trace *trace)
{
	const char *rung = xs_trace_find_info(trace, "rung");

	return trace->op_count > 0 && (!rung || strcmp(rung, "callbacks") == 0);
}

/* Returns whether a call should have an op, and of which kind. */
static bool expects_op(const struct xs_trace *trace, const struct xs_call *call,
		       enum xs_record_gap_kind *kind)
{
	const uint8_t host_to_host = 0; /* a cudaMemcpyKind */

	/* The last records of a killed process are lost: that is not a gap. */
	if (call->error || !call->correlation || call->captured ||
	    (trace->header.state == XS_FILE_RUNNING &&
	     call->end_ns > trace->header.flush_realtime_ns))
		return false;
	switch (call->call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		*kind = XS_RECORD_GAP_COPIES;
		return call->bytes > 0 && call->direction != host_to_host;
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		*kind = XS_RECORD_GAP_SETS;
		return call->bytes > 0;
	case XS_CALL_LAUNCH:
		*kind = XS_RECORD_GAP_KERNELS;
		return true;
	}
	return false;
}

static bool waits(const struct xs_call *call)
{
	return !call->error &&
	       (call->call_class == XS_CALL_COPY || xs_call_is_sync(call));
}

static int find_waits(const struct xs_trace *trace, struct search *search)
{
	search->waits = malloc((trace->call_count + 1) * sizeof(struct xs_key));
	if (!search->waits)
		return -ENOMEM;
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (!waits(call))
			continue;
		search->waits[search->wait_count++] =
		    (struct xs_key){call->thread, (uint32_t)i};
		if (call->call_class == XS_CALL_SYNC_DEVICE ||
		    call->call_class == XS_CALL_RESET)
			search->last_of_device = i;
	}
	return xs_keys_sort(search->waits, search->wait_count);
}

/*
 * Work that no call waited for may never have run: waits of one thread show
 * nothing about other threads' streams.
 */
static bool was_waited_for(const struct xs_trace *trace,
			   const struct search *search, size_t call)
{
	const uint64_t thread = trace->calls[call].thread;
	size_t after;

	if (search->last_of_device > call)
		return true;
	after = xs_keys_from(search->waits, search->wait_count, thread + 1);
	return after && search->waits[after - 1].key == thread &&
	       search->waits[after - 1].index > call;
}

static int close_gap(struct search *search, enum xs_record_gap_kind kind)
{
	struct xs_record_gap *gap = &search->open[kind];
	struct xs_record_gap *found = search->found;

	if (gap->calls >= LEAST_CALLS) {
		found = xs_array_grow(found, search->count, sizeof(*found));
		if (!found)
			return -ENOMEM;
		search->found = found;
		found[search->count++] = *gap;
	}
	gap->calls = 0;
	return 0;
}

static void widen(struct search *search, enum xs_record_gap_kind kind,
		  const struct xs_call *call)
{
	struct xs_record_gap *gap = &search->open[kind];

	if (gap->calls++ == 0)
		*gap = (struct xs_record_gap){.from_ns = call->start_ns,
					      .to_ns = call->end_ns,
					      .calls = 1,
					      .kind = kind};
	if (call->end_ns > gap->to_ns)
		gap->to_ns = call->end_ns;
}

static int follow(const struct xs_trace *trace, const bool *has_op,
		  struct search *search)
{
	int rc = find_waits(trace, search);

	for (size_t i = 0; !rc && i < trace->call_count; i++) {
		enum xs_record_gap_kind kind;

		if (!expects_op(trace, &trace->calls[i], &kind))
			continue;
		if (has_op[i])
			rc = close_gap(search, kind);
		else if (was_waited_for(trace, search, i))
			widen(search, kind, &trace->calls[i]);
	}
	for (int kind = 0; !rc && kind < XS_RECORD_GAP_KINDS; kind++)
		rc = close_gap(search, kind);
	free(search->waits);
	return rc;
}

/* In most traces each call that issues work has an op. */
static bool are_missing(const struct xs_trace *trace, const bool *has_op)
{
	enum xs_record_gap_kind kind;
	size_t calls = 0;

	for (size_t i = 0; i < trace->call_count && calls < LEAST_CALLS; i++)
		calls +=
		    !has_op[i] && expects_op(trace, &trace->calls[i], &kind);
	return calls >= LEAST_CALLS;
}

static int by_start(const void *a, const void *b)
{
	const struct xs_record_gap *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

int xs_record_gaps_find(const struct xs_trace *trace,
			struct xs_record_gap **gaps, size_t *count)
{
	struct search search = {.count = 0};
	bool *has_op;
	int rc = -ENOMEM;

	*gaps = NULL;
	*count = 0;
	if (!is_recorded_by_cupti(trace))
		return 0;
	has_op = calloc(trace->call_count + 1, sizeof(*has_op));
	if (!has_op)
		return -ENOMEM;
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			has_op[trace->ops[i].call] = true;
	rc = are_missing(trace, has_op) ? follow(trace, has_op, &search) : 0;
	free(has_op);
	if (rc) {
		free(search.found);
		return rc;
	}
	if (search.count)
		qsort(search.found, search.count, sizeof(*search.found),
		      by_start);
	*gaps = search.found;
	*count = search.count;
	return 0;
}
