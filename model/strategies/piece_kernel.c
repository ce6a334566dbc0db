/* SPDX-License-Identifier: MIT */
#include "model/strategies/piece_kernel.h"

#include <math.h>

/*
 * Returns whether the threads have an item each. Lanes of a warp that loop over
 * the data together read consecutive addresses, in whole lines. Requests of one
 * sector are those of lanes that each read data of their own.
 */
static bool has_own_items(const struct xs_kernel_stage *stage)
{
	return xs_reads_are_scattered(stage->read_bytes, stage->read_requests);
}

/* Returns the least time of a piece, relative to the stage's: at worst, one of
 * an unknown grid is not divided. Slices, of which a piece launches a part,
 * stay as they are. */
static double least_share(const struct xs_kernel_stage *stage,
			  const struct xs_scenario *scenario,
			  const struct xs_piece_cut *cut, double sm_share)
{
	if ((sm_share < 1 || (scenario->own_items && !(stage->blocks > 0))) &&
	    cut->launches >= stage->kernels &&
	    (scenario->own_items || has_own_items(stage)))
		return 1;
	return xs_kernel_stage_min_share(stage, &scenario->machine);
}

struct xs_action xs_piece_kernel(const struct xs_kernel_stage *stage,
				 const struct xs_scenario *scenario,
				 const struct xs_piece_cut *cut)
{
	const struct xs_machine *m = &scenario->machine;
	const double kernel_ns = stage->kernel_ns * scenario->kernel_scale;
	const double sm_share = xs_kernel_stage_sm_share(stage, m);
	const double cut_ns = kernel_ns / cut->n;
	const double rest_ns = fmax(
	    kernel_ns * least_share(stage, scenario, cut, sm_share) - cut_ns,
	    0);
	const double work_ns =
	    cut_ns + (cut->launches - 1) * xs_or_zero(m->kernel_gap_ns.value);
	struct xs_action action = cut->behind_copy
				      ? xs_action_kernel_after_copy(m, work_ns)
				      : xs_action_kernel(m, work_ns);

	action.call_ns *= cut->launches;
	if (cut->one_kernel || sm_share >= 1) {
		action.tail_ns = rest_ns;
	} else {
		action.work_ns += rest_ns;
		action.sm_share = rest_ns > 0 ? sm_share / cut->n : sm_share;
	}
	return action;
}

void xs_piece_kernel_assume(const struct xs_strategy_case *c,
			    struct xs_estimate *row)
{
	bool own = false;

	for (unsigned s = 0; s < c->work.stage_count; s++)
		own |= has_own_items(&c->work.stages[s]) &&
		       xs_kernel_stage_sm_share(&c->work.stages[s],
						c->machine) < 1;
	xs_estimate_assume(
	    row, own ? "the kernel leaves SMs idle, and its threads read data "
		       "of their own, as counted: a piece takes as long as the "
		       "whole, beside the others"
		     : "a piece of the kernel takes a proportional share of "
		       "its time");
}
