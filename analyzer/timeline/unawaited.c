/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/unawaited.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Looks at the ops in order; the calls that may wait for them are passed on the
 * way. */
struct scan {
	const struct xs_trace *trace;
	bool *waits; /* by call */
	size_t next_call, next_window;
	uint64_t waited_ns; /* the latest end of those passed */
	bool *out;
};

static bool has_host_function(const struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->call_count; i++)
		if (trace->calls[i].call_class == XS_CALL_HOST_FUNCTION)
			return true;
	return false;
}

/* Calls that wait: those that block, allocate or free, or stage memory. */
static bool *calls_that_wait(const struct xs_trace *trace, const bool *blocks)
{
	bool *waits = xs_calloc(trace->call_count + 1, sizeof(*waits));

	for (size_t i = 0; waits && i < trace->call_count; i++)
		waits[i] = blocks[i] ||
			   xs_call_allocates(trace->calls[i].call_class) ||
			   xs_call_frees(trace->calls[i].call_class);
	for (size_t i = 0; waits && i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE &&
		    xs_op_is_pageable(&trace->ops[i]))
			waits[trace->ops[i].call] = true;
	return waits;
}

/* Passes the calls that begin before a time. */
static void pass_calls(struct scan *s, uint64_t until_ns)
{
	const struct xs_call *calls = s->trace->calls;

	for (; s->next_call < s->trace->call_count &&
	       calls[s->next_call].start_ns < until_ns;
	     s->next_call++)
		if (s->waits[s->next_call] &&
		    calls[s->next_call].end_ns > s->waited_ns)
			s->waited_ns = calls[s->next_call].end_ns;
}

/* Whether recording began anew between two times. */
static bool is_cut(struct scan *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct xs_trace *trace = s->trace;

	while (s->next_window < trace->window_count &&
	       trace->windows[s->next_window].begin_ns <= from_ns)
		s->next_window++;
	return s->next_window < trace->window_count &&
	       trace->windows[s->next_window].begin_ns <= to_ns;
}

/* Ops [first, end), which ran without a pause until end_ns, before the host
 * issued more at next_ns. */
static void end_period(struct scan *s, size_t first, size_t end,
		       uint64_t end_ns, uint64_t next_ns)
{
	const struct xs_op *ops = s->trace->ops;

	pass_calls(s, end_ns);
	if (is_cut(s, ops[first].start_ns, next_ns))
		return;
	for (size_t i = first; i < end; i++)
		if (ops[i].call == XS_NONE)
			return;
	for (size_t i = first; i < end; i++)
		s->out[i] = ops[i].start_ns >= s->waited_ns;
}

static void scan(struct scan *s)
{
	const struct xs_trace *trace = s->trace;
	uint64_t end_ns = 0;
	size_t first = 0;

	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];
		const uint64_t issue_ns =
		    op->call == XS_NONE ? 0 : trace->calls[op->call].start_ns;

		if (i && issue_ns >= end_ns) {
			end_period(s, first, i, end_ns, issue_ns);
			first = i;
		}
		if (op->end_ns > end_ns)
			end_ns = op->end_ns;
	}
}

bool *xs_ops_unawaited(const struct xs_trace *trace, const bool *blocks)
{
	struct scan s = {.trace = trace,
			 .waits = calls_that_wait(trace, blocks),
			 .out = xs_calloc(trace->op_count + 1, sizeof(*s.out))};

	if (!has_host_function(trace))
		scan(&s);
	free(s.waits);
	return s.out;
}
