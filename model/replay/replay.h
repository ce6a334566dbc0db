/* SPDX-License-Identifier: MIT */
/*
 * Replay: a discrete-event simulation of a plan on a machine.
 *
 * Host threads issue their calls in order; each call takes its host time. Ops
 * of one queue run in order; events order ops of different queues. Each copy
 * engine (two, or one for both directions) and the SMs run one op at a time,
 * the one that has been ready for longest. Kernels that keep only a share of
 * the SMs busy run beside each other. Users of the link slow each other
 * while they overlap (model/machine/link.h), so the rate of an op may change
 * while it runs.
 *
 * Streams may share hardware queues (model/replay/queue_arbiter.h): an op waits
 * until all ops before it on its hardware queue have started.
 *
 * Implicit synchronisation (van Werkhoven 2014, section IV): one hardware queue
 * for copies and one for kernels, in issue order. An op whose queue has a
 * kernel before it waits until every kernel issued before it has started all of
 * its blocks, which in the paper's idealisation is its end.
 *
 * Without host cost and with constant G, replay gives equations 1 to 5 (as
 * max(1, 2), max(3, 4) and 5), up to rounding; docs/models.md has the proof.
 */
#pragma once

#include "model/replay/plan.h"

/* Times of one action, in ns after the start of the round. start_ns and end_ns
 * are NAN for an action without an op. */
struct xs_action_times {
	double call_ns, return_ns; /* host */
	double start_ns, end_ns;   /* device */
};

/*
 * Runs the plan. Returns the time when the last call has returned and the last
 * op has ended, ns; NAN if the rate of a link use is unknown. times: room for
 * plan->count entries, or NULL. Only actions with a unit may have bytes.
 */
double xs_replay(const struct xs_plan *plan, const struct xs_machine *machine,
		 struct xs_action_times *times);
