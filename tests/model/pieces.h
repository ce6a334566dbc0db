/* SPDX-License-Identifier: MIT */
/* Replays n equal pieces of a round, with the waits of published programs. */
#pragma once

#include "tests/model/model_test.h"

#include "model/replay/replay.h"

static inline void add(struct xs_plan *plan, struct xs_action action,
		       uint32_t queue)
{
	action.queue = queue;
	xs_plan_add(plan, &action);
}

static inline void add_event(struct xs_plan *plan, enum xs_action_kind kind,
			     uint32_t queue, uint32_t event)
{
	const struct xs_action action = {.kind = kind,
					 .queue = queue,
					 .event = event,
					 .after = XS_ACTION_NONE};

	xs_plan_add(plan, &action);
}

static inline double run(struct xs_plan *plan, const struct xs_machine *machine)
{
	double round_ns = 0;

	round_ns = xs_replay(plan, machine, NULL);
	xs_plan_free(plan);
	return round_ns;
}

/* Which copies a kernel of a piece waits for beside its own. */
enum waits {
	WAITS_NONE,
	WAITS_BUOYDIFF, /* kernel k: copies 1 and k - 1, by events */
	WAITS_STENCIL,	/* stream k waits for copy k - 1 before its own copy */
};

/* n pieces, all copies in first, then all kernels, then all copies out. */
static inline double pieces_ns(const struct xs_machine *m,
			       const struct xs_workload *w, unsigned n,
			       enum waits waits)
{
	struct xs_plan plan = {0};

	for (uint32_t k = 0; k < n; k++) {
		if (waits == WAITS_STENCIL && k > 0)
			add_event(&plan, XS_ACTION_WAIT, k, k - 1);
		add(&plan, xs_action_copy(m, true, w->h2d_bytes / n, false), k);
		add_event(&plan, XS_ACTION_RECORD, k, k);
	}
	for (uint32_t k = 0; k < n; k++) {
		if (waits == WAITS_BUOYDIFF && k > 0) {
			add_event(&plan, XS_ACTION_WAIT, k, 0);
			add_event(&plan, XS_ACTION_WAIT, k, k - 1);
		}
		add(&plan, xs_action_kernel(m, w->kernel_ns / n), k);
	}
	for (uint32_t k = 0; k < n; k++)
		add(&plan, xs_action_copy(m, false, w->d2h_bytes / n, false),
		    k);
	return run(&plan, m);
}
