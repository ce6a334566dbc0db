/* SPDX-License-Identifier: MIT */
/* Runs all strategies on one phase. */
#include "model/strategies/strategy.h"

#include <string.h>

/* Closed forms do not include setup costs: their rows get those of the
 * strategy's replay. */
static void finish_row(const struct xs_strategy_case *c,
		       struct xs_estimate *row)
{
	if (row->assumes_once)
		row->bound = XS_BOUND_ONCE;
	if (!row->applies || !strcmp(row->model, XS_MODEL_REPLAY))
		return;
	xs_estimate_set_setup_ns(c, row->creates_streams ? 0 : row->n_streams,
				 row);
	xs_estimate_set_breakeven(c, row);
}

int xs_model_phase(const struct xs_phase *phase,
		   const struct xs_machine *machine,
		   const struct xs_model_options *options,
		   struct xs_estimates *out)
{
	struct xs_strategy_case c = {.phase = phase,
				     .machine = machine,
				     .options = options,
				     .as_is_ns =
					 (double)phase->round_ns.median_ns};
	size_t i, first = out->count;
	int rc = xs_round_work_build(phase, &c.work);

	if (!rc)
		xs_kernel_stages_join_slices(machine, &c.work);
	for (i = 0; !rc && i < xs_strategy_count; i++) {
		c.strategy = xs_strategies[i];
		rc = c.strategy->build(&c, out);
		if (!i && !rc && out->items[first].applies)
			c.as_is_ns = out->items[first].round_ns;
	}
	for (i = first; i < out->count; i++)
		finish_row(&c, &out->items[i]);
	return rc;
}
