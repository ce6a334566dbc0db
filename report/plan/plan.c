/* SPDX-License-Identifier: MIT */
/* Merges the steps of all phases into the plan, the step with the most gain
 * for its effort first. */
#include "report/plan/plan.h"

#include "report/plan/advice_text.h"
#include "report/plan/code.h"
#include "report/plan/limit.h"
#include "report/plan/no_pinning.h"
#include "report/plan/no_step.h"
#include "report/plan/phase_steps.h"
#include "report/plan/plan_text.h"
#include "report/plan/question.h"
#include "report/plan/run_steps.h"
#include "report/plan/step_range.h"
#include "report/plan/worth.h"
#include "report/result/number.h"

#include <stdlib.h>
#include <string.h>

/* Adds the phase's sites that the step changes; out->sites has room. */
static void add_sites(const struct xs_result_phase *phase,
		      struct xs_result_step *out)
{
	for (size_t i = 0; i < phase->site_count; i++)
		if (xs_advice_is_about(phase, out->estimate,
				       &phase->sites[i]) ||
		    (out->estimate->effort_level >= XS_EFFORT_SPLIT &&
		     strcmp(phase->sites[i].step, "kernel") == 0))
			out->sites[out->site_count++] = &phase->sites[i];
}

/* The sites of all phases that the step is made for. */
static void fill_sites(struct xs_result *result, struct xs_result_step *out)
{
	size_t room = out->phase->site_count;

	for (size_t i = 0; i < out->more_count; i++)
		room += out->more_phases[i].phase->site_count;
	XS_ARENA_NEW(&result->arena, out->sites, room);
	out->site_count = 0;
	if (!out->sites)
		return;
	add_sites(out->phase, out);
	for (size_t i = 0; i < out->more_count; i++)
		add_sites(out->more_phases[i].phase, out);
}

/* What the steps of other phases add that are made with this one's next step.
 */
static double along_ns(const struct xs_phase_steps *steps,
		       const struct xs_phase_steps *phases, size_t count)
{
	double adds_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct xs_phase_step *its =
		    &phases[i].items[phases[i].done];

		if (xs_step_is_made_along(steps, &phases[i]))
			adds_ns += xs_step_is_set_up_with(steps, &phases[i])
				       ? its->rounds_add_ns
				       : its->adds_ns;
	}
	return adds_ns;
}

/* Ends this phase's next step, and those of others that are made with it. */
static void finish_step(struct xs_phase_steps *steps,
			struct xs_phase_steps *phases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (xs_step_is_made_with(steps, &phases[i]))
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

	return (step->adds_ns + along_ns(steps, phases, count)) / (double)cost;
}

/* Whether the other phase's next step is the one to tell: that of more lines,
 * or else the one that saves over twice as much, or of the longer phase, which
 * comes first. */
static bool is_before(const struct xs_phase_steps *other,
		      const struct xs_phase_steps *steps)
{
	const bool within = xs_step_is_at_lines(other, steps);
	const double its_ns = other->items[other->done].adds_ns;
	const double own_ns = steps->items[steps->done].adds_ns;

	if (within != xs_step_is_at_lines(steps, other))
		return within;
	return its_ns > 2 * own_ns || (own_ns <= 2 * its_ns && other < steps);
}

/* Whether the next step is made with a longer phase's, or with one of more
 * lines. */
static bool is_part(const struct xs_phase_steps *steps,
		    const struct xs_phase_steps *phases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (phases[i].done < phases[i].count &&
		    phases[i].phase->apart == steps->phase->apart &&
		    xs_step_is_made_with(&phases[i], steps) &&
		    is_before(&phases[i], steps))
			return true;
	return false;
}

/* The phase whose next step comes next in the plan, of those that are outside
 * of the steady part (apart), or are not: none that is part of another, unless
 * each is (parts). NULL: none is left. */
static struct xs_phase_steps *next_steps(struct xs_phase_steps *phases,
					 size_t count, bool apart, bool parts)
{
	struct xs_phase_steps *best = NULL;
	double best_rank = 0;

	XS_EACH_MUTABLE(one, phases, count) {
		double its_rank;

		if (one->done == one->count || one->phase->apart != apart ||
		    (!parts && is_part(one, phases, count)))
			continue;
		its_rank = rank(one, phases, count);
		if (!best || its_rank > best_rank) {
			best = one;
			best_rank = its_rank;
		}
	}
	return best || parts ? best : next_steps(phases, count, apart, true);
}

/* What the trace does not show. Without pinned memory nothing else matters. */
static const char *condition_of(struct xs_result *result,
				const struct xs_result_estimate *row)
{
	for (size_t i = 0; row->bound && i < row->assume_count; i++)
		if (!strcmp(row->assumes[i], XS_NEEDS_PINNED) &&
		    strcmp(row->bound, XS_NEEDS_PINNED) != 0)
			return xs_print(&result->arena, "%s; %s",
					XS_NEEDS_PINNED, row->bound);
	return row->bound;
}

/* Adds a step of the phase to the plan, except what it saves and its text. */
static struct xs_result_step *begin_step(struct xs_result *result,
					 const struct xs_phase_steps *steps,
					 const struct xs_phase_step *step)
{
	struct xs_result_step *out = &result->plan[result->plan_count];

	result->plan_count++;
	*out = (struct xs_result_step){
	    .step = ++result->step_count,
	    .phase = steps->phase,
	    .estimate = step->estimate,
	    .side_by_side = xs_number_round(1 / xs_result_share(steps->phase)),
	    .condition = condition_of(result, step->estimate),
	    .if_not_ns = xs_worth_loss_ns(steps->phase, step->estimate, true),
	    .instead_rounds = XS_UNKNOWN,
	};
	out->code = xs_code_of(result, steps->phase, step->estimate);
	return out;
}

static void add_step(struct xs_result *result, struct xs_phase_steps *steps,
		     struct xs_phase_steps *phases, size_t count,
		     double *run_ns)
{
	const struct xs_phase_step *step = &steps->items[steps->done];
	struct xs_result_step *out = begin_step(result, steps, step);
	const double adds_ns = step->adds_ns + along_ns(steps, phases, count);

	out->along = xs_plan_along(result, steps, step, phases, out);
	fill_sites(result, out);
	out->round_before_ns = xs_step_round_ns(steps, steps->done);
	xs_step_set_saving(steps, phases, count, adds_ns, out);
	finish_step(steps, phases, count);
	xs_step_set_round(xs_step_round_ns(steps, steps->done), out);
	xs_plan_say(result, steps, step, out);
	if (out->pays_rounds == XS_UNKNOWN)
		*run_ns -= adds_ns;
	out->adds_steady_ns =
	    xs_result_in_steady(steps->phase, out->adds_saves_ns);
	xs_step_set_run(result, phases, *run_ns, out);
}

/* Adds what pays in longer runs only: the run is as long as before. */
static void add_longer(struct xs_result *result,
		       const struct xs_phase_steps *steps,
		       struct xs_phase_steps *phases, double run_ns)
{
	const struct xs_phase_step *step = &steps->longer;
	struct xs_result_step *out = begin_step(result, steps, step);

	out->along = xs_plan_along(result, steps, step, phases, out);
	fill_sites(result, out);
	for (size_t i = 0; i < result->phase_count; i++)
		phases[i].longer_is_made |=
		    xs_step_is_longer_with(steps, &phases[i]);
	out->adds_saves_ns = xs_number_round(step->adds_ns);
	for (size_t i = 0; i < out->more_count; i++)
		out->adds_saves_ns += out->more_phases[i].adds_saves_ns;
	out->saves_low_ns = out->saves_high_ns = XS_UNKNOWN;
	out->adds_steady_ns =
	    xs_result_in_steady(steps->phase, out->adds_saves_ns);
	out->round_before_ns = xs_step_round_ns(steps, steps->count);
	xs_step_set_round(
	    xs_number_round((double)out->round_before_ns -
			    step->rounds_add_ns /
				xs_result_of_run(steps->phase, 1)),
	    out);
	xs_plan_say(result, steps, step, out);
	xs_step_set_run(result, phases, run_ns, out);
}

/* Adds the steps of the steady part, or of what is apart from it; between them
 * come those of no phase, which are one call. */
static void add_steps(struct xs_result *result, struct xs_phase_steps *phases,
		      bool apart, double *run_ns)
{
	const size_t count = result->phase_count;
	struct xs_phase_steps *next;

	while ((next = next_steps(phases, count, apart, false))) {
		const double least_ns = apart ? 0 : rank(next, phases, count);

		xs_plan_run_steps(result, least_ns, run_ns);
		add_step(result, next, phases, count, run_ns);
	}
	xs_plan_run_steps(result, 0, run_ns);
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
	result->nearest = result->nearest_if = NULL;
	if (!result->verdict.missing)
		xs_limit_build(result);
	if (has_step(result)) {
		result->question = xs_plan_question(result, NULL);
		result->no_pinning = xs_plan_unmeasured(result);
		if (result->no_pinning)
			return;
	} else {
		result->no_step = xs_plan_no_step(result);
	}
	/* it may be the nearest change, which is named already */
	if (!result->verdict.missing &&
	    !(result->nearest &&
	      strcmp(result->nearest->strategy, "pinned") == 0))
		result->no_pinning = xs_plan_no_pinning(result);
}

void xs_plan_build(struct xs_result *result)
{
	const size_t count = result->phase_count;
	struct xs_phase_steps *phases = xs_calloc(count + 1, sizeof(*phases));
	double run_ns = (double)xs_result_untraced_wall_ns(result);

	result->step_count = 0;
	XS_ARENA_NEW(&result->arena, result->plan,
		     count * (XS_PHASE_STEPS_MAX + 1));
	if (!result->verdict.missing)
		xs_phase_steps_build(result, phases);
	add_steps(result, phases, false, &run_ns);
	for (size_t i = 0; i < count; i++)
		if (phases[i].longer.strategy && !phases[i].longer_is_made)
			add_longer(result, &phases[i], phases, run_ns);
	add_steps(result, phases, true, &run_ns);
	xs_step_set_run_now(result, phases);
	free(phases);
	say_rest(result);
}
