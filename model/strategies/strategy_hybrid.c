/* SPDX-License-Identifier: MIT */
/* hybrid: copies in on n streams; the pieces of the kernel write their results
 * directly to host memory. The writes of a piece overlap its own kernel, which
 * equation 5 does not account for. */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	xs_plan_pieces(c, row, scenario, XS_CUT_MAPPED, plan);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	const struct xs_closed_form closed = xs_strategy_case_closed_form(c);
	struct xs_estimate row = xs_estimate_init(c);

	xs_estimate_assume_bus_crossings(c, &row);
	xs_estimate_assume_pieces(c, false, &row);
	if (xs_abstain_without_needs(c, &row, out) ||
	    xs_abstain_if(
		!(c->work.in_bytes > 0 && c->work.out_bytes > 0), &row, out,
		"data is copied in one direction only: use streams or mapped"))
		return;
	if (!xs_abstain_if_unknown(&row, XS_NAME_LO, m->lo_h2d_ns.value, out) &&
	    !xs_abstain_if_unknown(&row, XS_NAME_G, m->G_h2d.value, out) &&
	    !xs_abstain_if_unknown(&row, "the rate of mapped writes",
				   m->mapped_write.value, out))
		xs_streams_rows(c, &row, build_plan, NULL, out);
	if (c->options->streams)
		xs_closed_form_add(&closed, "hybrid", c->options->streams, out);
	xs_closed_form_add(&closed, "hybrid", 0, out);
}

const struct xs_strategy xs_strategy_hybrid = {
    .id = "hybrid",
    .effort = XS_EFFORT_REWRITE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL | XS_NEEDS_ONE_STAGE,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER,
    .check = XS_CHECK_hybrid,
    .error = XS_ERROR_mapped,
    .build = build,
    .first = "copy in over {n} streams at {places}, with mapped results",
    .advice = "Copy in over {n} streams at {places} and let the kernels write "
	      "their results to mapped host memory.",
};
