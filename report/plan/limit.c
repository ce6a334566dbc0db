/* SPDX-License-Identifier: MIT */
/* First the most of a round, then of all rounds, then bounded by the steady
 * part, and by what the plan saves. */
#include "report/plan/limit.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/run_steps.h"
#include "report/result/best.h"
#include "report/result/number.h"

static void raise_to(int64_t *to_ns, int64_t ns)
{
	if (*to_ns < ns)
		*to_ns = ns;
}

/* The time in which data moved or the host waited or allocated. Of a round
 * without recorded steps it is at most the sum of these. */
static int64_t moved_ns(const struct xs_result_phase *phase)
{
	return phase->movable_ns != XS_UNKNOWN
		   ? phase->movable_ns
		   : xs_number_or_zero(phase->host_blocked_ns) +
			 xs_number_or_zero(phase->h2d_ns) +
			 xs_number_or_zero(phase->d2h_ns);
}

/* The time of the kernels. They may run side by side: then their sum is no
 * limit. */
static int64_t kernels_ns(const struct xs_result_phase *phase)
{
	return phase->kernel_busy_ns != XS_UNKNOWN
		   ? phase->kernel_busy_ns
		   : xs_number_or_zero(phase->kernel_ns);
}

/* Whether the row's time is one that the table tells as known. */
static bool is_told(const struct xs_result_estimate *row)
{
	return row->applies && row->round_ns != XS_UNKNOWN &&
	       xs_result_is_replay(row) && xs_result_is_known(row);
}

/* Whether the row may be the least: its time is known, or less than now in any
 * case, or it takes away work of the host that else stays. */
static bool may_be_least(const struct xs_result_phase *phase,
			 const struct xs_strategy *strategy,
			 const struct xs_result_estimate *row)
{
	return is_told(row) || xs_result_is_faster(phase, row) ||
	       (strategy->spares & XS_CHANGES_HOST && row->applies &&
		row->round_ns != XS_UNKNOWN);
}

/* The least time of a round by the row: what it changes can save no more than
 * the time in which data moves or the host waits. The present time, if it may
 * not be the least, or changes launches alone. */
static int64_t least_by_row_ns(const struct xs_result_phase *phase,
			       const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	int64_t most_ns, ns;

	if (!strategy ||
	    !(strategy->changes & ~(unsigned)XS_CHANGES_LAUNCHES) ||
	    !may_be_least(phase, strategy, row))
		return xs_result_untraced_ns(phase);
	most_ns = xs_phase_estimate_most_ns(phase, strategy->changes);
	ns = row->round_ns;
	return most_ns == XS_UNKNOWN ||
		       xs_result_untraced_ns(phase) - most_ns < ns
		   ? ns
		   : xs_result_untraced_ns(phase) - most_ns;
}

/* The round of the fastest strategy that changes how data moves, of those whose
 * time is known, or less than now in any case. */
static int64_t fastest_ns(const struct xs_result_phase *phase)
{
	int64_t least_ns = xs_result_untraced_ns(phase);

	for (size_t i = 0; i < phase->estimate_count; i++) {
		const int64_t ns = least_by_row_ns(phase, &phase->estimates[i]);

		if (ns < least_ns)
			least_ns = ns;
	}
	return least_ns;
}

/* What the plan saves of a round. */
static int64_t planned_ns(const struct xs_result *result,
			  const struct xs_result_phase *phase)
{
	int64_t saves_ns = 0;

	XS_EACH(step, result->plan, result->plan_count) {
		if (step->phase == phase && step->pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns,
				      step->round_before_ns - step->round_ns);
	}
	return saves_ns;
}

int64_t xs_limit_of_round_ns(const struct xs_result *result,
			     const struct xs_result_phase *phase)
{
	int64_t least_ns = xs_result_untraced_ns(phase) - moved_ns(phase);
	int64_t saves_ns = planned_ns(result, phase);

	raise_to(&least_ns, kernels_ns(phase));
	raise_to(&least_ns, phase->issue_ns - phase->tracer_ns);
	raise_to(&least_ns, phase->beside_kernels_ns);
	raise_to(&least_ns, phase->beside_link_ns);
	if (!result->machine_choice.other_gpu && fastest_ns(phase) < least_ns)
		least_ns = fastest_ns(phase);
	if (saves_ns < xs_result_untraced_ns(phase) - least_ns)
		saves_ns = xs_result_untraced_ns(phase) - least_ns;
	return saves_ns;
}

/* The most that another order of a round's copies and kernels saves of it: what
 * its dataflow leaves, part of which may lie beside the host's work between
 * rounds; where that is not known, as much as all changes. */
static int64_t by_order_ns(const struct xs_result *result,
			   const struct xs_result_phase *phase)
{
	const int64_t most_ns = xs_limit_of_round_ns(result, phase);
	int64_t ns = xs_result_untraced_ns(phase);
	int64_t least_ns;

	if (phase->least_ns == XS_UNKNOWN)
		return most_ns;
	least_ns = phase->least_ns - xs_result_used_between_ns(phase);
	raise_to(&least_ns, 0);
	ns = ns > least_ns ? ns - least_ns : 0;
	return ns < most_ns ? ns : most_ns;
}

/* The same part of the steady part as it is of what was recorded of it. */
static int64_t steady_part_ns(const struct xs_result_verdict *verdict,
			      int64_t ns)
{
	return ns ? xs_number_round((double)ns * (double)verdict->steady_ns /
				    (double)verdict->recorded_ns)
		  : 0;
}

/* The most that the step saves by allocations: the time of these in the steady
 * part, and what it saves outside of that. */
static int64_t allocations_ns(const struct xs_result_verdict *verdict,
			      const struct xs_result_step *step)
{
	return steady_part_ns(verdict,
			      xs_result_part_ns(verdict, XS_PART_ALLOCATION)) +
	       step->adds_saves_ns - step->adds_steady_ns;
}

/* The same time of each round of the phase in the steady part. */
static int64_t in_steady_ns(const struct xs_result_phase *phase,
			    int64_t round_ns)
{
	return xs_result_in_steady(
	    phase, xs_number_round(xs_result_of_run(phase, (double)round_ns)));
}

/* What all rounds save of the run, if each saves ns of the usual one: of longer
 * ones as large a part. */
static int64_t all_rounds_ns(const struct xs_result_phase *phase, int64_t ns)
{
	const double usual_ns =
	    xs_result_of_run(phase, (double)xs_result_untraced_ns(phase));
	const double all_ns = (double)xs_result_repeated_ns(phase);
	const double save_ns = xs_result_of_run(phase, (double)ns);

	return xs_number_round(all_ns > usual_ns && usual_ns > 0
				   ? save_ns * (all_ns / usual_ns)
				   : save_ns);
}

/* By how much the fastest row's round, with the time to the next one, is
 * shorter than the kernels of a round as it is; 0 if rounds run beside others.
 */
static int64_t below_kernels_ns(const struct xs_result *result,
				const struct xs_result_phase *phase)
{
	const int64_t ns = kernels_ns(phase) - fastest_ns(phase) -
			   xs_result_used_between_ns(phase);

	return !phase->apart && xs_result_share(phase) == 1 &&
		       !result->machine_choice.other_gpu && ns > 0
		   ? in_steady_ns(phase, ns)
		   : 0;
}

/* Rounds of several phases may run side by side, and the median may be longer
 * than the mean: together they save no more than the steady part without its
 * kernels, but for rows that are shorter than these, or what the plan saves;
 * nor than the steady part. */
static int64_t most_of_steady_ns(const struct xs_result *result)
{
	const struct xs_result_verdict *verdict = &result->verdict;
	int64_t most_ns =
	    verdict->steady_ns - steady_part_ns(verdict, verdict->kernels_ns);
	int64_t planned_ns = 0;

	for (size_t i = 0; i < result->phase_count; i++)
		xs_number_add(&most_ns,
			      below_kernels_ns(result, &result->phases[i]));
	for (size_t i = 0; i < result->plan_count; i++)
		if (!result->plan[i].phase->apart &&
		    result->plan[i].pays_rounds == XS_UNKNOWN)
			xs_number_add(&planned_ns,
				      result->plan[i].adds_steady_ns);
	raise_to(&most_ns, planned_ns);
	return most_ns < verdict->steady_ns ? most_ns : verdict->steady_ns;
}

/* Access to another GPU's memory and migrations are beside the rounds' own
 * changes, and a step may be made for several phases: the most is at least what
 * all these save. */
static void raise_by_plan(struct xs_result *result)
{
	struct xs_result_verdict *out = &result->verdict;
	int64_t steady_ns = out->prefetch_saves_ns;
	int64_t run_ns = xs_plan_links_save_ns(result);

	xs_number_add(&run_ns, steady_ns);
	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step)
			xs_number_add(&steady_ns,
				      result->run.links[i].saves_steady_ns);
	XS_EACH(step, result->plan, result->plan_count) {
		if (step->phase->apart || step->pays_rounds != XS_UNKNOWN)
			continue;
		xs_number_add(&run_ns, step->adds_saves_ns);
		xs_number_add(&steady_ns, step->adds_steady_ns);
	}
	if (steady_ns > out->steady_ns)
		steady_ns = out->steady_ns;
	raise_to(&out->at_most_saves_ns, run_ns);
	raise_to(&out->at_most_steady_ns, steady_ns);
}

int64_t xs_limit_beyond_usual_ns(const struct xs_result_phase *phase)
{
	return xs_result_repeated_ns(phase) -
	       xs_number_round(xs_result_of_run(
		   phase, (double)xs_result_untraced_ns(phase)));
}

/* What the step saves with all that rounds take beyond the usual one. */
static int64_t mean_saves_ns(const struct xs_result_step *step)
{
	return step->round_before_ns != xs_result_untraced_ns(step->phase) ||
		       step->side_by_side > 1 || step->pays_rounds != XS_UNKNOWN
		   ? step->adds_saves_ns
		   : step->adds_saves_ns +
			 xs_limit_beyond_usual_ns(step->phase);
}

/* The range of a step reaches to what it saves of the mean round, and a step
 * tells no more than the most of this run; of allocations alone, no more than
 * these take. */
static void limit_steps(struct xs_result *result)
{
	XS_EACH_MUTABLE(step, result->plan, result->plan_count) {
		const struct xs_strategy *strategy =
		    xs_strategy_find(step->estimate->strategy);
		int64_t most_ns =
		    strategy && strategy->changes == XS_CHANGES_ALLOCATION
			? allocations_ns(&result->verdict, step)
			: result->verdict.at_most_saves_ns;

		raise_to(&most_ns, step->adds_saves_ns);
		if (step->phase->apart)
			continue;
		raise_to(&step->saves_high_ns, mean_saves_ns(step));
		if (step->saves_high_ns > most_ns)
			step->saves_high_ns = most_ns;
	}
}

void xs_limit_build(struct xs_result *result)
{
	struct xs_result_verdict *out = &result->verdict;
	const int64_t most_ns = most_of_steady_ns(result);

	out->at_most_saves_ns = out->at_most_steady_ns = 0;
	out->order_saves_ns = 0;
	XS_EACH(phase, result->phases, result->phase_count) {
		const int64_t all_ns =
		    all_rounds_ns(phase, xs_limit_of_round_ns(result, phase));

		if (phase->apart)
			continue;
		xs_number_add(&out->at_most_saves_ns, all_ns);
		xs_number_add(&out->order_saves_ns,
			      all_rounds_ns(phase, by_order_ns(result, phase)));
		xs_number_add(&out->at_most_steady_ns,
			      xs_result_in_steady(phase, all_ns));
	}
	if (out->at_most_steady_ns > most_ns) {
		out->at_most_saves_ns = xs_number_round(
		    (double)out->at_most_saves_ns * (double)most_ns /
		    (double)out->at_most_steady_ns);
		out->at_most_steady_ns = most_ns;
	}
	if (out->order_saves_ns > out->at_most_saves_ns)
		out->order_saves_ns = out->at_most_saves_ns;
	raise_by_plan(result);
	limit_steps(result);
}
