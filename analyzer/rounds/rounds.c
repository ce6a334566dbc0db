/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/rounds.h"

#include "analyzer/rounds/repeated_copies.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

/* Devices of a thread that get a lane each; device numbers beyond share one. */
#define LANES 16

/* Position of an op in the order copy in, compute, copy out. */
enum stage { STAGE_NONE = -1, STAGE_H2D, STAGE_KERNEL, STAGE_D2H };

/* The current round of one lane. */
struct lane {
	uint32_t round; /* index; XS_NONE: no current round */
	int stage;	/* highest stage so far */
	bool copied_after_kernel;
	bool ends_with_kernel; /* the last op is one */
	bool synchronised; /* host and device have synchronised since the last
			    * op */
	bool by_sync_call; /* ... by a synchronisation call */
	bool cut;	   /* what came before was not recorded */
	uint64_t ops_end_ns;
	uint32_t last_call; /* positions in rounds->calls */
	uint32_t sync_call;
};

struct cutter {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	uint32_t *round_of_op;
	struct last_rounds {
		uint32_t any, head;
	} * last_round; /* by op identity: the last round that had it, and that
			 * had it first or right after a synchronisation call */
	size_t last_round_count;
	uint32_t *first_op_of_call; /* into ops_by_call; with one more at the
				     * end */
	uint32_t *ops_by_call;
	struct lane lanes[LANES]; /* of the current thread */
	size_t lane_count;	  /* number of lanes in use */
	size_t window;		  /* of the current call */
	bool cut;		  /* what came before was not recorded */
};

static enum stage stage_of(const struct xs_op *op)
{
	switch (op->kind) {
	case XS_OP_H2D:
		return STAGE_H2D;
	case XS_OP_KERNEL:
		return STAGE_KERNEL;
	case XS_OP_D2H:
		return STAGE_D2H;
	}
	return STAGE_NONE;
}

/* Frees wait for the device implicitly. A poll that returns success also shows
 * that the device is done. */
static bool waits_for_device(const struct cutter *c, uint32_t index)
{
	const struct xs_call *call = &c->trace->calls[index];
	uint8_t call_class = call->call_class;

	return c->rounds->blocked[index] || call_class == XS_CALL_FREE_DEVICE ||
	       call_class == XS_CALL_FREE_PINNED ||
	       call_class == XS_CALL_UNREGISTER || call->done;
}

static int start_round(struct cutter *c, struct lane *lane)
{
	struct xs_rounds *rounds = c->rounds;
	struct xs_round *items =
	    xs_array_grow(rounds->items, rounds->count, sizeof(*items));

	if (!items)
		return -ENOMEM;
	rounds->items = items;
	items[rounds->count] =
	    (struct xs_round){.begin_ns = UINT64_MAX, .partial = lane->cut};
	*lane = (struct lane){.round = (uint32_t)rounds->count++,
			      .stage = STAGE_NONE};
	return 0;
}

/* Sets the end of the lane's round and closes it. */
static void end_round(struct cutter *c, struct lane *lane)
{
	struct xs_round *round;

	if (lane->round == XS_NONE)
		return;
	round = &c->rounds->items[lane->round];
	round->end_ns = lane->ops_end_ns;
	if (round->call_count > 0) {
		uint32_t last =
		    lane->synchronised ? lane->sync_call : lane->last_call;
		const struct xs_call *call =
		    &c->trace->calls[c->rounds->calls[last]];

		round->call_count = last - round->first_call + 1;
		if (call->end_ns > round->end_ns)
			round->end_ns = call->end_ns;
	}
	lane->round = XS_NONE;
}

/*
 * Returns whether the op begins a new round. Host and device must have
 * synchronised, and the op must step back: from copying out to computing, or
 * from computing to copying in. If nothing is copied out, a new round begins
 * when an op of the round repeats after a synchronisation call; if it copies in
 * behind a kernel, when that call follows a kernel and the op was the first one
 * after such a call before.
 */
static bool begins_round(const struct cutter *c, const struct lane *lane,
			 const struct xs_op *op, uint32_t identity)
{
	enum stage stage = stage_of(op);

	if (!lane->synchronised)
		return false;
	if (stage != STAGE_NONE && (int)stage < lane->stage)
		return true;
	if (!lane->by_sync_call || lane->stage != STAGE_KERNEL ||
	    identity >= c->last_round_count)
		return false;
	return lane->copied_after_kernel
		   ? lane->ends_with_kernel &&
			 c->last_round[identity].head == lane->round
		   : c->last_round[identity].any == lane->round;
}

static int remember_identity(struct cutter *c, uint32_t identity,
			     uint32_t round, bool head)
{
	while (c->last_round_count <= identity) {
		struct last_rounds *grown = xs_array_grow(
		    c->last_round, c->last_round_count, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		c->last_round = grown;
		grown[c->last_round_count++] =
		    (struct last_rounds){XS_NONE, XS_NONE};
	}
	c->last_round[identity].any = round;
	if (head)
		c->last_round[identity].head = round;
	return 0;
}

static void count_op(struct cutter *c, struct xs_round *round,
		     const struct xs_op *op, uint32_t identity)
{
	if (op->start_ns < round->begin_ns)
		round->begin_ns = op->start_ns;
	round->device = c->trace->queues[op->queue].device;
	round->op_count++;
	/* The sum does not depend on the order of the ops, but on their number.
	 * Sets are left out: the first round often has those of the program's
	 * setup and should still equal the others. */
	if (op->kind != XS_OP_SET)
		round->key += c->rounds->table.items[identity].hash;
	if (op->kind == XS_OP_H2D)
		round->h2d_bytes += op->bytes;
	if (op->kind == XS_OP_D2H)
		round->d2h_bytes += op->bytes;
}

/* position: of the op's call in rounds->calls, or XS_NONE. */
static int add_op(struct cutter *c, struct lane *lane, uint32_t index,
		  uint32_t position)
{
	const struct xs_op *op = &c->trace->ops[index];
	enum stage stage = stage_of(op);
	struct xs_round *round;
	uint32_t identity;
	bool head;

	if (xs_op_identities_find(&c->rounds->table, c->trace, op, &identity))
		return -ENOMEM;
	c->rounds->identities[index] = identity;
	if (lane->round != XS_NONE && begins_round(c, lane, op, identity))
		end_round(c, lane);
	head = lane->round == XS_NONE || lane->by_sync_call;
	if (lane->round == XS_NONE && start_round(c, lane))
		return -ENOMEM;

	round = &c->rounds->items[lane->round];
	c->round_of_op[index] = lane->round;
	count_op(c, round, op, identity);
	if (position != XS_NONE) {
		const struct xs_call *call = &c->trace->calls[op->call];

		if (round->call_count++ == 0)
			round->first_call = position;
		if (call->start_ns < round->begin_ns)
			round->begin_ns = call->start_ns;
		lane->last_call = position;
	}
	if (lane->stage == STAGE_KERNEL && op->kind == XS_OP_H2D)
		lane->copied_after_kernel = true;
	lane->ends_with_kernel = stage == STAGE_KERNEL;
	if ((int)stage > lane->stage)
		lane->stage = stage;
	if (op->end_ns > lane->ops_end_ns)
		lane->ops_end_ns = op->end_ns;
	lane->synchronised = lane->by_sync_call = false;
	return remember_identity(c, identity, lane->round, head);
}

/* A waiting call has returned: marks the lanes whose ops have ended by then. A
 * synchronisation right after a blocking copy still belongs to the copy's
 * round. */
static void mark_synchronised(struct cutter *c, const struct xs_call *call,
			      uint32_t position)
{
	bool is_sync = xs_call_is_sync(call);

	for (size_t i = 0; i < c->lane_count; i++) {
		struct lane *lane = &c->lanes[i];

		if (lane->round == XS_NONE ||
		    !xs_call_returned_after(call, lane->ops_end_ns))
			continue;
		if (!lane->synchronised || (is_sync && !lane->by_sync_call &&
					    position == lane->sync_call + 1))
			lane->sync_call = position;
		lane->synchronised = true;
		lane->by_sync_call |= is_sync;
	}
}

static struct lane *lane_of(struct cutter *c, const struct xs_op *op)
{
	size_t index = c->trace->queues[op->queue].device % LANES;

	while (c->lane_count <= index)
		c->lanes[c->lane_count++] =
		    (struct lane){.round = XS_NONE, .cut = c->cut};
	return &c->lanes[index];
}

static int cut_call(struct cutter *c, uint32_t position)
{
	uint32_t index = c->rounds->calls[position];
	const struct xs_call *call = &c->trace->calls[index];

	if (call->error != 0)
		return 0;
	for (uint32_t i = c->first_op_of_call[index];
	     i < c->first_op_of_call[index + 1]; i++) {
		const struct xs_op *op = &c->trace->ops[c->ops_by_call[i]];

		if (add_op(c, lane_of(c, op), c->ops_by_call[i], position))
			return -ENOMEM;
	}
	if (waits_for_device(c, index))
		mark_synchronised(c, call, position);
	return 0;
}

static void end_lanes(struct cutter *c)
{
	for (size_t i = 0; i < c->lane_count; i++)
		end_round(c, &c->lanes[i]);
	c->lane_count = 0;
}

/* The calls that follow were not recorded: the current rounds may be
 * incomplete. */
static void leave_window(struct cutter *c)
{
	for (size_t i = 0; i < c->lane_count; i++)
		if (c->lanes[i].round != XS_NONE)
			c->rounds->items[c->lanes[i].round].partial = true;
	end_lanes(c);
}

/* The first window may begin with the run. */
static void enter_window(struct cutter *c, const struct xs_call *call)
{
	size_t window = xs_window_of(c->trace, call->start_ns);

	if (window == c->window)
		return;
	leave_window(c);
	c->window = window;
	c->cut = window > 1 || c->trace->begins_counted;
}

static void end_thread(struct cutter *c)
{
	const struct xs_trace *trace = c->trace;
	bool cut =
	    c->window > 0 && trace->windows[c->window - 1].end_ns != UINT64_MAX;

	if (cut)
		leave_window(c);
	else
		end_lanes(c);
}

static int cut_threads(struct cutter *c)
{
	const struct xs_call *calls = c->trace->calls;
	const uint32_t *order = c->rounds->calls;
	int rc = 0;

	for (size_t i = 0; !rc && i < c->trace->call_count; i++) {
		if (i > 0 &&
		    calls[order[i]].thread != calls[order[i - 1]].thread)
			end_thread(c);
		if (xs_trace_is_sampled(c->trace))
			enter_window(c, &calls[order[i]]);
		rc = cut_call(c, (uint32_t)i);
	}
	end_thread(c);
	return rc;
}

/* Ops without a known call are cut into rounds where their queue is idle. */
static int cut_queues(struct cutter *c)
{
	size_t count = c->trace->queue_count;
	struct lane *lanes = calloc(count + 1, sizeof(*lanes));
	int rc = 0;

	if (!lanes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		lanes[i].round = XS_NONE;
	for (size_t i = 0; !rc && i < c->trace->op_count; i++) {
		const struct xs_op *op = &c->trace->ops[i];
		struct lane *lane = &lanes[op->queue];

		if (op->call != XS_NONE && c->trace->calls[op->call].error == 0)
			continue;
		lane->synchronised = op->start_ns > lane->ops_end_ns;
		rc = add_op(c, lane, (uint32_t)i, XS_NONE);
	}
	for (size_t i = 0; i < count; i++)
		end_round(c, &lanes[i]);
	free(lanes);
	return rc;
}

/* Fills rounds->calls: by thread, then by start. The sort is stable and calls
 * are sorted by start. */
static int order_calls(struct cutter *c)
{
	size_t count = c->trace->call_count;
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	int rc = -ENOMEM;

	if (!keys)
		return rc;
	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){c->trace->calls[i].thread, (uint32_t)i};
	rc = xs_keys_sort(keys, count);
	for (size_t i = 0; !rc && i < count; i++)
		c->rounds->calls[i] = keys[i].index;
	free(keys);
	return rc;
}

/* Counting sort: the ops of each call, by start. */
static void list_ops(struct cutter *c)
{
	const struct xs_trace *trace = c->trace;
	uint32_t *first = c->first_op_of_call;

	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			first[trace->ops[i].call + 1]++;
	for (size_t i = 1; i <= trace->call_count; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			c->ops_by_call[first[trace->ops[i].call]++] =
			    (uint32_t)i;
	for (size_t i = trace->call_count; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

/* Counting sort: the ops of each round. */
static void gather_ops(struct cutter *c)
{
	struct xs_rounds *rounds = c->rounds;
	uint32_t next = 0;

	for (size_t i = 0; i < rounds->count; i++) {
		rounds->items[i].first_op = next;
		next += rounds->items[i].op_count;
		rounds->items[i].op_count = 0;
	}
	for (size_t i = 0; i < c->trace->op_count; i++) {
		struct xs_round *round = &rounds->items[c->round_of_op[i]];

		rounds->ops[round->first_op + round->op_count++] = (uint32_t)i;
	}
}

int xs_rounds_build(const struct xs_trace *trace, struct xs_rounds *rounds)
{
	struct cutter c = {.trace = trace, .rounds = rounds};
	size_t ops = trace->op_count + 1, calls = trace->call_count + 2;
	int rc = -ENOMEM;

	*rounds = (struct xs_rounds){0};
	rounds->ops = malloc(ops * sizeof(uint32_t));
	rounds->calls = malloc(calls * sizeof(uint32_t));
	rounds->identities = malloc(ops * sizeof(uint32_t));
	rounds->blocked = xs_calls_blocked(trace);
	c.round_of_op = malloc(ops * sizeof(uint32_t));
	c.ops_by_call = malloc(ops * sizeof(uint32_t));
	c.first_op_of_call = calloc(calls, sizeof(uint32_t));
	if (rounds->ops && rounds->calls && rounds->identities &&
	    rounds->blocked && c.round_of_op && c.ops_by_call &&
	    c.first_op_of_call)
		rc = xs_repeated_copies_find(trace, &rounds->same);
	if (!rc)
		rc = order_calls(&c);
	if (!rc) {
		list_ops(&c);
		rc = cut_threads(&c);
	}
	if (!rc)
		rc = cut_queues(&c);
	if (!rc)
		gather_ops(&c);
	free(c.round_of_op);
	free(c.last_round);
	free(c.first_op_of_call);
	free(c.ops_by_call);
	if (rc)
		xs_rounds_free(rounds);
	return rc;
}

void xs_rounds_free(struct xs_rounds *rounds)
{
	free(rounds->items);
	free(rounds->ops);
	free(rounds->calls);
	free(rounds->identities);
	free(rounds->blocked);
	free(rounds->same);
	xs_op_identities_free(&rounds->table);
	*rounds = (struct xs_rounds){0};
}
