/* SPDX-License-Identifier: MIT */
/* resident: what a copy out takes from the device and a later copy in brings
 * back stays there. The record without these copies: the most that keeping
 * the data there can save. */
#include "model/strategy.h"

#include "model/record.h"
#include "model/returns.h"

#include <errno.h>
#include <stdlib.h>

/* The copy is not made; what the host does before it stays. */
static void leave_out(struct xs_act *act)
{
	*act = (struct xs_act){.kind = XS_ACT_HOST,
			       .after = XS_ACT_NONE,
			       .thread = act->thread,
			       .gap_ns = act->gap_ns};
}

static int draw(const struct xs_case *c, const struct xs_estimate *row,
		const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_record_change change = {false, scenario->kernel_scale,
						scenario->host_scale};
	bool *marks = calloc(c->phase->step_count + 1, sizeof(*marks));
	size_t i, copies;
	int rc = marks ? xs_returns_mark(c->phase, marks, &copies) : -ENOMEM;

	(void)row;
	if (!rc)
		rc =
		    xs_record_plan(c->phase, &scenario->machine, &change, plan);
	for (i = 0; !rc && i < plan->count; i++)
		if (marks[i])
			leave_out(&plan->acts[i]);
	free(marks);
	return rc;
}

int xs_strategy_resident(const struct xs_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_row("resident", XS_EFFORT_HOST);
	size_t copies = 0;
	int rc = 0;

	row.quiet = true;
	row.bound = "the host neither changes nor needs the data in between";
	xs_assume(&row, row.bound);
	if (xs_abstain_common(c, &row, out, &rc))
		return rc;
	rc = xs_returns_count(c->phase, &copies);
	if (rc)
		return rc;
	if (!copies)
		return xs_abstain(&row, out,
				  "no copy in is known to bring back what a "
				  "copy out took");
	rc = xs_estimate_row(c, draw, &row);
	snprintf(row.why, sizeof(row.why),
		 "without the %zu cop%s in that bring%s back what was copied "
		 "out, and without copying that out",
		 copies, copies == 1 ? "y" : "ies", copies == 1 ? "s" : "");
	return rc ? rc : xs_estimates_add(out, &row);
}
