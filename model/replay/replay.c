/* SPDX-License-Identifier: MIT */
#include "model/replay/replay.h"

#include "model/replay/heap.h"
#include "model/replay/queue_arbiter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* State of an action during replay. */
struct node {
	double issue_ns; /* start of its call */
	double dep_ns;	 /* latest end of its dependencies */
	double end_ns;
	uint32_t pending; /* dependencies that have not ended */
	uint32_t parts;	  /* work and link uses that have not ended */
	uint32_t edges;	  /* first of its dependents, or XS_ACTION_NONE */
	uint32_t next;	  /* next action of its thread, or XS_ACTION_NONE */
	bool issued, done, host_waits;
};

/* `to` depends on the node that holds this edge. */
struct edge {
	uint32_t to, next;
	bool chained; /* same engine and direction: no latency of its own */
};

struct queue {
	uint32_t last; /* its last op */
	bool has_kernel;
	bool open; /* in the list of open queues */
};

struct unit {
	bool busy;
	double free_ns; /* end of its last op; -INFINITY before the first */
	enum xs_unit last;
	struct xs_queue_arbiter arbiter;
};

enum event_kind {
	EVENT_CALL,
	EVENT_START,
	EVENT_WORK_DONE,
	EVENT_TAIL_DONE,
	EVENT_KINDS
};

struct replay {
	const struct xs_plan *plan;
	const struct xs_machine *machine;
	struct xs_action_times *times;
	bool one_engine, in_issue_order;

	struct node *nodes;
	struct xs_queue_entry *arbiter; /* by action */
	struct queue *queues;
	uint32_t *open_queues; /* those whose last op may not have ended */
	uint32_t open_count;
	uint32_t *event_ops; /* by event: the op that it marks */
	struct edge *edges;
	size_t edge_count, edge_room;
	uint32_t last_kernel;

	double now, round_ns;
	struct xs_heap events; /* id = action * EVENT_KINDS + kind */
	struct unit units[XS_UNITS];
	struct xs_link link;
	int rc; /* a failure, which ends the replay */
};

static void post(struct replay *r, double at, uint32_t action,
		 enum event_kind k)
{
	if (xs_heap_push(&r->events, fmax(at, r->now),
			 (uint64_t)action * EVENT_KINDS + k))
		r->rc = -ENOMEM;
}

static struct unit *unit_of(struct replay *r, const struct xs_action *action)
{
	if (action->unit == XS_UNIT_COPY_OUT && r->one_engine)
		return &r->units[XS_UNIT_COPY_IN];
	return &r->units[action->unit];
}

static bool chained(const struct xs_action *before,
		    const struct xs_action *action)
{
	return before->unit == action->unit &&
	       (action->unit == XS_UNIT_COPY_IN ||
		action->unit == XS_UNIT_COPY_OUT);
}

/* The call of an action returns; its thread goes on to the next one. */
static void call_returns(struct replay *r, uint32_t i, double at)
{
	const uint32_t next = r->nodes[i].next;

	if (r->times)
		r->times[i].return_ns = at;
	r->round_ns = fmax(r->round_ns, at);
	if (next != XS_ACTION_NONE)
		post(r, at + r->plan->actions[next].gap_ns, next, EVENT_CALL);
}

/* Makes action i depend on an earlier op that has not ended. */
static void depend(struct replay *r, uint32_t before, uint32_t i)
{
	struct node *node = &r->nodes[i];
	struct edge *grown;
	size_t room;
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
	if (r->edge_count == r->edge_room) {
		room = r->edge_room ? 2 * r->edge_room : 256;
		grown = realloc(r->edges, room * sizeof(*grown));
		if (!grown) {
			r->rc = -ENOMEM;
			return;
		}
		r->edges = grown;
		r->edge_room = room;
	}
	r->edges[r->edge_count] =
	    (struct edge){i, r->nodes[before].edges, chain};
	r->nodes[before].edges = (uint32_t)r->edge_count++;
	node->pending++;
}

/* All dependencies of an action have ended. */
static void becomes_ready(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	const struct node *node = &r->nodes[i];

	if (action->unit == XS_UNIT_NONE)
		post(r,
		     fmax(node->issue_ns + action->issue_lag_ns,
			  node->dep_ns + action->dep_lag_ns),
		     i, EVENT_START);
	else if (xs_queue_arbiter_set_ready(&unit_of(r, action)->arbiter,
					    r->arbiter, i,
					    fmax(node->issue_ns, node->dep_ns)))
		r->rc = -ENOMEM;
}

/* Returns the lag from the end of the unit's previous op to the start of this
 * one. */
static double lag_after_last(const struct replay *r, const struct unit *unit,
			     const struct xs_action *action)
{
	const enum xs_unit other = action->unit == XS_UNIT_COPY_IN
				       ? XS_UNIT_COPY_OUT
				       : XS_UNIT_COPY_IN;

	if (unit->last != action->unit)
		return action->dep_lag_ns;
	return action->unit != XS_UNIT_SM && !r->one_engine &&
		       r->units[other].busy
		   ? action->busy_lag_ns
		   : action->chain_lag_ns;
}

/* Starts the next op of a unit. */
static void dispatch(struct replay *r, struct unit *unit)
{
	const struct xs_action *action;
	const struct node *node;
	double start_ns;
	uint32_t i;

	if (unit->busy ||
	    !xs_queue_arbiter_take(&unit->arbiter, r->arbiter, &i))
		return;
	action = &r->plan->actions[i];
	node = &r->nodes[i];
	unit->busy = true;
	start_ns = fmax(node->issue_ns + action->issue_lag_ns,
			node->dep_ns + action->dep_lag_ns);
	start_ns =
	    fmax(start_ns, unit->free_ns + lag_after_last(r, unit, action));
	unit->last = action->unit;
	post(r, start_ns, i, EVENT_START);
}

static void depend_on_order(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct queue *queue = &r->queues[action->queue];

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
static void depend_on_queues(struct replay *r, uint32_t i)
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

/* Adds all dependencies of an action, in the order of issue. */
static void depend_on_all(struct replay *r, uint32_t i)
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

static void issue(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct node *node = &r->nodes[i];

	node->issued = true;
	node->issue_ns = r->now;
	node->host_waits =
	    action->blocking || action->kind >= XS_ACTION_SYNC_QUEUE;
	depend_on_all(r, i);
	if (action->unit != XS_UNIT_NONE)
		xs_queue_arbiter_issue(&unit_of(r, action)->arbiter, r->arbiter,
				       i, action->queue);
	if (!node->pending)
		becomes_ready(r, i);
	if (!node->host_waits)
		call_returns(r, i, r->now + action->call_ns);
}

static void begin_call(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];

	if (r->times)
		r->times[i].call_ns = r->now;
	if (action->kind == XS_ACTION_RECORD)
		r->event_ops[action->event] = r->queues[action->queue].last;
	if (action->kind == XS_ACTION_HOST || action->kind == XS_ACTION_RECORD)
		call_returns(r, i, r->now + action->call_ns);
	else
		issue(r, i);
}

static void start_op(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	unsigned use;

	if (r->times)
		r->times[i].start_ns = r->now;
	r->nodes[i].parts = 1;
	post(r, r->now + action->work_ns, i, EVENT_WORK_DONE);
	for (use = 0; action->unit != XS_UNIT_NONE && use < XS_LINK_USES;
	     use++) {
		if (action->bytes[use] <= 0)
			continue;
		r->nodes[i].parts++;
		if (xs_link_join(&r->link, i, use, action->bytes[use],
				 action->write_share > 0 ? action->write_share
							 : 1))
			r->rc = -EDOM;
	}
}

static void end_op(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct node *node = &r->nodes[i];
	uint32_t e;

	node->done = true;
	node->end_ns = r->now;
	r->round_ns = fmax(r->round_ns, r->now);
	if (r->times)
		r->times[i].end_ns = r->now;
	for (e = node->edges; e != XS_ACTION_NONE; e = r->edges[e].next) {
		struct node *to = &r->nodes[r->edges[e].to];

		if (!r->edges[e].chained)
			to->dep_ns = r->now;
		if (!--to->pending)
			becomes_ready(r, r->edges[e].to);
	}
	if (node->host_waits)
		call_returns(r, i,
			     fmax(node->end_ns + action->return_ns,
				  node->issue_ns + action->call_ns));
}

static void end_part(struct replay *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct unit *unit = unit_of(r, action);

	if (--r->nodes[i].parts)
		return;
	if (action->unit != XS_UNIT_NONE) {
		unit->busy = false;
		unit->free_ns = r->now;
	}
	if (action->tail_ns > 0)
		post(r, r->now + action->tail_ns, i, EVENT_TAIL_DONE);
	else
		end_op(r, i);
}

/* Advances the clock; link uses may end on the way. */
static void advance(struct replay *r, double to)
{
	uint32_t done[XS_LINK_ROOM];
	unsigned count = xs_link_advance(&r->link, r->now, to, done);

	r->now = to;
	while (count)
		end_part(r, done[--count]);
}

static void handle(struct replay *r, struct xs_heap_item event)
{
	const uint32_t action = (uint32_t)(event.id / EVENT_KINDS);

	switch (event.id % EVENT_KINDS) {
	case EVENT_CALL:
		begin_call(r, action);
		break;
	case EVENT_START:
		start_op(r, action);
		break;
	case EVENT_WORK_DONE:
		end_part(r, action);
		break;
	default:
		end_op(r, action);
	}
}

/* All events of one time are handled before a unit chooses. Among ops that
 * became ready together, the order of issue then decides. */
static void run(struct replay *r)
{
	unsigned u;
	double next;

	while (!r->rc) {
		next = r->now + xs_link_next_ns(&r->link);
		if (r->events.count)
			next = fmin(next, r->events.items[0].key);
		if (!isfinite(next))
			break;
		advance(r, next);
		while (r->events.count && r->events.items[0].key <= r->now)
			handle(r, xs_heap_pop(&r->events));
		for (u = XS_UNIT_COPY_IN; u < XS_UNITS; u++)
			dispatch(r, &r->units[u]);
	}
}

/* Links the actions of each thread and schedules its first call. */
static void prepare(struct replay *r, uint32_t *last_of_thread)
{
	const struct xs_plan *plan = r->plan;
	uint32_t i, *last;

	for (i = 0; i < plan->threads; i++)
		last_of_thread[i] = XS_ACTION_NONE;
	for (i = 0; i < plan->events; i++)
		r->event_ops[i] = XS_ACTION_NONE;
	for (i = 0; i < plan->queues; i++)
		r->queues[i].last = XS_ACTION_NONE;
	for (i = 0; i < XS_UNITS; i++)
		r->units[i].free_ns = -INFINITY;
	for (i = 0; i < plan->count; i++) {
		r->nodes[i].dep_ns = -INFINITY;
		r->nodes[i].edges = XS_ACTION_NONE;
		r->nodes[i].next = XS_ACTION_NONE;
		if (r->times)
			r->times[i] =
			    (struct xs_action_times){NAN, NAN, NAN, NAN};
		last = &last_of_thread[plan->actions[i].thread];
		if (*last == XS_ACTION_NONE)
			post(r, plan->actions[i].gap_ns, i, EVENT_CALL);
		else
			r->nodes[*last].next = i;
		*last = i;
	}
}

/* Implicit synchronisation means one hardware queue for copies and one for
 * kernels. Otherwise the plan says how many the streams share. */
static void set_hw_queues(struct replay *r)
{
	struct xs_queue_arbiter *in = &r->units[XS_UNIT_COPY_IN].arbiter;
	struct xs_queue_arbiter *out = &r->units[XS_UNIT_COPY_OUT].arbiter;
	struct xs_queue_arbiter *sm = &r->units[XS_UNIT_SM].arbiter;

	if (r->in_issue_order) {
		in->hw_queues = out->hw_queues = sm->hw_queues = 1;
		return;
	}
	sm->hw_queues = r->plan->kernel_hw_queues;
	if (r->plan->copy_hw_queues && !r->one_engine) {
		in->hw_queues = out->hw_queues = r->plan->copy_hw_queues;
		in->keeps_queue = out->keeps_queue = true;
	}
}

int xs_replay(const struct xs_plan *plan, const struct xs_machine *machine,
	      double *round_ns, struct xs_action_times *times)
{
	struct replay r = {.plan = plan,
			   .machine = machine,
			   .times = times,
			   .link.machine = machine,
			   .one_engine = machine->copy_engines == 1,
			   .in_issue_order = machine->implicit_sync == 1,
			   .last_kernel = XS_ACTION_NONE};
	uint32_t *last_of_thread =
	    calloc(plan->threads + 1, sizeof(*last_of_thread));
	unsigned u;

	r.nodes = calloc(plan->count + 1, sizeof(*r.nodes));
	r.arbiter = calloc(plan->count + 1, sizeof(*r.arbiter));
	r.queues = calloc(plan->queues + 1, sizeof(*r.queues));
	r.open_queues = calloc(plan->queues + 1, sizeof(*r.open_queues));
	r.event_ops = calloc(plan->events + 1, sizeof(*r.event_ops));
	if (!last_of_thread || !r.nodes || !r.arbiter || !r.queues ||
	    !r.open_queues || !r.event_ops) {
		r.rc = -ENOMEM;
		goto out;
	}
	prepare(&r, last_of_thread);
	set_hw_queues(&r);
	run(&r);
	*round_ns = r.round_ns;
out:
	for (u = 0; u < XS_UNITS; u++)
		xs_queue_arbiter_free(&r.units[u].arbiter);
	xs_heap_free(&r.events);
	free(r.edges);
	free(r.event_ops);
	free(r.open_queues);
	free(r.queues);
	free(r.arbiter);
	free(r.nodes);
	free(last_of_thread);
	return r.rc;
}
