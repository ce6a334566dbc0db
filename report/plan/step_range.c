/* SPDX-License-Identifier: MIT */
#include "report/plan/step_range.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/same_lines.h"
#include "report/plan/step_gain.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <math.h>

int64_t xs_step_round_ns(const struct xs_phase_steps *steps, size_t count)
{
	double saved_ns = 0;

	for (size_t i = 0; i < count; i++)
		saved_ns += steps->items[i].rounds_add_ns;
	return xs_number_round((double)xs_result_untraced_ns(steps->phase) -
			       saved_ns / xs_result_of_run(steps->phase, 1));
}

/* Whether the steps of both phases are one change for rounds that are not side
 * by side, at lines beside each other. */
static bool is_made_near(const struct xs_result_phase *phase,
			 const struct xs_phase_step *step,
			 const struct xs_result_phase *other,
			 const struct xs_phase_step *its)
{
	return step->strategy == its->strategy &&
	       step->estimate->n_streams == its->estimate->n_streams &&
	       xs_result_same_text(step->estimate->only_if,
				   its->estimate->only_if) &&
	       xs_result_share(phase) == 1 && xs_result_share(other) == 1 &&
	       phase->apart == other->apart &&
	       xs_lines_are_near(phase, other, its->estimate);
}

bool xs_step_is_at_lines(const struct xs_phase_steps *steps,
			 const struct xs_phase_steps *other)
{
	return xs_lines_are_within(steps->phase, other->phase,
				   other->items[other->done].estimate);
}

bool xs_step_is_set_up_with(const struct xs_phase_steps *steps,
			    const struct xs_phase_steps *other)
{
	return xs_step_is_at_lines(steps, other) &&
	       !(other->items[other->done].strategy->changes &
		 XS_CHANGES_LAUNCHES);
}

bool xs_step_is_made_with(const struct xs_phase_steps *steps,
			  const struct xs_phase_steps *other)
{
	const struct xs_phase_step *step = &steps->items[steps->done];
	const struct xs_phase_step *its = &other->items[other->done];

	return other != steps && other->done < other->count &&
	       its->strategy == step->strategy &&
	       (xs_step_is_at_lines(steps, other) ||
		(xs_step_gain_pays_rounds(steps->phase, step) == XS_UNKNOWN &&
		 xs_step_gain_pays_rounds(other->phase, its) == XS_UNKNOWN &&
		 is_made_near(steps->phase, step, other->phase, its)));
}

bool xs_step_is_longer_with(const struct xs_phase_steps *steps,
			    const struct xs_phase_steps *other)
{
	return other > steps && !other->longer_is_made &&
	       other->longer.strategy &&
	       other->longer.strategy == steps->longer.strategy &&
	       (xs_lines_are_within(steps->phase, other->phase,
				    other->longer.estimate) ||
		is_made_near(steps->phase, &steps->longer, other->phase,
			     &other->longer));
}

bool xs_step_is_made_along(const struct xs_phase_steps *steps,
			   const struct xs_phase_steps *other)
{
	return xs_step_is_made_with(steps, other) &&
	       other->phase->apart == steps->phase->apart;
}

/* By how much the round after so many steps may be off at one end. */
static double off_ns(const struct xs_phase_steps *steps, size_t count,
		     bool more)
{
	const double ns = (double)xs_step_round_ns(steps, count);

	return ns - xs_result_round_end_ns(steps->items[count - 1].estimate, ns,
					   more);
}

/* By how much the only round may take less or more in another run, by the error
 * between programs, since no other round shows how they differ; 0 if the row
 * keeps the pageable copies, and has that error itself. */
static double only_off_ns(const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const struct xs_result_estimate *as_is =
	    xs_result_best(phase, xs_strategies[0]->id, false);

	if (phase->rounds > 1 || !as_is || as_is->known_high_ns == XS_UNKNOWN ||
	    (strategy && strategy->keeps_copies))
		return 0;
	return xs_result_saving_error_ns(
	    (double)(as_is->high_ns - as_is->round_ns),
	    as_is->known_high_ns - as_is->round_ns);
}

/* One end of what the phase's next step saves of the round before it, which
 * another step, of which it takes the place, may have made longer or shorter.
 */
static double saving_end_ns(const struct xs_phase_steps *steps, bool more)
{
	const size_t done = steps->done;
	const struct xs_phase_step *step = &steps->items[done];
	const double saves_ns = (double)xs_step_round_ns(steps, done) -
				(double)xs_step_round_ns(steps, done + 1);
	const double with_ns = off_ns(steps, done + 1, more);
	double before_ns = 0;

	if (!done)
		before_ns = only_off_ns(steps->phase, step->estimate);
	else if (!xs_strategy_are_apart(step->strategy, step[-1].strategy))
		before_ns = off_ns(steps, done, !more);

	return xs_result_of_run(
	    steps->phase,
	    saves_ns + copysign(hypot(with_ns, before_ns), more ? 1 : -1));
}

/* The setup of the step at one end of its range, which new memory has not. */
static double setup_end_ns(const struct xs_phase_step *step, bool cheap)
{
	const struct xs_result_estimate *row = step->estimate;
	const double setup_ns = xs_step_gain_setup_ns(step);
	const double again_ns = setup_ns - (double)row->new_memory_ns;
	const double its_ns = (double)(row->setup_ns - row->new_memory_ns);
	double by_ns;

	if (its_ns <= 0)
		return setup_ns;
	by_ns =
	    cheap ? -(double)row->setup_less_ns : (double)row->setup_more_ns;
	return setup_ns + fabs(again_ns) * by_ns / its_ns;
}

/* One end of what another phase's step saves that is made along. */
static double along_end_ns(const struct xs_phase_steps *steps,
			   const struct xs_phase_steps *other, bool more)
{
	const double ns = saving_end_ns(other, more);

	return xs_step_is_set_up_with(steps, other)
		   ? ns
		   : ns - setup_end_ns(&other->items[other->done], more);
}

static int64_t end_ns(const struct xs_phase_steps *steps,
		      const struct xs_phase_steps *phases, size_t count,
		      bool more)
{
	double saves_ns = saving_end_ns(steps, more) -
			  setup_end_ns(&steps->items[steps->done], more);

	for (size_t i = 0; i < count; i++)
		if (xs_step_is_made_along(steps, &phases[i]))
			saves_ns += along_end_ns(steps, &phases[i], more);
	return xs_number_round(saves_ns);
}

/* The same of a row alone, beside no step. */
static int64_t row_end_ns(const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row, bool more)
{
	const double off_ns = xs_result_saving_error_ns(
	    (double)((more ? row->low_ns : row->high_ns) - row->round_ns),
	    more ? row->shared_low_ns : row->shared_high_ns);
	const double by_ns =
	    xs_result_of_run(phase, hypot(off_ns, only_off_ns(phase, row))) +
	    (row->setup_ns > 0
		 ? (double)(more ? row->setup_less_ns : row->setup_more_ns)
		 : 0);

	return xs_number_round((double)row->saves_ns + (more ? by_ns : -by_ns));
}

void xs_step_set_row_saving(const struct xs_result_phase *phase,
			    struct xs_result_estimate *row)
{
	const bool is_known = row->saves_ns != XS_UNKNOWN;

	row->saves_low_ns =
	    is_known ? row_end_ns(phase, row, false) : XS_UNKNOWN;
	row->saves_high_ns =
	    is_known ? row_end_ns(phase, row, true) : XS_UNKNOWN;
}

void xs_step_set_saving(const struct xs_phase_steps *steps,
			const struct xs_phase_steps *phases, size_t count,
			double saves_ns, struct xs_result_step *out)
{
	out->adds_saves_ns = xs_number_round(saves_ns);
	out->saves_low_ns = end_ns(steps, phases, count, false);
	out->saves_high_ns = end_ns(steps, phases, count, true);
}

/* How much the rest of the run, which no step changes, may differ in another
 * run. */
static double other_error_ns(const struct xs_result *result)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const int64_t steady_ns = result->verdict.steady_ns;

	return wall_ns == XS_UNKNOWN || steady_ns == XS_UNKNOWN
		   ? 0
		   : (double)(wall_ns - steady_ns) * XS_STEP_OTHER_PERCENT /
			 100;
}

/* The row that the phase has come to; NULL: it has no step. */
static const struct xs_result_estimate *row_of(const struct xs_phase_steps *one)
{
	return one->done ? one->items[one->done - 1].estimate : NULL;
}

/* The row of the phase as it is; NULL: it has no step. */
static const struct xs_result_estimate *now_of(const struct xs_phase_steps *one)
{
	return one->count || one->longer.strategy
		   ? xs_result_best(one->phase, xs_strategies[0]->id, false)
		   : NULL;
}

/* Sets the interval of the run, which is after_ns with these rows: their
 * squared errors and what no step changes. */
static void set_interval(const struct xs_result *result,
			 const struct xs_phase_steps *phases,
			 const struct xs_result_estimate *(*row_in)(
			     const struct xs_phase_steps *one),
			 double after_ns, int64_t *low_ns, int64_t *high_ns)
{
	const double other_ns = other_error_ns(result);
	double low = other_ns * other_ns, high = low;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = phases[i].phase;
		const struct xs_result_estimate *row = row_in(&phases[i]);

		if (!row)
			continue;
		low +=
		    pow(xs_phase_estimate_error_ns(phase, row, row->low_ns), 2);
		high += pow(
		    xs_phase_estimate_error_ns(phase, row, row->high_ns), 2);
	}
	*low_ns = xs_number_round(after_ns - sqrt(low));
	*high_ns = xs_number_round(after_ns + sqrt(high));
}

void xs_step_set_run_now(struct xs_result *result,
			 const struct xs_phase_steps *phases)
{
	struct xs_result_verdict *out = &result->verdict;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);

	out->run_low_ns = out->run_high_ns = XS_UNKNOWN;
	if (wall_ns != XS_UNKNOWN && result->plan_count)
		set_interval(result, phases, now_of, (double)wall_ns,
			     &out->run_low_ns, &out->run_high_ns);
}

void xs_step_set_round(int64_t round_ns, struct xs_result_step *out)
{
	const struct xs_result_estimate *row = out->estimate;

	const int64_t busy_ns = out->phase->kernel_busy_ns;

	out->round_ns = round_ns;
	out->round_low_ns = xs_number_round(
	    xs_result_round_end_ns(row, (double)round_ns, true));
	if (out->round_low_ns < busy_ns && busy_ns <= round_ns)
		out->round_low_ns = busy_ns;
	out->round_high_ns = xs_number_round(
	    xs_result_round_end_ns(row, (double)round_ns, false));
}

void xs_step_set_run(const struct xs_result *result,
		     const struct xs_phase_steps *phases, double after_ns,
		     struct xs_result_step *out)
{
	out->app_wall_ns = xs_number_round(after_ns);
	set_interval(result, phases, row_of, after_ns, &out->low_ns,
		     &out->high_ns);
	out->may_be_slower =
	    out->saves_low_ns != XS_UNKNOWN && out->saves_low_ns < 0;
	out->is_question =
	    (out->may_be_slower && out->pays_rounds == XS_UNKNOWN) ||
	    out->estimate->only_if;
}
