/* SPDX-License-Identifier: MIT */
/*
 * Replay: a discrete-event run of a plan on a machine.
 *
 * Host threads issue their calls in order, each call taking its host time.
 * Ops of one queue run in order; events order ops of different queues. A copy
 * engine (two, or one for both directions) and the SMs each run one op at a
 * time, the one that has been ready for longest. Users of the link slow each
 * other while they overlap (model/machine/link.h), so rates change in the
 * middle of an op.
 *
 * Streams share hardware queues where the plan says so
 * (model/replay/queue_arbiter.h): an op waits until those of other streams
 * before it on its queue have started.
 *
 * Implicit synchronisation (van Werkhoven 2014, section IV): one hardware
 * queue for copies and one for kernels, in issue order; an op whose queue has
 * a kernel before it waits until every kernel issued before it has started
 * all of its blocks, which in the paper's idealisation is when it ends.
 *
 * With no host cost and no change of G, replay gives equations 1 to 5 (as
 * max(1, 2), max(3, 4) and 5), to rounding; docs/models.md has the proof.
 */
#ifndef XS_MODEL_REPLAY_REPLAY_H
#define XS_MODEL_REPLAY_REPLAY_H

#include "model/replay/plan.h"

/* What happened to one act. ns after the round's start; an act without an op
 * has start_ns and end_ns NAN. */
struct xs_action_times {
	double call_ns, return_ns; /* host */
	double start_ns, end_ns;   /* device */
};

/*
 * Runs the plan. *round_ns: when the last call has returned and the last op
 * ended. times: room for plan->count, or NULL. Only acts that have a unit
 * may have bytes. 0, -ENOMEM, or -EDOM when the rate of a use of the link is
 * not known.
 */
int xs_replay(const struct xs_plan *plan, const struct xs_machine *machine,
	      double *round_ns, struct xs_action_times *times);

#endif
