/* SPDX-License-Identifier: MIT */
#include "model/replay/queue_arbiter.h"

void xs_turns_issue(struct xs_turns *turns, struct xs_turn *ops, uint32_t op,
		    uint32_t stream)
{
	const unsigned lane = turns->lanes ? stream % turns->lanes : 0;

	if (!turns->lanes)
		return;
	if (turns->queued[lane].count++)
		ops[turns->queued[lane].last].behind = op;
	else
		turns->queued[lane].first = op;
	turns->queued[lane].last = op;
}

int xs_turns_ready(struct xs_turns *turns, struct xs_turn *ops, uint32_t op,
		   double since_ns)
{
	if (!turns->lanes)
		return xs_heap_push(&turns->waiting, since_ns, op);
	ops[op].ready = true;
	ops[op].since_ns = since_ns;
	return 0;
}

/* The first op of a lane, if that may start; or NULL. */
static const struct xs_turn *head(const struct xs_turns *turns,
				  const struct xs_turn *ops, unsigned lane)
{
	const uint32_t first = turns->queued[lane].first;

	return turns->queued[lane].count && ops[first].ready ? &ops[first]
							     : NULL;
}

/* NULL comes after all others; ops are in the order of issue. */
static bool is_before(const struct xs_turn *a, const struct xs_turn *b)
{
	if (!a || !b)
		return a != NULL;
	if (a->since_ns < b->since_ns || a->since_ns > b->since_ns)
		return a->since_ns < b->since_ns;
	return a < b;
}

static unsigned choose(const struct xs_turns *turns, const struct xs_turn *ops)
{
	unsigned lane, best = turns->lane;

	if (turns->stays && head(turns, ops, best))
		return best;
	for (lane = 0; lane < turns->lanes; lane++)
		if (is_before(head(turns, ops, lane), head(turns, ops, best)))
			best = lane;
	return best;
}

static bool take_waiting(struct xs_heap *waiting, uint32_t *op)
{
	if (!waiting->count)
		return false;
	*op = (uint32_t)xs_heap_pop(waiting).id;
	return true;
}

bool xs_turns_take(struct xs_turns *turns, struct xs_turn *ops, uint32_t *op)
{
	unsigned lane;

	if (!turns->lanes)
		return take_waiting(&turns->waiting, op);
	lane = choose(turns, ops);
	if (!head(turns, ops, lane))
		return false;
	*op = turns->queued[lane].first;
	turns->queued[lane].first = ops[*op].behind;
	turns->queued[lane].count--;
	turns->lane = lane;
	return true;
}

void xs_turns_free(struct xs_turns *turns)
{
	xs_heap_free(&turns->waiting);
}
