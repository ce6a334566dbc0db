/* SPDX-License-Identifier: MIT */
/* Copies that all rounds of a phase make from or to the same host memory, and
 * in how many sets of device memory the copies in end in turn. */
#include "analyzer/rounds/measure.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* A range that a round copies from, or to. */
struct range {
	uint64_t address, bytes;
	size_t round;
};

static int by_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->round > y->round) - (x->round < y->round);
}

static bool is_same_range(const struct range *a, const struct range *b)
{
	return a->address == b->address && a->bytes == b->bytes;
}

static size_t count_ops(const struct xs_phase_members *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++)
		count += xs_phase_member(m, i)->op_count;
	return count;
}

/* Lists where the copies of a kind come from or, if ends, go to, in all rounds,
 * sorted. Returns their number. */
static size_t list_ranges(const struct xs_phase_members *m, uint8_t kind,
			  bool ends, struct range *ranges)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);
		const uint32_t *ops = m->rounds->ops + round->first_op;

		for (uint32_t j = 0; j < round->op_count; j++) {
			const struct xs_op *op = &m->trace->ops[ops[j]];
			uint64_t at;

			if (op->kind != kind || op->call == XS_NONE)
				continue;
			at = ends ? m->trace->calls[op->call].dst
				  : m->trace->calls[op->call].src;
			if (at)
				ranges[count++] =
				    (struct range){at, op->bytes, i};
		}
	}
	qsort(ranges, count, sizeof(*ranges), by_range);
	return count;
}

/* Keeps the ranges that all rounds have, each once. Returns their number. */
static size_t keep_common(struct range *ranges, size_t count, size_t rounds)
{
	size_t kept = 0, first, end;

	for (first = 0; first < count; first = end) {
		size_t in = 1;

		for (end = first + 1;
		     end < count && is_same_range(&ranges[first], &ranges[end]);
		     end++)
			in += ranges[end].round != ranges[end - 1].round;
		if (in == rounds)
			ranges[kept++] = (struct range){ranges[first].address,
							ranges[first].bytes, 0};
	}
	return kept;
}

/* How many sets of memory the largest copies end in, in turn; 0: unknown. */
static uint32_t count_sets(const struct range *ends, size_t count,
			   size_t rounds)
{
	uint64_t most_bytes = 0;
	size_t copies = 0, places = 0;

	for (size_t i = 0; i < count; i++)
		if (ends[i].bytes > most_bytes)
			most_bytes = ends[i].bytes;
	for (size_t i = 0; i < count; i++) {
		if (ends[i].bytes != most_bytes)
			continue;
		copies++;
		places += !i || !is_same_range(&ends[i - 1], &ends[i]);
	}
	return copies ? (uint32_t)((places * rounds + copies / 2) / copies) : 0;
}

/* Marks the steps of a kind whose host memory all rounds have. */
static void mark_same(const struct xs_phase_members *m, bool in,
		      struct range *ranges, struct xs_phase *phase)
{
	size_t count = list_ranges(m, in ? XS_OP_H2D : XS_OP_D2H, !in, ranges);

	count = keep_common(ranges, count, m->count);
	XS_EACH_MUTABLE(step, phase->steps, phase->step_count) {
		const struct range range = {in ? step->src : step->dst,
					    step->bytes, 0};

		if (step->kind == (in ? XS_STEP_H2D : XS_STEP_D2H))
			step->same_host =
			    bsearch(&range, ranges, count, sizeof(*ranges),
				    by_range) != NULL;
	}
}

void xs_same_host_find(const struct xs_phase_members *m, struct xs_phase *phase)
{
	struct range *ranges;

	if (m->count < 2)
		return;
	ranges = xs_malloc((count_ops(m) + 1) * sizeof(*ranges));
	phase->in_sets = count_sets(
	    ranges, list_ranges(m, XS_OP_H2D, true, ranges), m->count);
	mark_same(m, true, ranges, phase);
	mark_same(m, false, ranges, phase);
	free(ranges);
}
