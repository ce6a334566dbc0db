/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/wait_breakdown.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

/* Waits of one time look at the same ops: the work is bounded to that of so
 * many threads that wait for the whole run. Further waits are not examined and
 * count as host time. */
#define MOST_WAITING 256u

/* Whether one more op may be looked at; if not, the wait is not examined. */
static bool may_look(struct xs_wait_breakdown *f)
{
	if (f->looked_at < MOST_WAITING * (uint64_t)f->trace->op_count)
		return true;
	f->stopped = f->trace->op_count > 0;
	return false;
}

void xs_wait_breakdown_init(struct xs_wait_breakdown *f,
			    const struct xs_trace *trace)
{
	const size_t room = trace->op_count + 1;

	f->trace = trace;
	f->by_end = xs_malloc(room * sizeof(*f->by_end));
	f->by_call = xs_malloc(room * sizeof(*f->by_call));
	f->issued = xs_malloc(room * sizeof(*f->issued));
	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];

		f->by_end[i] = (struct xs_key){op->end_ns, (uint32_t)i};
		/* those without a call come last */
		f->by_call[i] = (struct xs_key){op->call, (uint32_t)i};
	}
	xs_keys_sort(f->by_end, trace->op_count);
	xs_keys_sort(f->by_call, trace->op_count);
}

void xs_wait_breakdown_release(struct xs_wait_breakdown *f)
{
	free(f->by_end);
	free(f->by_call);
	free(f->issued);
	free(f->pieces);
	free(f->keys);
	*f = (struct xs_wait_breakdown){0};
}

static uint8_t part_of(const struct xs_op *op, bool own)
{
	static const uint8_t parts[XS_OP_KINDS] = {
	    [XS_OP_H2D] = XS_WAIT_H2D,	 [XS_OP_D2H] = XS_WAIT_D2H,
	    [XS_OP_D2D] = XS_WAIT_OTHER, [XS_OP_H2H] = XS_WAIT_OTHER,
	    [XS_OP_SET] = XS_WAIT_OTHER, [XS_OP_KERNEL] = XS_WAIT_KERNEL,
	    [XS_OP_P2P] = XS_WAIT_OTHER,
	};

	return own ? XS_WAIT_OWN : parts[op->kind];
}

static void add_piece(struct xs_wait_breakdown *f,
		      struct xs_wait_interval piece)
{
	if (f->count == f->room) {
		size_t room = f->room ? 2 * f->room : 64;
		void *pieces = xs_realloc(f->pieces, room * sizeof(*f->pieces));
		void *keys;

		f->pieces = pieces;
		keys = xs_realloc(f->keys, room * sizeof(*f->keys));
		f->keys = keys;
		f->room = room;
	}
	f->keys[f->count] = (struct xs_key){piece.end_ns, (uint32_t)f->count};
	f->pieces[f->count++] = piece;
}

static void add_op(struct xs_wait_breakdown *f, const struct xs_wait_call *wait,
		   const struct xs_op *op)
{
	const struct xs_call *call = &f->trace->calls[wait->index];
	const bool own = op->call == wait->index;

	add_piece(
	    f,
	    (struct xs_wait_interval){
		.start_ns =
		    op->start_ns > wait->from_ns ? op->start_ns : wait->from_ns,
		.end_ns = op->end_ns < call->end_ns ? op->end_ns : call->end_ns,
		.part = part_of(op, own),
		.first = own || op->queue == wait->queue});
}

static bool is_on_device(const struct xs_wait_breakdown *f,
			 const struct xs_wait_call *wait,
			 const struct xs_op *op)
{
	return wait->device == XS_WAIT_ANY_DEVICE ||
	       wait->device == f->trace->queues[op->queue].device;
}

/* Whether the op was issued by another, later call. */
static bool is_later(const struct xs_trace *trace,
		     const struct xs_wait_call *wait, const struct xs_op *op)
{
	return op->call != wait->index && op->call != XS_NONE &&
	       trace->calls[op->call].start_ns >=
		   trace->calls[wait->index].start_ns;
}

/* Collects the ops that ended during the call, and that it waited for. */
static void find_ended(struct xs_wait_breakdown *f,
		       const struct xs_wait_call *wait)
{
	const struct xs_trace *trace = f->trace;
	const struct xs_call *call = &trace->calls[wait->index];

	for (size_t i =
		 xs_keys_from(f->by_end, trace->op_count, wait->from_ns + 1);
	     i < trace->op_count &&
	     xs_call_returned_after(call, f->by_end[i].key) && may_look(f);
	     i++, f->looked_at++) {
		const struct xs_op *op = &trace->ops[f->by_end[i].index];

		if (op->start_ns < call->end_ns && is_on_device(f, wait, op) &&
		    !is_later(trace, wait, op))
			add_op(f, wait, op);
	}
}

/* Collects the call's own ops that ended after it. Calls come in order. */
static void find_own(struct xs_wait_breakdown *f,
		     const struct xs_wait_call *wait)
{
	const struct xs_trace *trace = f->trace;
	const struct xs_call *call = &trace->calls[wait->index];

	for (size_t i = f->next_of_call;
	     i < trace->op_count && f->by_call[i].key == wait->index; i++) {
		const struct xs_op *op = &trace->ops[f->by_call[i].index];

		if (op->start_ns < call->end_ns && is_on_device(f, wait, op) &&
		    !xs_call_returned_after(call, op->end_ns))
			add_op(f, wait, op);
	}
}

/* Moves on to a call: the ops of earlier calls were issued before it. */
static void go_to(struct xs_wait_breakdown *f, uint32_t call)
{
	const struct xs_trace *trace = f->trace;

	for (; f->next_of_call < trace->op_count &&
	       f->by_call[f->next_of_call].key < call;
	     f->next_of_call++)
		f->issued[f->issued_count++] =
		    f->by_call[f->next_of_call].index;
	while (f->next_op < trace->op_count &&
	       trace->ops[f->next_op].start_ns < trace->calls[call].start_ns) {
		if (trace->ops[f->next_op].call == XS_NONE)
			f->issued[f->issued_count++] = (uint32_t)f->next_op;
		f->next_op++;
	}
}

/* Whether the op ran during the call and had not ended when it returned. */
static bool ran_on(const struct xs_wait_breakdown *f,
		   const struct xs_wait_call *wait, const struct xs_op *op)
{
	const struct xs_call *call = &f->trace->calls[wait->index];

	return op->start_ns < call->end_ns && op->end_ns > wait->from_ns &&
	       is_on_device(f, wait, op) && !is_later(f->trace, wait, op) &&
	       !xs_call_returned_after(call, op->end_ns);
}

/* Whether work of the device that was issued before the call ran on after it.
 * Forgets ops that had ended: calls come in order. */
static bool left_work(struct xs_wait_breakdown *f,
		      const struct xs_wait_call *wait)
{
	const struct xs_trace *trace = f->trace;
	const struct xs_call *call = &trace->calls[wait->index];
	size_t kept = 0;
	bool left = false;

	if (!may_look(f))
		return false;
	f->looked_at += f->issued_count;
	for (size_t i = 0; i < f->issued_count; i++) {
		const struct xs_op *op = &trace->ops[f->issued[i]];

		left |= ran_on(f, wait, op);
		if (op->end_ns > call->start_ns)
			f->issued[kept++] = f->issued[i];
	}
	f->issued_count = kept;
	for (size_t i = f->next_op;
	     i < trace->op_count && trace->ops[i].start_ns < call->end_ns &&
	     may_look(f);
	     i++, f->looked_at++)
		left |= trace->ops[i].call == XS_NONE &&
			ran_on(f, wait, &trace->ops[i]);
	return left;
}

/* State of a sweep from the end of a call back to its start. */
struct sweep {
	const struct xs_wait_breakdown *finder;
	uint64_t *part_ns;
	size_t left;	   /* intervals of other queues that end at or before
			    * the current time */
	uint64_t began_ns; /* start of the earliest interval so far */
};

static void take(struct sweep *s, const struct xs_wait_interval *piece,
		 uint64_t from_ns, uint64_t to_ns)
{
	s->part_ns[piece->part] += to_ns - from_ns;
	s->began_ns = from_ns;
}

/* Fills a gap in which the awaited queue was idle with ops of other queues that
 * ended within it. The call did not wait for ops that ran on beyond the gap. */
static void fill_gap(struct sweep *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct xs_wait_breakdown *f = s->finder;

	while (s->left > 0 && f->keys[s->left - 1].key > to_ns)
		s->left--;
	for (size_t i = s->left; i > 0 && f->keys[i - 1].key > from_ns; i--) {
		const struct xs_wait_interval *piece =
		    &f->pieces[f->keys[i - 1].index];
		uint64_t start_ns =
		    piece->start_ns > from_ns ? piece->start_ns : from_ns;
		uint64_t end_ns = piece->end_ns < to_ns ? piece->end_ns : to_ns;

		if (piece->first || end_ns <= start_ns)
			continue;
		take(s, piece, start_ns, end_ns);
		to_ns = start_ns;
	}
}

static void sweep(struct sweep *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct xs_wait_breakdown *f = s->finder;

	for (size_t i = f->count; i > 0; i--) {
		const struct xs_wait_interval *piece =
		    &f->pieces[f->keys[i - 1].index];
		uint64_t end_ns = piece->end_ns < to_ns ? piece->end_ns : to_ns;

		if (!piece->first || end_ns <= piece->start_ns)
			continue;
		fill_gap(s, end_ns, to_ns);
		take(s, piece, piece->start_ns, end_ns);
		to_ns = piece->start_ns;
	}
	fill_gap(s, from_ns, to_ns);
}

void xs_wait_breakdown_split(struct xs_wait_breakdown *f,
			     const struct xs_wait_call *wait, uint64_t *part_ns)
{
	const struct xs_trace *trace = f->trace;
	uint64_t end_ns = trace->calls[wait->index].end_ns, covered_ns = 0;
	struct sweep s = {f, part_ns, 0, end_ns};

	memset(part_ns, 0, XS_WAIT_PARTS * sizeof(*part_ns));
	if (end_ns <= wait->from_ns)
		return;
	f->count = 0;
	f->stopped = false;
	go_to(f, wait->index);
	find_ended(f, wait);
	find_own(f, wait);
	xs_keys_sort(f->keys, f->count);
	s.left = f->count;
	if (!wait->hidden || !left_work(f, wait))
		sweep(&s, wait->from_ns, end_ns);
	f->unexamined += f->stopped;
	for (size_t i = 0; i < XS_WAIT_PARTS; i++)
		covered_ns += part_ns[i];
	if (covered_ns > 0)
		part_ns[XS_WAIT_LATENCY] = s.began_ns - wait->from_ns;
	part_ns[XS_WAIT_HOST] =
	    end_ns - wait->from_ns - covered_ns - part_ns[XS_WAIT_LATENCY];
}
