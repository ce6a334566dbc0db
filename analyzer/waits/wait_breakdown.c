/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/wait_breakdown.h"

#include "analyzer/timeline/blocking_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xs_wait_breakdown_init(struct xs_wait_breakdown *f,
			   const struct xs_trace *trace)
{
	uint32_t *first;

	f->trace = trace;
	f->first_op = first = calloc(trace->queue_count + 2, sizeof(*first));
	f->next_op = calloc(trace->queue_count + 1, sizeof(*f->next_op));
	f->ops = malloc((trace->op_count + 1) * sizeof(*f->ops));
	if (!first || !f->next_op || !f->ops)
		return -ENOMEM;
	/* counting sort: ops are sorted by start already */
	for (size_t i = 0; i < trace->op_count; i++)
		first[trace->ops[i].queue + 1]++;
	for (size_t i = 0; i < trace->queue_count; i++) {
		first[i + 1] += first[i];
		f->next_op[i] = first[i];
	}
	for (size_t i = 0; i < trace->op_count; i++)
		f->ops[f->next_op[trace->ops[i].queue]++] = (uint32_t)i;
	memcpy(f->next_op, first, trace->queue_count * sizeof(*first));
	return 0;
}

void xs_wait_breakdown_release(struct xs_wait_breakdown *f)
{
	free(f->first_op);
	free(f->next_op);
	free(f->ops);
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

static int add_piece(struct xs_wait_breakdown *f, struct xs_wait_interval piece)
{
	if (f->count == f->room) {
		size_t room = f->room ? 2 * f->room : 64;
		void *pieces = realloc(f->pieces, room * sizeof(*f->pieces));
		void *keys;

		if (!pieces)
			return -ENOMEM;
		f->pieces = pieces;
		keys = realloc(f->keys, room * sizeof(*f->keys));
		if (!keys)
			return -ENOMEM;
		f->keys = keys;
		f->room = room;
	}
	f->keys[f->count] = (struct xs_key){piece.end_ns, (uint32_t)f->count};
	f->pieces[f->count++] = piece;
	return 0;
}

/* Collects the ops of one queue that ran during the call and that it waited
 * for. *unwaited: an op issued before the call had not ended when it returned.
 */
static int find_in_queue(struct xs_wait_breakdown *f,
			 const struct xs_wait_call *wait, uint32_t queue,
			 bool *unwaited)
{
	const struct xs_trace *trace = f->trace;
	const struct xs_call *call = &trace->calls[wait->index];
	uint32_t *next = &f->next_op[queue], end = f->first_op[queue + 1];

	while (*next < end && trace->ops[f->ops[*next]].end_ns <= wait->from_ns)
		++*next;
	for (uint32_t i = *next; i < end; i++) {
		const struct xs_op *op = &trace->ops[f->ops[i]];
		bool own = op->call == wait->index;

		if (op->start_ns >= call->end_ns)
			break;
		if (op->end_ns <= wait->from_ns ||
		    (!own && op->call != XS_NONE &&
		     trace->calls[op->call].start_ns >= call->start_ns))
			continue;
		if (!own && !xs_call_returned_after(call, op->end_ns)) {
			*unwaited = true;
			continue;
		}
		if (add_piece(f, (struct xs_wait_interval){
				     .start_ns = op->start_ns > wait->from_ns
						     ? op->start_ns
						     : wait->from_ns,
				     .end_ns = op->end_ns < call->end_ns
						   ? op->end_ns
						   : call->end_ns,
				     .part = part_of(op, own),
				     .first = own || queue == wait->queue}))
			return -ENOMEM;
	}
	return 0;
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

int xs_wait_breakdown_split(struct xs_wait_breakdown *f,
			    const struct xs_wait_call *wait, uint64_t *part_ns)
{
	const struct xs_trace *trace = f->trace;
	uint64_t end_ns = trace->calls[wait->index].end_ns, covered_ns = 0;
	struct sweep s = {f, part_ns, 0, end_ns};
	bool unwaited = false;

	memset(part_ns, 0, XS_WAIT_PARTS * sizeof(*part_ns));
	if (end_ns <= wait->from_ns)
		return 0;
	f->count = 0;
	for (uint32_t q = 0; q < trace->queue_count; q++)
		if ((wait->device == XS_WAIT_ANY_DEVICE ||
		     wait->device == trace->queues[q].device) &&
		    find_in_queue(f, wait, q, &unwaited))
			return -ENOMEM;
	if (xs_keys_sort(f->keys, f->count))
		return -ENOMEM;
	s.left = f->count;
	if (!wait->hidden || !unwaited)
		sweep(&s, wait->from_ns, end_ns);
	for (size_t i = 0; i < XS_WAIT_PARTS; i++)
		covered_ns += part_ns[i];
	if (covered_ns > 0)
		part_ns[XS_WAIT_LATENCY] = s.began_ns - wait->from_ns;
	part_ns[XS_WAIT_HOST] =
	    end_ns - wait->from_ns - covered_ns - part_ns[XS_WAIT_LATENCY];
	return 0;
}
