/* SPDX-License-Identifier: MIT */
/* When each action of a row's plan would run. */
#pragma once

#include "model/replay/plan.h"
#include "model/replay/replay.h"
#include "model/strategies/model.h"

struct xs_schedule {
	/* the row, set by the caller */
	const char *strategy;
	unsigned n_streams;
	enum xs_order order;
	enum xs_language language; /* as in the row's options */
	/* the plan and the times of its actions; owned */
	struct xs_plan plan;
	struct xs_action_times *times; /* NULL: no such row */
};

/*
 * Replays the row of the schedule at the values and medians; the rest of
 * *schedule has to be zero. The caller frees *schedule.
 */
void xs_model_schedule(const struct xs_phase *phase,
		       const struct xs_machine *machine,
		       struct xs_schedule *schedule);
void xs_schedule_free(struct xs_schedule *schedule);
