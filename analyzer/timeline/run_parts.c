/* SPDX-License-Identifier: MIT */
/* Sweeps over calls and ops at once. Both are sorted by start, so the spans of
 * each list are found on the way. */
#include "analyzer/timeline/run_parts.h"

#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/interval_union.h"
#include "analyzer/timeline/skipped_calls.h"
#include "analyzer/timeline/unawaited.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

/* Lists of spans, in the order in which they claim an instant. */
enum list {
	STARTUP,
	KERNELS,
	COPIES,
	COPY_CALLS,
	ALLOCATIONS,
	WAITS,
	OTHER_CALLS,
	UNAWAITED, /* ops: the host's part */
	LISTS
};

static const enum xs_run_part parts[LISTS] = {
    [STARTUP] = XS_PART_STARTUP,	[KERNELS] = XS_PART_KERNELS,
    [COPIES] = XS_PART_COPIES,		[COPY_CALLS] = XS_PART_COPY_CALLS,
    [ALLOCATIONS] = XS_PART_ALLOCATION, [WAITS] = XS_PART_WAITS,
    [OTHER_CALLS] = XS_PART_CALLS,	[UNAWAITED] = XS_PART_HOST,
};

struct span {
	uint64_t start_ns, end_ns;
};

struct sweep {
	const struct xs_trace *trace;
	const bool *copies, *unawaited; /* calls, ops */
	bool copies_first;		/* where kernels run, too */
	struct span spans[LISTS]; /* the current or next one of each list */
	size_t next[LISTS];	  /* item from which the following is found */
};

static enum list list_of_op(const struct xs_op *op)
{
	return op->kind == XS_OP_KERNEL || op->kind == XS_OP_SET ||
		       op->kind == XS_OP_D2D
		   ? KERNELS
		   : COPIES;
}

/* copies: it is a copy that blocks or stages its memory, or a wait. */
static enum list list_of_call(const struct xs_call *call, bool copies)
{
	if (xs_call_allocates(call->call_class) ||
	    xs_call_frees(call->call_class) ||
	    call->call_class == XS_CALL_STREAM_CREATE ||
	    call->call_class == XS_CALL_STREAM_DESTROY)
		return ALLOCATIONS;
	if (xs_call_is_sync(call))
		return WAITS;
	return copies ? COPY_CALLS : OTHER_CALLS;
}

static bool is_of_ops(enum list list)
{
	return list == KERNELS || list == COPIES || list == UNAWAITED;
}

/* Fills the span of item `index` of the list's source. Returns false behind the
 * last one; *is_member: whether it belongs to the list. */
static bool item_at(const struct sweep *s, enum list list, size_t index,
		    struct span *item, bool *is_member)
{
	const struct xs_trace *trace = s->trace;

	if (list == STARTUP) {
		*item = (struct span){trace->startup.end_ns - trace->startup.ns,
				      trace->startup.end_ns};
		*is_member = true;
		return index == 0 && trace->startup.ns > 0;
	}
	if (is_of_ops(list)) {
		if (index >= trace->op_count)
			return false;
		*item = (struct span){trace->ops[index].start_ns,
				      trace->ops[index].end_ns};
		*is_member = (s->unawaited[index]
				  ? UNAWAITED
				  : list_of_op(&trace->ops[index])) == list;
		return true;
	}
	if (index >= trace->call_count)
		return false;
	*item = (struct span){trace->calls[index].start_ns,
			      trace->calls[index].end_ns};
	*is_member =
	    list_of_call(&trace->calls[index], s->copies[index]) == list;
	return true;
}

/* Moves the list to its next span: items that touch are one span. */
static void advance(struct sweep *s, enum list list)
{
	struct span *span = &s->spans[list], item;
	bool is_member, found = false;

	*span = (struct span){UINT64_MAX, UINT64_MAX};
	for (; item_at(s, list, s->next[list], &item, &is_member);
	     s->next[list]++) {
		if (!is_member || item.end_ns <= item.start_ns)
			continue;
		if (found && item.start_ns > span->end_ns)
			return;
		if (!found)
			*span = item;
		else if (item.end_ns > span->end_ns)
			span->end_ns = item.end_ns;
		found = true;
	}
}

/* Moves all lists to a time. Returns the set of those that have a span there,
 * as bits, and stores when it changes, at most *next_ns. */
static unsigned lists_at(struct sweep *s, uint64_t at_ns, uint64_t *next_ns)
{
	unsigned set = 0;

	for (unsigned list = 0; list < LISTS; list++) {
		const struct span *span = &s->spans[list];
		uint64_t edge_ns;

		while (span->end_ns <= at_ns)
			advance(s, list);
		edge_ns = span->start_ns;
		if (span->start_ns <= at_ns) {
			edge_ns = span->end_ns;
			set |= 1u << list;
		}
		if (edge_ns < *next_ns)
			*next_ns = edge_ns;
	}
	return set;
}

static enum xs_run_part part_of(const struct sweep *s, unsigned set)
{
	unsigned list = 0;

	while (list < LISTS && !(set & 1u << list))
		list++;
	if (list == KERNELS && s->copies_first && set & 1u << COPIES)
		return XS_PART_COPIES;
	return list < LISTS ? parts[list] : XS_PART_HOST;
}

/* Adds the time from `from_ns` to `to_ns`; spans before it are passed. */
static void sweep(struct sweep *s, uint64_t from_ns, uint64_t to_ns,
		  struct xs_run_parts *out)
{
	while (from_ns < to_ns) {
		uint64_t next_ns = to_ns;
		const unsigned set = lists_at(s, from_ns, &next_ns);

		out->ns[part_of(s, set)] += next_ns - from_ns;
		out->span_ns += next_ns - from_ns;
		if (set & (1u << KERNELS | 1u << COPIES | 1u << UNAWAITED))
			out->gpu_ns += next_ns - from_ns;
		from_ns = next_ns;
	}
}

static bool is_kernel(const struct xs_op *op)
{
	return list_of_op(op) == KERNELS;
}

static bool is_in(const struct xs_op *op)
{
	return op->kind == XS_OP_H2D;
}

static bool is_out(const struct xs_op *op)
{
	return op->kind == XS_OP_D2H;
}

/* Returns the time between two in which an op ran for which `is` holds. */
static uint64_t busy_ns(const struct xs_trace *trace, uint64_t from_ns,
			uint64_t to_ns, bool (*is)(const struct xs_op *op))
{
	struct xs_interval_union cover = {0, from_ns};

	XS_EACH(op, trace->ops, trace->op_count) {
		if (is(op) && op->start_ns < to_ns)
			xs_interval_union_add(&cover, op->start_ns,
					      op->end_ns < to_ns ? op->end_ns
								 : to_ns);
	}
	return cover.total_ns;
}

/* Times by list: of what was read of a long trace, of all that is like it, and
 * of what nothing that was read is like. */
struct times {
	double read[LISTS], all[LISTS], apart[LISTS];
};

static void add_ops(const struct xs_trace *trace, struct times *t)
{
	XS_EACH(op, trace->ops, trace->op_count) {
		t->read[list_of_op(op)] += (double)(op->end_ns - op->start_ns);
	}
	t->all[KERNELS] = t->read[KERNELS];
	t->all[COPIES] = t->read[COPIES];
	for (size_t i = 0; i < trace->queue_count; i++)
		for (uint8_t kind = 0; kind < XS_OP_KINDS; kind++) {
			const enum list list =
			    list_of_op(&(struct xs_op){.kind = kind});
			const double ns = (double)trace->skipped[i].ns[kind];

			*(t->read[list] > 0 ? &t->all[list]
					    : &t->apart[list]) += ns;
		}
}

/* Calls that were not read are like those of their site. */
static void add_calls(const struct sweep *s, struct times *t)
{
	const struct xs_trace *trace = s->trace;
	double *by_site = xs_skipped_call_time(trace);

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		const enum list list = list_of_call(call, s->copies[i]);
		const double ns = (double)xs_call_ns(call);

		t->read[list] += ns;
		t->all[list] += ns * by_site[call->site];
	}
	XS_EACH(tally, trace->tallies, trace->tally_count) {
		const struct xs_call call = {
		    .call_class = trace->sites[tally->site].call_class};

		if (by_site[tally->site] == 0)
			t->apart[list_of_call(&call, call.call_class ==
							 XS_CALL_COPY)] +=
			    (double)tally->ns;
	}
	free(by_site);
}

/* Extrapolates from the windows of a long trace to the span: each part by the
 * times of its ops and calls, which are known; the rest is the host's. */
static void extrapolate(const struct sweep *s, uint64_t span_ns,
			struct xs_run_parts *out)
{
	struct times t = {.read = {0}};
	double ns[LISTS], sum_ns = 0, gpu, shrink;

	add_calls(s, &t);
	if (!out->span_ns)
		return;
	add_ops(s->trace, &t);
	for (unsigned i = 0; i < UNAWAITED; i++) {
		ns[i] = (double)out->ns[parts[i]];
		if (t.read[i] > 0)
			ns[i] *= t.all[i] / t.read[i];
		ns[i] += t.apart[i];
		sum_ns += ns[i];
	}
	shrink = sum_ns > (double)span_ns ? (double)span_ns / sum_ns : 1;
	gpu = (double)(out->ns[XS_PART_KERNELS] + out->ns[XS_PART_COPIES]);
	if (gpu > 0)
		out->gpu_ns = xs_weighted(
		    out->gpu_ns, shrink * (ns[KERNELS] + ns[COPIES]) / gpu);
	if (t.read[KERNELS] > 0)
		out->kernels_ns = xs_weighted(
		    out->kernels_ns, shrink * t.all[KERNELS] / t.read[KERNELS]);
	out->ns[XS_PART_HOST] = out->span_ns = span_ns;
	for (unsigned i = 0; i < UNAWAITED; i++) {
		uint64_t *part = &out->ns[parts[i]];

		*part = xs_weighted(1, shrink * ns[i]);
		if (*part > out->ns[XS_PART_HOST])
			*part = out->ns[XS_PART_HOST];
		out->ns[XS_PART_HOST] -= *part;
	}
}

/* Those that block, and those that copy pageable memory, which they
 * stage. */
static bool *copy_calls(const struct xs_trace *trace, const bool *blocks)
{
	bool *copies = xs_malloc(trace->call_count + 1);

	memcpy(copies, blocks, trace->call_count);
	XS_EACH(op, trace->ops, trace->op_count) {
		if (op->call != XS_NONE && xs_op_is_pageable(op))
			copies[op->call] = true;
	}
	return copies;
}

void xs_run_parts(const struct xs_trace *trace, const bool *blocks,
		  uint64_t from_ns, uint64_t to_ns, struct xs_run_parts *out)
{
	bool *unawaited = xs_ops_unawaited(trace, blocks);
	bool *copies = copy_calls(trace, blocks);
	struct sweep s = {
	    .trace = trace, .copies = copies, .unawaited = unawaited};

	memset(out, 0, sizeof(*out));
	out->kernels_ns = busy_ns(trace, from_ns, to_ns, is_kernel);
	s.copies_first =
	    busy_ns(trace, from_ns, to_ns, is_in) > out->kernels_ns ||
	    busy_ns(trace, from_ns, to_ns, is_out) > out->kernels_ns;
	if (!trace->window_count)
		sweep(&s, from_ns, to_ns, out);
	XS_EACH(window, trace->windows, trace->window_count) {
		sweep(&s,
		      window->begin_ns > from_ns ? window->begin_ns : from_ns,
		      window->end_ns < to_ns ? window->end_ns : to_ns, out);
	}
	if (trace->skipped && from_ns < to_ns)
		extrapolate(&s, to_ns - from_ns, out);
	free(copies);
	free(unawaited);
}
