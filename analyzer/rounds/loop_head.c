/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/loop_head.h"

#include "analyzer/rounds/phase.h"

/* Sums up for each identity how long the GPU was idle before its ops, without
 * the longest time, in s->values. */
static void sum_idle(const struct xs_splitter *s, const struct xs_round *round)
{
	uint64_t *idle_ns = s->values, *longest_ns = s->scratch, end_ns = 0;

	for (uint32_t i = 0; i < round->op_count; i++) {
		idle_ns[xs_round_identity(s->rounds, round, i)] = 0;
		longest_ns[xs_round_identity(s->rounds, round, i)] = 0;
	}
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op =
		    &s->trace->ops[xs_round_op(s->rounds, round, i)];
		const uint32_t identity =
		    xs_round_identity(s->rounds, round, i);
		uint64_t gap_ns = i == 0 ? UINT64_MAX
				  : op->start_ns > end_ns
				      ? op->start_ns - end_ns
				      : 0;

		if (gap_ns > longest_ns[identity]) {
			const uint64_t longer_ns = gap_ns;

			gap_ns = longest_ns[identity];
			longest_ns[identity] = longer_ns;
		}
		idle_ns[identity] += gap_ns;
		if (op->end_ns > end_ns)
			end_ns = op->end_ns;
	}
}

uint32_t xs_loop_head_idle(const struct xs_splitter *s,
			   const struct xs_round *round, uint32_t iterations)
{
	uint32_t head = XS_NONE;

	sum_idle(s, round);
	for (uint32_t i = 0; i < round->op_count; i++) {
		const uint32_t identity =
		    xs_round_identity(s->rounds, round, i);

		if (s->counts[identity] >= iterations &&
		    s->counts[identity] <= iterations + iterations / 4 &&
		    (head == XS_NONE || s->values[identity] > s->values[head]))
			head = identity;
	}
	return head;
}

uint32_t xs_loop_head_copy(const struct xs_splitter *s,
			   const struct xs_round *round, uint32_t *queue)
{
	uint32_t head = XS_NONE, fewest = UINT32_MAX;

	*queue = XS_NONE;
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op =
		    &s->trace->ops[xs_round_op(s->rounds, round, i)];
		const uint32_t identity =
		    xs_round_identity(s->rounds, round, i);

		if (op->kind != XS_OP_H2D) {
			if (*queue != XS_NONE && op->queue != *queue)
				return XS_NONE;
			*queue = op->queue;
		} else if (op->bytes > XS_ARGUMENT_BYTES &&
			   s->counts[identity] >= XS_LOOP_LEAST &&
			   s->counts[identity] < fewest) {
			head = identity;
			fewest = s->counts[identity];
		}
	}
	return head;
}
