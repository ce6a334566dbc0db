/* SPDX-License-Identifier: MIT */
#include "report/plan/step_gain.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <math.h>

bool xs_step_gain_both_order(const struct xs_strategy *a,
			     const struct xs_strategy *b)
{
	return a->changes & b->changes & XS_CHANGES_ORDER;
}

double xs_step_gain_setup_ns(const struct xs_phase_step *step)
{
	return step->rounds_add_ns - step->adds_ns;
}

int64_t xs_step_gain_pays_rounds(const struct xs_result_phase *phase,
				 const struct xs_phase_step *step)
{
	const double setup_ns = xs_step_gain_setup_ns(step);

	return setup_ns > 0 && setup_ns >= step->rounds_add_ns
		   ? xs_number_round(ceil((double)xs_result_rounds(phase) *
					  setup_ns / step->rounds_add_ns))
		   : XS_UNKNOWN;
}

double xs_step_gain_in_this_run(const struct xs_result_phase *phase,
				const struct xs_phase_step *step)
{
	return xs_step_gain_pays_rounds(phase, step) == XS_UNKNOWN
		   ? step->adds_ns
		   : 0;
}

struct xs_phase_step xs_step_gain_sum(const struct xs_phase_steps *steps,
				      const struct xs_strategy *strategy)
{
	struct xs_phase_step sum = {0};

	XS_EACH(step, steps->items, steps->count) {
		if (strategy && xs_strategy_are_apart(strategy, step->strategy))
			continue;
		sum.adds_ns += xs_step_gain_in_this_run(steps->phase, step);
		sum.rounds_add_ns += step->rounds_add_ns;
	}
	return sum;
}

/* Whether there is a limit to what the step saves of a round. */
static bool is_limited(const struct xs_phase_steps *steps,
		       const struct xs_phase_step *step)
{
	return xs_phase_estimate_most_ns(steps->phase,
					 step->strategy->changes) != XS_UNKNOWN;
}

/* By how much the new step and those before it save more than the round, or
 * than the limit of what they change together, or save twice. */
static double over_ns(const struct xs_phase_steps *steps,
		      const struct xs_phase_step *added)
{
	const struct xs_result_phase *phase = steps->phase;
	unsigned changes = added->strategy->changes;
	double all_ns = added->rounds_add_ns, sum_ns = all_ns;
	double most_ns = (double)xs_result_untraced_ns(phase);
	double both_ns = 0, over_ns;

	XS_EACH(step, steps->items, steps->count) {
		all_ns += step->rounds_add_ns;
		both_ns += (double)xs_number_or_zero(
		    xs_result_both_save_ns(added->estimate, step->estimate));
		if (!is_limited(steps, step))
			continue;
		changes |= step->strategy->changes;
		sum_ns += step->rounds_add_ns;
	}
	over_ns = fmax(all_ns - xs_result_of_run(phase, most_ns),
		       xs_result_of_run(phase, both_ns));
	if (!is_limited(steps, added))
		return over_ns;
	most_ns = (double)xs_phase_estimate_most_ns(phase, changes);
	return fmax(sum_ns - xs_result_of_run(phase, most_ns), over_ns);
}

struct xs_phase_step xs_step_gain_of(const struct xs_phase_steps *steps,
				     const struct xs_strategy *strategy,
				     const struct xs_result_estimate *row)
{
	const struct xs_phase_step related = xs_step_gain_sum(steps, strategy);
	const double setup_ns = row->setup_ns > 0 ? (double)row->setup_ns : 0;
	struct xs_phase_step step = {
	    .strategy = strategy,
	    .estimate = row,
	    .adds_ns = (double)row->saves_ns - related.adds_ns,
	    .rounds_add_ns =
		(double)row->saves_ns + setup_ns - related.rounds_add_ns};
	const double over = over_ns(steps, &step);

	step.adds_ns -= over;
	step.rounds_add_ns -= over;
	return step;
}

double xs_step_gain_judged_ns(const struct xs_phase_steps *steps,
			      const struct xs_phase_step *step)
{
	return steps->for_longer ||
		       xs_step_gain_sum(steps, step->strategy).rounds_add_ns > 0
		   ? step->rounds_add_ns
	       : step->estimate
		   ? step->adds_ns + (double)step->estimate->new_memory_ns
		   : step->adds_ns;
}
