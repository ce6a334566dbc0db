/* SPDX-License-Identifier: MIT */
#include "model/replay/queue_arbiter.h"

void xs_queue_arbiter_issue(struct xs_queue_arbiter *arbiter,
			    struct xs_queue_entry *ops, uint32_t op,
			    uint32_t stream)
{
	const unsigned hw_queue =
	    arbiter->hw_queues ? stream % arbiter->hw_queues : 0;

	if (!arbiter->hw_queues)
		return;
	if (arbiter->queued[hw_queue].count++)
		ops[arbiter->queued[hw_queue].last].behind = op;
	else
		arbiter->queued[hw_queue].first = op;
	arbiter->queued[hw_queue].last = op;
}

void xs_queue_arbiter_set_ready(struct xs_queue_arbiter *arbiter,
				struct xs_queue_entry *ops, uint32_t op,
				double since_ns)
{
	if (!arbiter->hw_queues) {
		xs_heap_push(&arbiter->waiting, since_ns, op);
		return;
	}
	arbiter->ready++;
	ops[op].ready = true;
	ops[op].since_ns = since_ns;
}

/* Returns the first op of a hardware queue if it is ready, else NULL. */
static const struct xs_queue_entry *head(const struct xs_queue_arbiter *arbiter,
					 const struct xs_queue_entry *ops,
					 unsigned hw_queue)
{
	const uint32_t first = arbiter->queued[hw_queue].first;

	return arbiter->queued[hw_queue].count && ops[first].ready ? &ops[first]
								   : NULL;
}

/* NULL comes last. Ops are compared by address, which is the order of issue. */
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
	unsigned hw_queue, best = arbiter->hw_queue;

	if (arbiter->keeps_queue && head(arbiter, ops, best))
		return best;
	for (hw_queue = 0; hw_queue < arbiter->hw_queues; hw_queue++)
		if (is_before(head(arbiter, ops, hw_queue),
			      head(arbiter, ops, best)))
			best = hw_queue;
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
	unsigned hw_queue;

	if (!arbiter->hw_queues)
		return take_waiting(&arbiter->waiting, op);
	if (!arbiter->ready)
		return false;
	hw_queue = choose(arbiter, ops);
	if (!head(arbiter, ops, hw_queue))
		return false;
	*op = arbiter->queued[hw_queue].first;
	arbiter->queued[hw_queue].first = ops[*op].behind;
	arbiter->queued[hw_queue].count--;
	arbiter->ready--;
	arbiter->hw_queue = hw_queue;
	return true;
}

void xs_queue_arbiter_free(struct xs_queue_arbiter *arbiter)
{
	xs_heap_free(&arbiter->waiting);
}
