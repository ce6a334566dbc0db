/* SPDX-License-Identifier: MIT */
#include "model/replay/replay.h"

#include "analyzer/util/memory.h"
#include "model/replay/replay_state.h"

#include <math.h>
#include <stdlib.h>

enum event_kind {
	EVENT_CALL,
	EVENT_START,
	EVENT_WORK_DONE,
	EVENT_TAIL_DONE,
	EVENT_KINDS
};

static void post(struct xs_replay_state *r, double at, uint32_t action,
		 enum event_kind k)
{
	xs_heap_push(&r->events, fmax(at, r->now),
		     (uint64_t)action * EVENT_KINDS + k);
}

static struct xs_replay_unit *unit_of(struct xs_replay_state *r,
				      const struct xs_action *action)
{
	if (action->unit == XS_UNIT_COPY_OUT && r->one_engine)
		return &r->units[XS_UNIT_COPY_IN];
	return &r->units[action->unit];
}

/* The call of an action returns; its thread goes on to the next one. */
static void call_returns(struct xs_replay_state *r, uint32_t i, double at)
{
	const uint32_t next = r->nodes[i].next;

	if (r->times)
		r->times[i].return_ns = at;
	r->round_ns = fmax(r->round_ns, at);
	if (next != XS_ACTION_NONE)
		post(r, at + r->plan->actions[next].gap_ns, next, EVENT_CALL);
	else
		r->round_ns = fmax(r->round_ns, at + r->plan->behind_ns);
}

/* All dependencies of an action have ended. */
static void becomes_ready(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	const struct xs_replay_node *node = &r->nodes[i];

	if (action->unit == XS_UNIT_NONE)
		post(r,
		     fmax(node->issue_ns + action->issue_lag_ns,
			  node->dep_ns + action->dep_lag_ns),
		     i, EVENT_START);
	else
		xs_queue_arbiter_set_ready(&unit_of(r, action)->arbiter,
					   r->arbiter, i,
					   fmax(node->issue_ns, node->dep_ns));
}

/* Returns the lag from the end of the unit's previous op to the start of this
 * one. */
static double lag_after_last(const struct xs_replay_state *r,
			     const struct xs_replay_unit *unit,
			     const struct xs_action *action)
{
	const enum xs_unit other = action->unit == XS_UNIT_COPY_IN
				       ? XS_UNIT_COPY_OUT
				       : XS_UNIT_COPY_IN;

	if (unit->last != action->unit)
		return action->dep_lag_ns;
	return action->unit != XS_UNIT_SM && !r->one_engine &&
		       r->units[other].used > 0
		   ? action->busy_lag_ns
		   : action->chain_lag_ns;
}

static double share_of(const struct xs_action *action)
{
	return action->sm_share > 0 ? action->sm_share : 1;
}

/* Shares that add up to less than this over the whole are equal to it: sums of
 * fractions are inexact. */
#define SHARE_ERROR 1e-9

/* A kernel starts beside others if it gets this part of its share. */
#define SHARE_NEEDED 0.95

/* Takes the next op of a unit if its share is free. */
static bool take(const struct xs_replay_state *r, struct xs_replay_unit *unit)
{
	if (unit->held == XS_ACTION_NONE &&
	    (unit->used > 1 - SHARE_ERROR ||
	     !xs_queue_arbiter_take(&unit->arbiter, r->arbiter, &unit->held)))
		return false;
	return unit->used +
		   SHARE_NEEDED * share_of(&r->plan->actions[unit->held]) <
	       1 + SHARE_ERROR;
}

/* Starts the next op of a unit. */
static void start_next(struct xs_replay_state *r, struct xs_replay_unit *unit)
{
	const uint32_t i = unit->held;
	const struct xs_action *action = &r->plan->actions[i];
	const struct xs_replay_node *node = &r->nodes[i];
	double start_ns;

	unit->held = XS_ACTION_NONE;
	unit->used += share_of(action);
	start_ns = fmax(node->issue_ns + action->issue_lag_ns,
			node->dep_ns + action->dep_lag_ns);
	start_ns =
	    fmax(start_ns, unit->free_ns + lag_after_last(r, unit, action));
	unit->last = action->unit;
	post(r, start_ns, i, EVENT_START);
}

static void dispatch(struct xs_replay_state *r, struct xs_replay_unit *unit)
{
	while (take(r, unit))
		start_next(r, unit);
}

static void issue(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct xs_replay_node *node = &r->nodes[i];

	node->issued = true;
	node->issue_ns = r->now;
	node->host_waits =
	    action->blocking || action->kind >= XS_ACTION_SYNC_QUEUE;
	xs_replay_depend(r, i);
	if (action->unit != XS_UNIT_NONE)
		xs_queue_arbiter_issue(&unit_of(r, action)->arbiter, r->arbiter,
				       i, action->queue);
	if (!node->pending)
		becomes_ready(r, i);
	if (!node->host_waits)
		call_returns(r, i, r->now + action->call_ns);
}

static void begin_call(struct xs_replay_state *r, uint32_t i)
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

static void start_op(struct xs_replay_state *r, uint32_t i)
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
		if (!xs_link_join(&r->link, i, use, action->bytes[use],
				  action->write_share > 0 ? action->write_share
							  : 1))
			r->rate_unknown = true;
	}
}

static void end_op(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct xs_replay_node *node = &r->nodes[i];

	node->done = true;
	node->end_ns = r->now;
	r->round_ns = fmax(r->round_ns, r->now);
	if (r->times)
		r->times[i].end_ns = r->now;
	for (uint32_t e = node->edges; e != XS_ACTION_NONE;
	     e = r->edges[e].next) {
		struct xs_replay_node *to = &r->nodes[r->edges[e].to];

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

static void end_part(struct xs_replay_state *r, uint32_t i)
{
	const struct xs_action *action = &r->plan->actions[i];
	struct xs_replay_unit *unit = unit_of(r, action);

	if (--r->nodes[i].parts)
		return;
	if (action->unit != XS_UNIT_NONE) {
		unit->used = fmax(unit->used - share_of(action), 0);
		unit->free_ns = r->now;
	}
	if (action->tail_ns > 0)
		post(r, r->now + action->tail_ns, i, EVENT_TAIL_DONE);
	else
		end_op(r, i);
}

/* Advances the clock; link uses may end on the way. */
static void advance(struct xs_replay_state *r, double to)
{
	uint32_t done[XS_LINK_ROOM];
	unsigned count = xs_link_advance(&r->link, r->now, to, done);

	r->now = to;
	while (count)
		end_part(r, done[--count]);
}

static void handle(struct xs_replay_state *r, struct xs_heap_item event)
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
static void run(struct xs_replay_state *r)
{
	double next;

	while (!r->rate_unknown) {
		next = r->now + xs_link_next_ns(&r->link);
		if (r->events.count)
			next = fmin(next, r->events.items[0].key);
		if (!isfinite(next))
			break;
		advance(r, next);
		while (r->events.count && r->events.items[0].key <= r->now)
			handle(r, xs_heap_pop(&r->events));
		for (unsigned u = XS_UNIT_COPY_IN; u < XS_UNITS; u++)
			dispatch(r, &r->units[u]);
	}
}

/* Links the actions of each thread and schedules its first call. */
static void prepare(struct xs_replay_state *r, uint32_t *last_of_thread)
{
	const struct xs_plan *plan = r->plan;
	uint32_t i, *last;

	for (i = 0; i < plan->threads; i++)
		last_of_thread[i] = XS_ACTION_NONE;
	for (i = 0; i < plan->events; i++)
		r->event_ops[i] = XS_ACTION_NONE;
	for (i = 0; i < plan->queues; i++)
		r->queues[i].last = XS_ACTION_NONE;
	for (i = 0; i < XS_UNITS; i++) {
		r->units[i].free_ns = -INFINITY;
		r->units[i].held = XS_ACTION_NONE;
	}
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
static void set_hw_queues(struct xs_replay_state *r)
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

double xs_replay(const struct xs_plan *plan, const struct xs_machine *machine,
		 struct xs_action_times *times)
{
	struct xs_replay_state r = {.plan = plan,
				    .times = times,
				    .link.machine = machine,
				    .one_engine = machine->copy_engines == 1,
				    .in_issue_order =
					machine->implicit_sync == 1,
				    .last_kernel = XS_ACTION_NONE};
	uint32_t *last_of_thread =
	    xs_calloc(plan->threads + 1, sizeof(*last_of_thread));

	r.nodes = xs_calloc(plan->count + 1, sizeof(*r.nodes));
	r.arbiter = xs_calloc(plan->count + 1, sizeof(*r.arbiter));
	r.queues = xs_calloc(plan->queues + 1, sizeof(*r.queues));
	r.open_queues = xs_calloc(plan->queues + 1, sizeof(*r.open_queues));
	r.event_ops = xs_calloc(plan->events + 1, sizeof(*r.event_ops));
	prepare(&r, last_of_thread);
	set_hw_queues(&r);
	run(&r);
	for (unsigned u = 0; u < XS_UNITS; u++)
		xs_queue_arbiter_free(&r.units[u].arbiter);
	xs_heap_free(&r.events);
	free(r.edges);
	free(r.event_ops);
	free(r.open_queues);
	free(r.queues);
	free(r.arbiter);
	free(r.nodes);
	free(last_of_thread);
	return r.rate_unknown ? NAN : r.round_ns;
}
