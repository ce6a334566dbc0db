/* SPDX-License-Identifier: MIT */
/* Merges the steps of all phases into the plan, the step with the most gain
 * for its effort first. */
#include "report/plan/plan.h"

#include "report/plan/advice_text.h"
#include "report/plan/code.h"
#include "report/plan/link_steps.h"
#include "report/plan/no_pinning.h"
#include "report/plan/no_step.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/phase_steps.h"
#include "report/plan/plan_text.h"
#include "report/plan/same_lines.h"
#include "report/plan/worth.h"
#include "report/result/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is not of the steady part differs between two runs by so many per cent,
 * as CUDA's start does: docs/models.md, "Intervals". */
#define OTHER_PERCENT 15

/* How much the rest of the run, which no step changes, may differ in another
 * run. */
static double other_error_ns(const struct xs_result *result)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const int64_t steady_ns = result->verdict.steady_ns;

	return wall_ns == XS_UNKNOWN || steady_ns == XS_UNKNOWN
		   ? 0
		   : (double)(wall_ns - steady_ns) * OTHER_PERCENT / 100;
}

/* Adds the squared errors of what each phase has come to. */
static double errors_ns(const struct xs_phase_steps *phases, size_t count,
			bool high)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct xs_phase_steps *one = &phases[i];
		const struct xs_result_estimate *row;

		if (!one->done)
			continue;
		row = one->items[one->done - 1].estimate;
		sum +=
		    pow(xs_phase_estimate_error_ns(
			    one->phase, row, high ? row->high_ns : row->low_ns),
			2);
	}
	return sqrt(sum);
}

/* The interval of the run, and whether the changed rounds may make it longer
 * than this one, or than another one as it is. */
static void fill_range(const struct xs_result *result,
		       const struct xs_phase_steps *phases, double after_ns,
		       struct xs_result_step *out)
{
	const size_t count = result->phase_count;
	const double low_ns = errors_ns(phases, count, false);
	const double high_ns = errors_ns(phases, count, true);
	const double other_ns = other_error_ns(result);

	out->low_ns = xs_number_round(after_ns - hypot(low_ns, other_ns));
	out->high_ns = xs_number_round(after_ns + hypot(high_ns, other_ns));
	out->may_be_slower =
	    out->saves_low_ns < 0 ||
	    after_ns + high_ns > (double)xs_result_untraced_wall_ns(result);
}

static void fill_sites(struct xs_result *result, struct xs_result_step *out)
{
	const struct xs_result_phase *phase = out->phase;

	out->sites = xs_arena_alloc(&result->arena, phase->site_count,
				    sizeof(*out->sites));
	for (size_t i = 0; out->sites && i < phase->site_count; i++)
		if (xs_advice_is_about(phase, out->estimate,
				       &phase->sites[i]) ||
		    (out->estimate->effort_level >= XS_EFFORT_SPLIT &&
		     strcmp(phase->sites[i].step, "kernel") == 0))
			out->sites[out->site_count++] = &phase->sites[i];
}

/* The time of the round after the steps so far. */
static int64_t round_ns(const struct xs_phase_steps *steps)
{
	double saved_ns = 0;

	for (size_t i = 0; i < steps->done; i++)
		saved_ns += steps->items[i].rounds_add_ns;
	return xs_number_round((double)xs_result_untraced_ns(steps->phase) -
			       saved_ns / xs_result_of_run(steps->phase, 1));
}

/* Whether the next step of another phase is the same change as this phase's
 * next one, at lines that this one changes anyway. */
static bool is_made_with(const struct xs_phase_steps *steps,
			 const struct xs_phase_steps *other)
{
	const struct xs_phase_step *its = &other->items[other->done];

	return other != steps && other->done < other->count &&
	       its->strategy == steps->items[steps->done].strategy &&
	       xs_lines_are_within(steps->phase, other->phase, its->estimate);
}

/* Adds the square of what the row may be off, less what the host's own time
 * moves of the unchanged rounds, too. */
static void add_square(const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row, bool high,
		       double *sum)
{
	const double error_ns =
	    xs_worth_error_ns(phase, row, high ? row->high_ns : row->low_ns,
			      high ? row->shared_high_ns : row->shared_low_ns);

	*sum += error_ns * error_ns;
}

/* How much the next step may save less than predicted, or more: its row and the
 * one of the step before it, or the unchanged rounds of another run, of each
 * phase that it changes. */
static double saving_error_ns(const struct xs_phase_steps *steps,
			      const struct xs_phase_steps *phases, size_t count,
			      bool more)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct xs_phase_steps *one = &phases[i];

		if (one != steps && !is_made_with(steps, one))
			continue;
		add_square(one->phase, one->items[one->done].estimate, !more,
			   &sum);
		if (one->done)
			add_square(one->phase,
				   one->items[one->done - 1].estimate, more,
				   &sum);
		else
			sum += pow(xs_worth_as_is_error_ns(
				       one->phase,
				       one->items[one->done].estimate, more),
				   2);
	}
	return sqrt(sum);
}

/* The interval of what the next step saves between two other runs. */
static void fill_saving(const struct xs_phase_steps *steps,
			const struct xs_phase_steps *phases, size_t count,
			double saves_ns, struct xs_result_step *out)
{
	out->adds_saves_ns = xs_number_round(saves_ns);
	out->saves_low_ns = xs_number_round(
	    saves_ns - saving_error_ns(steps, phases, count, false));
	out->saves_high_ns = xs_number_round(
	    saves_ns + saving_error_ns(steps, phases, count, true));
}

/* What the steps of other phases add that are made with this one's next step;
 * the setup is paid once. *reached: how many phases these are. */
static double along_ns(const struct xs_phase_steps *steps,
		       const struct xs_phase_steps *phases, size_t count,
		       int64_t *reached)
{
	double adds_ns = 0;

	*reached = 0;
	for (size_t i = 0; i < count; i++) {
		const struct xs_phase_steps *other = &phases[i];

		if (!is_made_with(steps, other) ||
		    other->phase->apart != steps->phase->apart)
			continue;
		adds_ns += other->items[other->done].rounds_add_ns;
		++*reached;
	}
	return adds_ns;
}

/* Ends this phase's next step, and those of others that are made with it. */
static void finish_step(struct xs_phase_steps *steps,
			struct xs_phase_steps *phases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_made_with(steps, &phases[i]))
			phases[i].done++;
	steps->done++;
}

/* Gain of the next step for its effort; a condition that the trace does not
 * show halves it. */
static double rank(const struct xs_phase_steps *steps,
		   const struct xs_phase_steps *phases, size_t count)
{
	const struct xs_phase_step *step = &steps->items[steps->done];
	const int64_t cost =
	    step->estimate->effort_level * (step->estimate->bound ? 2 : 1);
	int64_t reached;

	return (step->adds_ns + along_ns(steps, phases, count, &reached)) /
	       (double)cost;
}

/* The phase whose next step comes next in the plan; NULL: none is left. Rounds
 * of the start-up come last. */
static struct xs_phase_steps *next_steps(struct xs_phase_steps *phases,
					 size_t count)
{
	struct xs_phase_steps *best = NULL;
	double best_rank = 0;

	for (size_t i = 0; i < count; i++) {
		struct xs_phase_steps *one = &phases[i];

		double its_rank;

		if (one->done == one->count)
			continue;
		its_rank = rank(one, phases, count);
		if (!best || one->phase->apart < best->phase->apart ||
		    (one->phase->apart == best->phase->apart &&
		     its_rank > best_rank)) {
			best = one;
			best_rank = its_rank;
		}
	}
	return best;
}

static void add_step(struct xs_result *result, struct xs_phase_steps *steps,
		     struct xs_phase_steps *phases, size_t count)
{
	const struct xs_phase_step *step = &steps->items[steps->done];
	struct xs_result_step *out = &result->plan[result->plan_count];
	const int64_t before_ns = result->plan_count
				      ? out[-1].app_wall_ns
				      : xs_result_untraced_wall_ns(result);
	int64_t reached;
	const double others_ns = along_ns(steps, phases, count, &reached);
	double after_ns = (double)before_ns - step->adds_ns - others_ns;

	*out = (struct xs_result_step){
	    .step = (int64_t)++result->plan_count,
	    .phase = steps->phase,
	    .estimate = step->estimate,
	    .round_before_ns = round_ns(steps),
	    .side_by_side = xs_number_round(1 / xs_result_share(steps->phase)),
	    .condition = step->estimate->bound,
	};
	fill_sites(result, out);
	out->code = xs_code_of(result, steps->phase, step->estimate);
	fill_saving(steps, phases, count, step->adds_ns + others_ns, out);
	finish_step(steps, phases, count);
	out->round_ns = round_ns(steps);
	xs_plan_say(result, steps, step, reached, out);
	/* it does not pay in this run */
	if (out->pays_rounds != XS_UNKNOWN)
		after_ns = (double)before_ns;
	out->adds_steady_ns =
	    xs_result_in_steady(steps->phase, out->adds_saves_ns);
	out->app_wall_ns = xs_number_round(after_ns);
	fill_range(result, phases, after_ns, out);
}

/* Whether a step is of the steady part, or may be: access to another GPU's
 * memory is of the run. */
static bool has_step(const struct xs_result *result)
{
	return !result->verdict.missing &&
	       ((result->plan_count && !result->plan[0].phase->apart) ||
		xs_plan_links_save_ns(result) > 0);
}

/* What no step does. */
static void say_rest(struct xs_result *result)
{
	const struct xs_result_estimate *named = NULL;

	if (has_step(result)) {
		result->question = xs_plan_question(result);
		result->no_pinning = xs_plan_unmeasured(result);
		if (result->no_pinning)
			return;
	} else {
		result->no_step = xs_plan_no_step(result, &named);
	}
	/* it may be the nearest change, which is named already */
	if (!result->verdict.missing &&
	    !(named && strcmp(named->strategy, "pinned") == 0))
		result->no_pinning = xs_plan_no_pinning(result);
}

int xs_plan_build(struct xs_result *result)
{
	const size_t count = result->phase_count;
	struct xs_phase_steps *phases = calloc(count + 1, sizeof(*phases)),
			      *next;

	result->plan = xs_arena_alloc(
	    &result->arena, count * XS_PHASE_STEPS_MAX, sizeof(*result->plan));
	if (!phases || !result->plan) {
		free(phases);
		return -ENOMEM;
	}
	if (!result->verdict.missing)
		xs_phase_steps_build(result, phases);
	while ((next = next_steps(phases, count)))
		add_step(result, next, phases, count);
	free(phases);
	xs_plan_links(result);
	say_rest(result);
	return result->arena.failed ? -ENOMEM : 0;
}
