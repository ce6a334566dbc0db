/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/join_rounds.h"
#include "analyzer/rounds/lanes.h"
#include "analyzer/rounds/repeated_copies.h"
#include "analyzer/rounds/split_loops.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* Devices of a thread that get a lane each; device numbers beyond share one. */
#define LANES 16

struct cutter {
	struct xs_lane_rounds out;
	uint32_t *first_op_of_call; /* into ops_by_call; with one more at the
				     * end */
	uint32_t *ops_by_call;
	struct xs_lane lanes[LANES]; /* of the current thread */
	size_t lane_count;	     /* number of lanes in use */
	size_t window;		     /* of the current call */
	bool cut;		     /* what came before was not recorded */
};

/* Frees wait for the device implicitly. A poll that returns success also shows
 * that the device is done. */
static bool waits_for_device(const struct cutter *c, uint32_t index)
{
	const struct xs_call *call = &c->out.trace->calls[index];
	uint8_t call_class = call->call_class;

	return c->out.rounds->blocked[index] ||
	       call_class == XS_CALL_FREE_DEVICE ||
	       call_class == XS_CALL_FREE_PINNED ||
	       call_class == XS_CALL_UNREGISTER || call->done;
}

static struct xs_lane *lane_of(struct cutter *c, const struct xs_op *op)
{
	size_t index = c->out.trace->queues[op->queue].device % LANES;

	while (c->lane_count <= index)
		c->lanes[c->lane_count++] =
		    (struct xs_lane){.round = XS_NONE, .cut = c->cut};
	return &c->lanes[index];
}

static void cut_call(struct cutter *c, uint32_t position)
{
	uint32_t index = c->out.rounds->calls[position];
	const struct xs_call *call = &c->out.trace->calls[index];

	if (call->error != 0)
		return;
	for (uint32_t i = c->first_op_of_call[index];
	     i < c->first_op_of_call[index + 1]; i++) {
		const struct xs_op *op = &c->out.trace->ops[c->ops_by_call[i]];

		xs_lane_add_op(&c->out, lane_of(c, op), c->ops_by_call[i],
			       position);
	}
	if (!waits_for_device(c, index))
		return;
	for (size_t i = 0; i < c->lane_count; i++)
		xs_lane_mark_synchronised(&c->lanes[i], call, position);
}

static void end_lanes(struct cutter *c)
{
	for (size_t i = 0; i < c->lane_count; i++)
		xs_lane_end_round(&c->out, &c->lanes[i]);
	c->lane_count = 0;
}

/* The calls that follow were not recorded: the current rounds may be
 * incomplete. */
static void leave_window(struct cutter *c)
{
	for (size_t i = 0; i < c->lane_count; i++)
		if (c->lanes[i].round != XS_NONE)
			c->out.rounds->items[c->lanes[i].round].partial = true;
	end_lanes(c);
}

/* The first window may begin with the run. */
static void enter_window(struct cutter *c, const struct xs_call *call)
{
	size_t window = xs_window_of(c->out.trace, call->start_ns);

	if (window == c->window)
		return;
	leave_window(c);
	c->window = window;
	c->cut = window > 1 || c->out.trace->begins_counted;
}

static void end_thread(struct cutter *c)
{
	const struct xs_trace *trace = c->out.trace;
	bool cut =
	    c->window > 0 && trace->windows[c->window - 1].end_ns != UINT64_MAX;

	if (cut)
		leave_window(c);
	else
		end_lanes(c);
}

static void cut_threads(struct cutter *c)
{
	const struct xs_call *calls = c->out.trace->calls;
	const uint32_t *order = c->out.rounds->calls;

	for (size_t i = 0; i < c->out.trace->call_count; i++) {
		if (i > 0 &&
		    calls[order[i]].thread != calls[order[i - 1]].thread)
			end_thread(c);
		if (xs_trace_is_sampled(c->out.trace))
			enter_window(c, &calls[order[i]]);
		cut_call(c, (uint32_t)i);
	}
	end_thread(c);
}

/* Ops without a known call are cut into rounds where their queue is idle. */
static void cut_queues(struct cutter *c)
{
	size_t count = c->out.trace->queue_count;
	struct xs_lane *lanes = xs_calloc(count + 1, sizeof(*lanes));

	for (size_t i = 0; i < count; i++)
		lanes[i].round = XS_NONE;
	for (size_t i = 0; i < c->out.trace->op_count; i++) {
		const struct xs_op *op = &c->out.trace->ops[i];
		struct xs_lane *lane = &lanes[op->queue];

		if (op->call != XS_NONE &&
		    c->out.trace->calls[op->call].error == 0)
			continue;
		lane->synchronised = op->start_ns > lane->ops_end_ns;
		xs_lane_add_op(&c->out, lane, (uint32_t)i, XS_NONE);
	}
	for (size_t i = 0; i < count; i++)
		xs_lane_end_round(&c->out, &lanes[i]);
	free(lanes);
}

/* Fills rounds->calls: by thread, then by start, by which calls are sorted. */
static void order_calls(struct cutter *c)
{
	size_t count = c->out.trace->call_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){c->out.trace->calls[i].thread, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++)
		c->out.rounds->calls[i] = keys[i].index;
	free(keys);
}

/* Counting sort: the ops of each call, by start. */
static void list_ops(struct cutter *c)
{
	const struct xs_trace *trace = c->out.trace;
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
	struct xs_rounds *rounds = c->out.rounds;
	uint32_t next = 0;

	for (size_t i = 0; i < rounds->count; i++) {
		rounds->items[i].first_op = next;
		next += rounds->items[i].op_count;
		rounds->items[i].op_count = 0;
	}
	for (size_t i = 0; i < c->out.trace->op_count; i++) {
		struct xs_round *round = &rounds->items[c->out.round_of_op[i]];

		rounds->ops[round->first_op + round->op_count++] = (uint32_t)i;
	}
}

void xs_rounds_build(const struct xs_trace *trace, struct xs_rounds *rounds)
{
	struct cutter c = {.out = {.trace = trace, .rounds = rounds}};
	size_t ops = trace->op_count + 1, calls = trace->call_count + 2;

	*rounds = (struct xs_rounds){0};
	rounds->ops = xs_malloc(ops * sizeof(uint32_t));
	rounds->calls = xs_malloc(calls * sizeof(uint32_t));
	rounds->identities = xs_malloc(ops * sizeof(uint32_t));
	rounds->blocked = xs_calls_blocked(trace);
	c.out.round_of_op = xs_malloc(ops * sizeof(uint32_t));
	c.ops_by_call = xs_malloc(ops * sizeof(uint32_t));
	c.first_op_of_call = xs_calloc(calls, sizeof(uint32_t));
	xs_repeated_copies_find(trace, &rounds->same);
	order_calls(&c);
	list_ops(&c);
	cut_threads(&c);
	cut_queues(&c);
	xs_rounds_join(trace, rounds, c.out.round_of_op);
	gather_ops(&c);
	xs_rounds_split_loops(trace, rounds, c.out.round_of_op);
	gather_ops(&c);
	free(c.out.round_of_op);
	free(c.out.last_round);
	free(c.first_op_of_call);
	free(c.ops_by_call);
}

void xs_rounds_free(struct xs_rounds *rounds)
{
	free(rounds->items);
	free(rounds->ops);
	free(rounds->calls);
	free(rounds->identities);
	free(rounds->blocked);
	free(rounds->starts);
	free(rounds->same);
	xs_op_identities_free(&rounds->table);
	*rounds = (struct xs_rounds){0};
}
