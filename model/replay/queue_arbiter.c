/* SPDX-License-Identifier: MIT */
#include "model/replay/queue_arbiter.h"

void xs_queue_arbiter_issue(struct xs_queue_arbiter *arbiter,
			    struct xs_queue_entry *ops, uint32_t op,
			    uint32_t stream)
{
	const unsigned lane = arbiter->lanes ? stream % arbiter->lanes : 0;

	if (!arbiter->lanes)
		return;
	if (arbiter->queued[lane].count++)
		ops[arbiter->queued[lane].last].behind = op;
	else
		arbiter->queued[lane].first = op;
	arbiter->queued[lane].last = op;
}

int xs_queue_arbiter_set_ready(struct xs_queue_arbiter *arbiter,
			       struct xs_queue_entry *ops, uint32_t op,
			       double since_ns)
{
	if (!arbiter->lanes)
		return xs_heap_push(&arbiter->waiting, since_ns, op);
	ops[op].ready = true;
	ops[op].since_ns = since_ns;
	return 0;
}

/* The first op of a lane, if that may start; or NULL. */
static const struct xs_queue_entry *head(const struct xs_queue_arbiter *arbiter,
					 const struct xs_queue_entry *ops,
					 unsigned lane)
{
	const uint32_t first = arbiter->queued[lane].first;

	return arbiter->queued[lane].count && ops[first].ready ? &ops[first]
							       : NULL;
}

/* NULL comes after all others; ops are in the order of issue. */
static bool is_before(const struct xs_queue_entry *a,
		      const struct xs_queue_entry *b)
{
	if (!a || !b)
		return a != NULL;
	if (a->since_ns < b->since_ns || a->since_ns > b->since_ns)
		return a->since_ns < b->since_ns;
	return a < b;
}

static unsigned choose(const struct xs_queue_arbiter *arbiter,
		       const struct xs_queue_entry *ops)
{
	unsigned lane, best = arbiter->lane;

	if (arbiter->stays && head(arbiter, ops, best))
		return best;
	for (lane = 0; lane < arbiter->lanes; lane++)
		if (is_before(head(arbiter, ops, lane),
			      head(arbiter, ops, best)))
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

bool xs_queue_arbiter_take(struct xs_queue_arbiter *arbiter,
			   struct xs_queue_entry *ops, uint32_t *op)
{
	unsigned lane;

	if (!arbiter->lanes)
		return take_waiting(&arbiter->waiting, op);
	lane = choose(arbiter, ops);
	if (!head(arbiter, ops, lane))
		return false;
	*op = arbiter->queued[lane].first;
	arbiter->queued[lane].first = ops[*op].behind;
	arbiter->queued[lane].count--;
	arbiter->lane = lane;
	return true;
}

void xs_queue_arbiter_free(struct xs_queue_arbiter *arbiter)
{
	xs_heap_free(&arbiter->waiting);
}
