/* SPDX-License-Identifier: MIT */
/* resident: data that is copied out and later in again stays on the device.
 * Replays the record without these copies, which gives the largest possible
 * saving. If contents were hashed, it is measured which copies in bring the
 * same bytes: only these are left out. */
#include "model/strategies/strategy.h"

#include "model/replay/recorded_plan.h"
#include "model/replay/roundtrip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int build_plan(const struct xs_strategy_case *c,
		      const struct xs_estimate *row,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_recorded_plan_change change = {
	    false, scenario->kernel_scale, scenario->host_scale};
	bool *marks = calloc(c->phase->step_count + 1, sizeof(*marks));
	size_t i, copies;
	int rc = marks ? xs_resident_mark(c->phase, marks, &copies) : -ENOMEM;

	(void)row;
	if (!rc)
		rc = xs_recorded_plan_build(c->phase, &scenario->machine,
					    &change, plan);
	for (i = 0; !rc && i < plan->count; i++)
		if (marks[i])
			xs_action_leave_out(&plan->actions[i]);
	free(marks);
	return rc;
}

static int estimate_measured(const struct xs_strategy_case *c,
			     struct xs_estimate *row,
			     const struct xs_repeat_counts *sum,
			     struct xs_estimates *out)
{
	const struct xs_phase *phase = c->phase;
	bool sampled = false;
	size_t copies = 0;
	int rc;

	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_repeats(&phase->steps[i])) {
			sampled |= phase->steps[i].repeats.sampled;
			copies++;
		}
	if (!copies)
		return xs_estimate_abstain(row, out,
					   "measured: no call site copies in "
					   "the same bytes each time (%" PRIu64
					   " of %" PRIu64 " copies do)",
					   sum->same, sum->compared);
	if (sampled)
		row->bound = "the bytes that were not sampled are equal, too "
			     "(XFERSPY_HASH=full hashes all)";
	xs_estimate_assume(row, row->bound
				    ? row->bound
				    : "kernels do not change the data on the "
				      "device, or a copy of it is kept there");
	rc = xs_estimate_replay(c, build_plan, row);
	snprintf(row->why, sizeof(row->why),
		 "measured: the same bytes again in %" PRIu64 " of %" PRIu64
		 " copies in, %" PRIu64 " of them just copied out; leaves out "
		 "the %zu of a round that always do",
		 sum->same, sum->compared, sum->back, copies);
	return rc ? rc : xs_estimates_add(out, row);
}

static int build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_repeat_counts sum;
	size_t copies = 0;
	int rc = 0;

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out, &rc))
		return rc;
	if (xs_repeats_measured(c->phase, &sum))
		return estimate_measured(c, &row, &sum, out);
	row.bound = "the host neither changes nor needs the data in between";
	xs_estimate_assume(&row, row.bound);
	rc = xs_roundtrip_count(c->phase, &copies);
	if (rc)
		return rc;
	if (!copies)
		return xs_estimate_abstain(
		    &row, out,
		    "no copy in is known to bring back data of a copy out");
	rc = xs_estimate_replay(c, build_plan, &row);
	snprintf(row.why, sizeof(row.why),
		 "without the %zu cop%s in that bring%s back what was copied "
		 "out, and without copying that out",
		 copies, copies == 1 ? "y" : "ies", copies == 1 ? "s" : "");
	return rc ? rc : xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_resident = {
    .id = "resident",
    .effort = XS_EFFORT_HOST,
    .needs = XS_NEEDS_TIMED_COPIES,
    .check = XS_CHECK_NONE,
    .build = build,
    .advice =
	"Keep on the device what {places} copies out and then in again, from "
	"the same host memory; a run with XFERSPY_HASH=1 tells whether "
	"these are the same bytes.",
    .advice_if_measured = "Keep the data that {places} copies in every round "
			  "on the device: {why}.",
};
