/* SPDX-License-Identifier: MIT */
/* What an action of a replay waits for: its queue, events, synchronisations. */
#include "model/replay/replay_state.h"

#include "analyzer/util/sort.h"

#include <math.h>
#include <stdlib.h>

static bool chained(const struct xs_action *before,
		    const struct xs_action *action)
{
	return before->unit == action->unit &&
	       (action->unit == XS_UNIT_COPY_IN ||
		action->unit == XS_UNIT_COPY_OUT);
}

/* Makes action i depend on an earlier op that has not ended. */
static void depend(struct xs_replay_state *r, uint32_t before, uint32_t i)
{
	struct xs_replay_node *node = &r->nodes[i];
	bool chain;

	if (before == XS_ACTION_NONE || !r->nodes[before].issued)
		return;
	chain = chained(&r->plan->actions[before], &r->plan->actions[i]);
	if (r->nodes[before].done) {
		if (!chain)
			node->dep_ns =
			    fmax(node->dep_ns, r->nodes[before].end_ns);
		return;
	}
	XS_ARRAY_ADD(r->edges, r->edge_count,
		     (struct xs_replay_edge){i, r->nodes[before].edges, chain});
	r->nodes[before].edges = (uint32_t)r->edge_count - 1;
	node->pending++;
}

static void depend_on_order(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct xs_replay_queue *queue = &r->queues[action->queue];

	if (!action->unordered)
		depend(r, queue->last, i);
	depend(r, action->after, i);
	if (r->in_issue_order && queue->has_kernel)
		depend(r, r->last_kernel, i);
	queue->last = i;
	if (!queue->open)
		r->open_queues[r->open_count++] = action->queue;
	queue->open = true;
	if (action->unit == XS_UNIT_SM) {
		queue->has_kernel = true;
		r->last_kernel = i;
	}
}

/* Forgets queues whose ops have ended, so that many synchronisations of many
 * queues do not take the product of both. */
static void depend_on_queues(struct xs_replay_state *r, uint32_t i)
{
	uint32_t q, kept = 0;

	for (q = 0; q < r->open_count; q++) {
		const uint32_t open = r->open_queues[q];
		const uint32_t last = r->queues[open].last;

		depend(r, last, i);
		r->queues[open].open = !r->nodes[last].done;
		if (r->queues[open].open)
			r->open_queues[kept++] = open;
	}
	r->open_count = kept;
}

void xs_replay_depend(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];

	switch (action->kind) {
	case XS_ACTION_WAIT:
		depend(r, r->event_ops[action->event], i);
		depend_on_order(r, i);
		break;
	case XS_ACTION_SYNC_QUEUE:
		depend(r, r->queues[action->queue].last, i);
		break;
	case XS_ACTION_SYNC_EVENT:
		depend(r, r->event_ops[action->event], i);
		break;
	case XS_ACTION_SYNC_ALL:
		depend_on_queues(r, i);
		break;
	default:
		depend_on_order(r, i);
	}
}
