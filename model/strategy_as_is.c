/* SPDX-License-Identifier: MIT */
/* as-is: the recorded round, replayed. What every saving is counted from, and
 * the proof that the record was understood. */
#include "model/strategy.h"

#include "model/record.h"

#include <math.h>

static int draw(const struct xs_case *c, const struct xs_estimate *row,
		const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_record_change none = {false, 1, 1};

	(void)row;
	return xs_record_plan(c->phase, &scenario->machine, &none, plan);
}

int xs_strategy_as_is(const struct xs_case *c, struct xs_estimates *out)
{
	const struct xs_spread *measured = &c->phase->round_ns;
	const double median_ns = (double)measured->median_ns;
	struct xs_estimate row = xs_row("as-is", XS_EFFORT_NONE);
	struct xs_machine recorded; /* nothing but what the record says */
	struct xs_case as_recorded = *c;
	double ratio;
	int rc;

	if (!c->phase->step_count)
		return xs_abstain(&row, out, "the phase has no steps");
	xs_machine_init(&recorded);
	as_recorded.machine = &recorded;
	rc = xs_replay_row(&as_recorded, &row, draw, &row.round_ns);
	if (rc)
		return rc;
	ratio = median_ns > 0 ? row.round_ns / median_ns : 1;
	row.low_ns = (double)measured->p5_ns * ratio;
	row.high_ns = (double)measured->p95_ns * ratio;
	row.applies = true;
	row.breakeven_rounds = NAN;
	if (fabs(ratio - 1) > 0.01)
		snprintf(row.why, sizeof(row.why),
			 "the replay of one round; the measured median is %.3f "
			 "ms",
			 median_ns / 1e6);
	else
		snprintf(row.why, sizeof(row.why), "as measured");
	return xs_estimates_add(out, &row);
}
