/* SPDX-License-Identifier: MIT */
/* Merges the steps of all phases into the plan, the step with the most gain
 * for its effort first. */
#include "report/plan/plan.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/advice_code.h"
#include "report/plan/advice_text.h"
#include "report/plan/alternatives.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/phase_steps.h"
#include "report/plan/plan_text.h"
#include "report/plan/same_lines.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_python(const char *file)
{
	const size_t length = strlen(file);

	return length > 3 && strcmp(file + length - 3, ".py") == 0;
}

/* The language of the lines to change. Where no line is known, the framework's
 * own libraries call CUDA, if there is one. */
static enum xs_language language_of(const struct xs_result *result,
				    const struct xs_result_phase *phase,
				    const struct xs_result_estimate *row)
{
	bool is_known = false;

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];

		if (!site->file || !xs_advice_is_about(phase, row, site))
			continue;
		if (is_python(site->file))
			return result->run.python;
		is_known = true;
	}
	return is_known || result->run.python == XS_LANGUAGES
		   ? XS_LANGUAGE_CUDA
		   : result->run.python;
}

/* The lines to write; NULL: none. */
static const char *code_of(struct xs_result *result,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const enum xs_language language = language_of(result, phase, row);

	if (!strategy || language >= XS_LANGUAGES || !strategy->code[language])
		return NULL;
	return xs_advice_code(&result->arena, phase, strategy->code[language]);
}

/* The time of the round after the steps so far. */
static int64_t round_ns(const struct xs_phase_steps *steps)
{
	double saved_ns = 0;

	for (size_t i = 0; i < steps->done; i++)
		saved_ns += steps->items[i].rounds_add_ns;
	return xs_number_round((double)steps->phase->round_ns -
			       saved_ns /
				   xs_phase_estimate_of_run(steps->phase, 1));
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
	const int64_t before_ns =
	    result->plan_count ? out[-1].app_wall_ns : result->run.wall_ns;
	int64_t reached;
	const double others_ns = along_ns(steps, phases, count, &reached);
	const double after_ns = (double)before_ns - step->adds_ns - others_ns;

	*out = (struct xs_result_step){
	    .step = (int64_t)++result->plan_count,
	    .phase = steps->phase,
	    .estimate = step->estimate,
	    .round_before_ns = round_ns(steps),
	    .side_by_side =
		xs_number_round(1 / xs_phase_estimate_part(steps->phase)),
	    .condition = step->estimate->bound,
	};
	xs_plan_say(result, steps, step, reached, out);
	fill_sites(result, out);
	out->code = code_of(result, steps->phase, step->estimate);
	finish_step(steps, phases, count);
	out->round_ns = round_ns(steps);
	out->adds_saves_ns = xs_number_round(step->adds_ns + others_ns);
	out->app_wall_ns = xs_number_round(after_ns);
	out->low_ns =
	    xs_number_round(after_ns - errors_ns(phases, count, false));
	out->high_ns =
	    xs_number_round(after_ns + errors_ns(phases, count, true));
}

/* Whether any change was predicted for any phase. */
static bool is_predicted(const struct xs_result *result)
{
	for (size_t i = 0; i < result->phase_count; i++)
		for (size_t k = 0; k < result->phases[i].estimate_count; k++)
			if (result->phases[i].estimates[k].applies &&
			    result->phases[i].estimates[k].effort_level > 0)
				return true;
	return false;
}

/* What would save most of the steady part, on a condition that is not to be
 * expected to hold: more than least_ns. may_cross: also if the condition is how
 * often bytes cross the bus. NULL: there is nothing. */
static const char *left_out(struct xs_result *result, const char *lead,
			    int64_t least_ns, bool may_cross)
{
	const struct xs_result_phase *of = NULL;
	const struct xs_result_estimate *most = NULL;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];
		const struct xs_result_estimate *row =
		    phase->apart ? NULL
				 : xs_alternative_left_out(result, phase);

		if (!row || row->saves_ns <= least_ns ||
		    (row->assumes_once && !may_cross))
			continue;
		most = row;
		of = phase;
		least_ns = row->saves_ns;
	}
	if (!most)
		return NULL;
	result->question_code = code_of(result, of, most);
	return xs_arena_print(
	    &result->arena, "%s %s saves up to %s, but only if %s. %s", lead,
	    most->strategy, xs_units_ns(most->saves_ns).s, most->bound,
	    xs_advice_text(&result->arena, of, most));
}

/* What to find out before the steps: it may save more than they do. */
static const char *question(struct xs_result *result)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->plan_count; i++)
		if (!result->plan[i].phase->apart)
			xs_number_add(&saves_ns, result->plan[i].adds_saves_ns);
	return left_out(result, "Could data stay on the GPU?", saves_ns, false);
}

/* Whether issuing work takes most of the steady part, and why it is not known
 * what fewer launches would save. NULL: it is known, or would be little. */
static const char *unknown_launches(const struct xs_result *result)
{
	const struct xs_result_verdict *verdict = &result->verdict;

	if (!verdict->part_count || verdict->parts[0].part != XS_PART_CALLS)
		return NULL;
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_estimate *row = xs_phase_estimate_find(
		    &result->phases[i], XS_CHANGES_LAUNCHES);

		if (row && !result->phases[i].apart && !row->applies &&
		    !row->quiet)
			return row->why;
	}
	return NULL;
}

/* "; pinned is the nearest: a round 363 us (300-370 us) -> 310 us (270-381 us),
 * which saves 0.4 % of the steady part": what would save most, if anything
 * does. */
static const char *nearest(struct xs_result *result)
{
	const struct xs_result_phase *of = NULL;
	const struct xs_result_estimate *most = NULL, *as_is;

	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		for (size_t k = 1; !phase->apart && k < xs_strategy_count;
		     k++) {
			const struct xs_result_estimate *row =
			    xs_result_best(phase, xs_strategies[k]->id, false);

			if (!row || row->bound || row->saves_ns == XS_UNKNOWN ||
			    row->saves_ns <= (most ? most->saves_ns : 0))
				continue;
			most = row;
			of = phase;
		}
	}
	as_is = most ? xs_result_best(of, xs_strategies[0]->id, false) : NULL;
	if (!as_is)
		return "";
	return xs_arena_print(
	    &result->arena,
	    "; %s is the nearest: a round %s -> %s, which saves %s of %s",
	    most->strategy,
	    xs_units_in_range_ns(as_is->round_ns, as_is->low_ns, as_is->high_ns)
		.s,
	    xs_units_in_range_ns(most->round_ns, most->low_ns, most->high_ns).s,
	    xs_units_percent(xs_result_in_steady(result, of, most->saves_ns),
			     result->verdict.steady_ns)
		.s,
	    xs_result_steady_name(result));
}

/* Why there is no step for the steady part. */
static const char *no_step(struct xs_result *result)
{
	const char *uncertain, *launches;

	if (result->verdict.missing)
		return "not known: the verdict says what is missing";
	if (result->machine_choice.other_gpu)
		return "not known: the predictions are for another GPU, and "
		       "not compared with this run";
	if (!is_predicted(result))
		return "not known: no strategy could be predicted; the reasons "
		       "are at the end (--all)";
	uncertain = left_out(result, "nothing for certain:", 0, true);
	if (uncertain)
		return uncertain;
	launches = unknown_launches(result);
	if (launches)
		return xs_arena_print(
		    &result->arena,
		    "not known: no change of data movement is predicted to "
		    "save 1 %% of %s. What a CUDA graph would save is not "
		    "known: %s",
		    xs_result_steady_name(result), launches);
	return xs_arena_print(&result->arena,
			      "nothing: no change is predicted to save 1 %% "
			      "of %s and more than its uncertainty%s",
			      xs_result_steady_name(result), nearest(result));
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
	if (!result->plan_count || result->plan[0].phase->apart)
		result->no_step = no_step(result);
	else
		result->question = question(result);
	return result->arena.failed ? -ENOMEM : 0;
}
