/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/lanes.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/sort.h"

/* Position of an op in the order copy in, compute, copy out. */
enum stage { STAGE_NONE = -1, STAGE_H2D, STAGE_KERNEL, STAGE_D2H };

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

static void start_round(struct xs_lane_rounds *c, struct xs_lane *lane,
			const struct xs_op *op)
{
	struct xs_rounds *rounds = c->rounds;
	const struct xs_round round = {
	    .begin_ns = op->start_ns,
	    .device = c->trace->queues[op->queue].device,
	    .partial = lane->cut,
	};

	*lane = (struct xs_lane){.round = (uint32_t)rounds->count,
				 .stage = STAGE_NONE,
				 .kernel_queue = XS_NONE};
	XS_ARRAY_ADD(rounds->items, rounds->count, round);
}

void xs_lane_end_round(struct xs_lane_rounds *c, struct xs_lane *lane)
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

static uint64_t dst_of(const struct xs_lane_rounds *c, const struct xs_op *op)
{
	return op->call == XS_NONE ? 0 : c->trace->calls[op->call].dst;
}

/*
 * Returns whether the op copies in the next piece of what the round has copied
 * in, to other memory and on another queue than the last kernel's, behind which
 * it could not begin before that kernel ends. No wait was asked for since: the
 * pieces only wait for each other as long as the memory is pageable.
 */
static bool copies_next_piece(const struct xs_lane_rounds *c,
			      const struct xs_lane *lane,
			      const struct xs_op *op, uint32_t identity)
{
	return lane->by_staging && op->kind == XS_OP_H2D &&
	       op->queue != lane->kernel_queue &&
	       identity < c->last_round_count &&
	       c->last_round[identity].any == lane->round &&
	       c->last_round[identity].dst != dst_of(c, op);
}

/*
 * Returns whether the op begins a new round. Host and device must have
 * synchronised, and the op must step back: from copying out to computing, to a
 * set or to a copy on the device, or from computing to copying in. If nothing
 * is copied out, a new round begins when an op of the round repeats after a
 * synchronisation call; if it copies in behind a kernel, when that call follows
 * a kernel and the op was the first one after such a call before.
 */
static bool begins_round(const struct xs_lane_rounds *c,
			 const struct xs_lane *lane, const struct xs_op *op,
			 uint32_t identity)
{
	enum stage stage = stage_of(op);

	if (!lane->synchronised || copies_next_piece(c, lane, op, identity))
		return false;
	if ((int)stage < lane->stage &&
	    (stage != STAGE_NONE || lane->stage == STAGE_D2H))
		return true;
	if (!lane->by_sync_call || lane->stage != STAGE_KERNEL ||
	    identity >= c->last_round_count)
		return false;
	return lane->copied_after_kernel
		   ? lane->ends_with_kernel &&
			 c->last_round[identity].head == lane->round
		   : c->last_round[identity].any == lane->round;
}

static void remember_identity(struct xs_lane_rounds *c, const struct xs_op *op,
			      uint32_t identity, uint32_t round, bool head)
{
	while (c->last_round_count <= identity) {
		XS_ARRAY_ADD(c->last_round, c->last_round_count,
			     (struct xs_last_rounds){XS_NONE, XS_NONE, 0});
	}
	if (c->last_round[identity].any != round)
		c->last_round[identity].dst = dst_of(c, op);
	c->last_round[identity].any = round;
	if (head)
		c->last_round[identity].head = round;
}

void xs_round_count_op(const struct xs_rounds *rounds, uint32_t identity,
		       const struct xs_op *op, struct xs_round *round)
{
	round->op_count++;
	/* The sums do not depend on the order of the ops, but on their number.
	 * Sets are left out: the first round often has those of the program's
	 * setup and should still equal the others. */
	if (op->kind != XS_OP_SET)
		round->key += rounds->table.items[identity].hash;
	if (op->kind == XS_OP_H2D) {
		round->h2d_bytes += op->bytes;
		round->memory += xs_hash_mix(op->kind, op->src_memory);
	}
	if (op->kind == XS_OP_D2H) {
		round->d2h_bytes += op->bytes;
		round->memory += xs_hash_mix(op->kind, op->dst_memory);
	}
}

void xs_lane_add_op(struct xs_lane_rounds *c, struct xs_lane *lane,
		    uint32_t index, uint32_t position)
{
	const struct xs_op *op = &c->trace->ops[index];
	enum stage stage = stage_of(op);
	struct xs_round *round;
	uint32_t identity;
	bool head;

	xs_op_identities_find(&c->rounds->table, c->trace, op, &identity);
	c->rounds->identities[index] = identity;
	if (lane->round != XS_NONE && begins_round(c, lane, op, identity))
		xs_lane_end_round(c, lane);
	head = lane->round == XS_NONE || lane->by_sync_call;
	if (lane->round == XS_NONE)
		start_round(c, lane, op);

	round = &c->rounds->items[lane->round];
	c->round_of_op[index] = lane->round;
	if (op->start_ns < round->begin_ns)
		round->begin_ns = op->start_ns;
	xs_round_count_op(c->rounds, identity, op, round);
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
	if (lane->ends_with_kernel)
		lane->kernel_queue = op->queue;
	if ((int)stage > lane->stage)
		lane->stage = stage;
	if (op->end_ns > lane->ops_end_ns)
		lane->ops_end_ns = op->end_ns;
	lane->synchronised = lane->by_sync_call = false;
	remember_identity(c, op, identity, lane->round, head);
}

void xs_lane_mark_synchronised(struct xs_lane *lane, const struct xs_call *call,
			       uint32_t position)
{
	const bool is_sync = xs_call_is_sync(call);

	if (lane->round == XS_NONE ||
	    !xs_call_returned_after(call, lane->ops_end_ns))
		return;
	if (!lane->synchronised ||
	    (is_sync && !lane->by_sync_call && position == lane->sync_call + 1))
		lane->sync_call = position;
	lane->by_staging = call->call_class == XS_CALL_COPY_ASYNC &&
			   (!lane->synchronised || lane->by_staging);
	lane->synchronised = true;
	lane->by_sync_call |= is_sync;
}
