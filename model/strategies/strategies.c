/* SPDX-License-Identifier: MIT */
#include "model/strategies/strategies.h"

#include "model/strategies/strategy.h"

#include <string.h>

/* One row a strategy, in the order of the report. as-is comes first: savings
 * are counted from it. */
#define STRATEGIES(ROW)                                                        \
	ROW(as_is)                                                             \
	ROW(pinned)                                                            \
	ROW(streams)                                                           \
	ROW(double_buffer)                                                     \
	ROW(batch)                                                             \
	ROW(resident)                                                          \
	ROW(async)                                                             \
	ROW(mapped)                                                            \
	ROW(hybrid)                                                            \
	ROW(machine)

#define DECLARE(name) extern const struct xs_strategy xs_strategy_##name;
STRATEGIES(DECLARE)

#define ADDRESS(name) &xs_strategy_##name,
const struct xs_strategy *const xs_strategies[] = {STRATEGIES(ADDRESS)};
const size_t xs_strategy_count =
    sizeof(xs_strategies) / sizeof(xs_strategies[0]);

const struct xs_strategy *xs_strategy_find(const char *id)
{
	const size_t length = strcspn(id, ":");
	size_t i;

	for (i = 0; i < xs_strategy_count; i++)
		if (strlen(xs_strategies[i]->id) == length &&
		    !memcmp(xs_strategies[i]->id, id, length))
			return xs_strategies[i];
	return NULL;
}

/* The closed forms do not know setup costs: their rows pay what the strategy
 * pays in replay. */
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
