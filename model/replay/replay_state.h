/* SPDX-License-Identifier: MIT */
/* The state of a replay, for replay.c and the files beside it. */
#pragma once

#include "model/machine/link.h"
#include "model/replay/heap.h"
#include "model/replay/plan.h"
#include "model/replay/queue_arbiter.h"

struct xs_action_times;

/* State of an action during replay. */
struct xs_replay_node {
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
struct xs_replay_edge {
	uint32_t to, next;
	bool chained; /* same engine and direction: no latency of its own */
};

struct xs_replay_queue {
	uint32_t last; /* its last op */
	bool has_kernel;
	bool open; /* in the list of open queues */
};

struct xs_replay_unit {
	double used;	/* share of the unit that its ops keep busy */
	uint32_t held;	/* the next op, which waits for its share; or
			 * XS_ACTION_NONE */
	double free_ns; /* end of its last op; -INFINITY before the first */
	enum xs_unit last;
	struct xs_queue_arbiter arbiter;
};

struct xs_replay_state {
	const struct xs_plan *plan;
	struct xs_action_times *times;
	bool one_engine, in_issue_order;

	struct xs_replay_node *nodes;
	struct xs_queue_entry *arbiter; /* by action */
	struct xs_replay_queue *queues;
	uint32_t *open_queues; /* those whose last op may not have ended */
	uint32_t open_count;
	uint32_t *event_ops; /* by event: the op that it marks */
	struct xs_replay_edge *edges;
	size_t edge_count;
	uint32_t last_kernel;

	double now, round_ns;
	struct xs_heap events; /* id = action * EVENT_KINDS + kind */
	struct xs_replay_unit units[XS_UNITS];
	struct xs_link link;
	bool rate_unknown; /* of a link use, which ends the replay */
};

/* Adds all dependencies of an action, in the order of issue. */
void xs_replay_depend(struct xs_replay_state *r, uint32_t action);
