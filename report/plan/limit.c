/* SPDX-License-Identifier: MIT */
#include "report/plan/limit.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/result/best.h"
#include "report/result/number.h"

static int64_t or_zero(int64_t ns)
{
	return ns == XS_UNKNOWN ? 0 : ns;
}

/* The time in which data moved or the host waited or allocated. Of a round
 * without recorded steps it is at most the sum of these. */
static int64_t moved_ns(const struct xs_result_phase *phase)
{
	return phase->movable_ns != XS_UNKNOWN
		   ? phase->movable_ns
		   : or_zero(phase->host_blocked_ns) + or_zero(phase->h2d_ns) +
			 or_zero(phase->d2h_ns);
}

/* The time of the kernels. They may run side by side: then their sum is no
 * limit. */
static int64_t kernels_ns(const struct xs_result_phase *phase)
{
	return phase->kernel_busy_ns != XS_UNKNOWN ? phase->kernel_busy_ns
						   : or_zero(phase->kernel_ns);
}

static bool moves_data(const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);

	return strategy && strategy->changes & ~(unsigned)XS_CHANGES_LAUNCHES;
}

/* The round of the fastest strategy that changes how data moves, of those that
 * are faster than the round now in any case. */
static int64_t fastest_ns(const struct xs_result_phase *phase)
{
	int64_t least_ns = phase->round_ns;

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *row = &phase->estimates[i];

		if (moves_data(row) && xs_result_is_faster(phase, row) &&
		    row->round_ns < least_ns)
			least_ns = row->round_ns;
	}
	return least_ns;
}

/* What the plan saves of a round, with steps of other changes too. */
static int64_t planned_ns(const struct xs_result *result,
			  const struct xs_result_phase *phase)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];

		if (step->phase == phase)
			xs_number_add(&saves_ns,
				      step->round_before_ns - step->round_ns);
	}
	return saves_ns;
}

int64_t xs_limit_of_round_ns(const struct xs_result *result,
			     const struct xs_result_phase *phase)
{
	int64_t least_ns = phase->round_ns - moved_ns(phase);
	int64_t saves_ns = planned_ns(result, phase);

	if (least_ns < kernels_ns(phase))
		least_ns = kernels_ns(phase);
	if (!result->machine_choice.other_gpu && fastest_ns(phase) < least_ns)
		least_ns = fastest_ns(phase);
	if (saves_ns < phase->round_ns - least_ns)
		saves_ns = phase->round_ns - least_ns;
	return saves_ns;
}

void xs_limit_build(struct xs_result *result)
{
	double all_ns = 0;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		if (!phase->apart)
			all_ns += xs_phase_estimate_of_run(
			    phase, (double)xs_limit_of_round_ns(result, phase));
	}
	result->verdict.at_most_saves_ns = xs_number_round(all_ns);
}
