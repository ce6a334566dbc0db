/* SPDX-License-Identifier: MIT */
/* Consecutive rounds that stand for a phase, where it is known what memory
 * their launches were given. */
#include "analyzer/rounds/measure.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

#define MOST_ROUNDS 8u
#define MOST_OPS    4000u

static bool is_known(const struct xs_phase_members *m,
		     const struct xs_round *round)
{
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op =
		    &m->trace->ops[xs_round_op(m->rounds, round, i)];

		if (op->kind == XS_OP_KERNEL && op->call != XS_NONE &&
		    !xs_trace_has_pointers(m->trace, op->call))
			return false;
	}
	return true;
}

/* Adds rounds from `first` on while there is space. */
static void take(const struct xs_phase_members *m, const struct xs_key *order,
		 size_t first, bool known, struct xs_phase *phase)
{
	uint32_t rounds = 0;
	size_t ops = 0;
	uint64_t end_ns = 0;

	for (size_t i = first; i < m->count && rounds < MOST_ROUNDS; i++) {
		const struct xs_round *round =
		    &m->rounds->items[order[i].index];

		if ((rounds && ops + round->op_count > MOST_OPS) ||
		    (known && !is_known(m, round)))
			break;
		ops += round->op_count;
		if (round->end_ns > end_ns)
			end_ns = round->end_ns;
		rounds++;
	}
	if (rounds <= phase->sample_rounds)
		return;
	phase->sample_rounds = rounds;
	phase->sample_ops = ops;
	phase->sample_from_ns = m->rounds->items[order[first].index].begin_ns;
	phase->sample_to_ns = end_ns;
}

/* The first of several rounds differs: its memory is touched first. */
void xs_sample_rounds_find(const struct xs_phase_members *m,
			   struct xs_phase *phase)
{
	struct xs_key *order = xs_malloc((m->count + 1) * sizeof(*order));
	const size_t first = m->count > 2 ? 1 : 0;

	for (size_t i = 0; i < m->count; i++)
		order[i] = (struct xs_key){xs_phase_member(m, i)->begin_ns,
					   m->keys[i].index};
	xs_keys_sort(order, m->count);
	for (size_t i = first;
	     i < m->count && phase->sample_rounds < MOST_ROUNDS;
	     i += phase->sample_rounds ? phase->sample_rounds : 1)
		take(m, order, i, true, phase);
	if (!phase->sample_rounds && m->count)
		take(m, order, first, false, phase);
	free(order);
}
