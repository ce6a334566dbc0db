/* SPDX-License-Identifier: MIT */
/* Runs of consecutive small copies of one direction, stream and thread, which
 * can become one. The host may wait and allocate between them. */
#pragma once

#include "model/replay/plan.h"
#include "model/replay/round_work.h"

/* Fewer copies are not worth a buffer. */
#define XS_SMALL_COPIES_LEAST 4u

/* Steps [first, end) whose copies are merged; the others are waits and
 * allocations. */
struct xs_small_copies {
	size_t first, end;
	unsigned copies, waits;
	double bytes;
	bool in;     /* to the device */
	bool apart;  /* in memory, or pageable: not one copy as they are */
	bool pinned; /* all are known to use pinned memory */
};

/* Finds the next run worth merging, at or after step i. Returns false without
 * one. */
bool xs_small_copies_next(const struct xs_phase *phase,
			  const struct xs_machine *machine, size_t i,
			  struct xs_small_copies *run);

/* Removes the host's time before the call of the action. Returns how much of it
 * must remain before the merged call: all of it if `keeps`, or if it is more
 * than issuing takes. */
double xs_action_take_work(struct xs_action *action, bool keeps);

/* Issues op at the place of the run's last copy. The others, their calls and
 * the waits between them are removed, and so is the host's work between them,
 * unless it keeps or takes long. Returns the action of op. */
struct xs_action *xs_small_copies_merge(const struct xs_phase *phase,
					const struct xs_small_copies *run,
					struct xs_action op, bool keeps,
					struct xs_plan *plan);
