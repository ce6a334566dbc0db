/* SPDX-License-Identifier: MIT */
#include "analyzer/gaps.h"

#include "analyzer/sort.h"
#include "analyzer/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A few calls may have no op for reasons of their own. */
#define LEAST_CALLS 16

struct search {
	struct xs_gap open[XS_GAP_KINDS]; /* calls 0: none */
	struct xs_gap *found;
	size_t count;
	uint64_t last_wait_ns; /* when the host last began to wait */
};

/* Only CUPTI's callbacks give each call the id that its op will have. */
static bool is_recorded_by_cupti(const struct xs_trace *trace)
{
	const char *rung = xs_trace_info(trace, "rung");

	return trace->op_count > 0 && (!rung || strcmp(rung, "callbacks") == 0);
}

/* Whether a call should have an op, and of which kind. */
static bool expects_op(const struct xs_trace *trace, const struct xs_call *call,
		       enum xs_gap_kind *kind)
{
	const uint8_t host_to_host = 0; /* a cudaMemcpyKind */

	/* The last records of a killed process are not missing, but lost. */
	if (call->error || !call->correlation || call->captured ||
	    (trace->header.state == XS_FILE_RUNNING &&
	     call->end_ns > trace->header.flush_realtime_ns))
		return false;
	switch (call->call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		*kind = XS_GAP_COPIES;
		return call->bytes > 0 && call->direction != host_to_host;
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		*kind = XS_GAP_SETS;
		return call->bytes > 0;
	case XS_CALL_LAUNCH:
		*kind = XS_GAP_KERNELS;
		return true;
	}
	return false;
}

static int close_gap(struct search *search, enum xs_gap_kind kind)
{
	struct xs_gap *gap = &search->open[kind];
	struct xs_gap *found = search->found;

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

static void widen(struct search *search, enum xs_gap_kind kind,
		  const struct xs_call *call)
{
	struct xs_gap *gap = &search->open[kind];

	if (gap->calls++ == 0)
		*gap = (struct xs_gap){.from_ns = call->start_ns,
				       .to_ns = call->end_ns,
				       .calls = 1,
				       .kind = kind};
	if (call->end_ns > gap->to_ns)
		gap->to_ns = call->end_ns;
}

static int follow(const struct xs_trace *trace, const bool *has_op,
		  struct search *search)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < trace->call_count; i++) {
		enum xs_gap_kind kind;

		if (trace->calls[i].call_class == XS_CALL_COPY ||
		    xs_call_is_sync(&trace->calls[i]))
			search->last_wait_ns = trace->calls[i].start_ns;
		if (!expects_op(trace, &trace->calls[i], &kind))
			continue;
		if (has_op[i])
			rc = close_gap(search, kind);
		else
			widen(search, kind, &trace->calls[i]);
	}
	/* What nobody waited for at the end was perhaps never done. */
	for (int kind = 0; !rc && kind < XS_GAP_KINDS; kind++)
		if (search->last_wait_ns >= search->open[kind].from_ns)
			rc = close_gap(search, kind);
	return rc;
}

static int by_start(const void *a, const void *b)
{
	const struct xs_gap *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

int xs_gaps_find(const struct xs_trace *trace, struct xs_gap **gaps,
		 size_t *count)
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
	rc = follow(trace, has_op, &search);
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
