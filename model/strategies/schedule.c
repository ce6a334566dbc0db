/* SPDX-License-Identifier: MIT */
#include "model/strategies/schedule.h"

#include "model/strategies/strategy.h"

#include <stdlib.h>

void xs_model_schedule(const struct xs_phase *phase,
		       const struct xs_machine *machine,
		       struct xs_schedule *schedule)
{
	const struct xs_model_options only = {.streams = schedule->n_streams,
					      .language = schedule->language};
	struct xs_strategy_case c = {
	    .strategy = xs_strategy_find(schedule->strategy),
	    .phase = phase,
	    .machine = machine,
	    .options = &only,
	    .as_is_ns = (double)phase->round_ns.median_ns,
	    .schedule = schedule};
	struct xs_estimates rows = {0};

	if (!c.strategy)
		return;
	xs_round_work_build(phase, &c.work);
	xs_kernel_stages_join_slices(machine, &c.work);
	xs_strategy_case_keep_buffers(&c);
	c.strategy->build(&c, &rows);
	xs_estimates_free(&rows);
}

void xs_schedule_free(struct xs_schedule *schedule)
{
	xs_plan_free(&schedule->plan);
	free(schedule->times);
	schedule->times = NULL;
}
