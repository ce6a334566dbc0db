/* SPDX-License-Identifier: MIT */
#include "report/plan/plan_text.h"

#include "model/strategies/strategies.h"
#include "report/plan/advice_text.h"
#include "report/plan/alternatives.h"
#include "report/plan/code.h"
#include "report/plan/same_lines.h"
#include "report/plan/step_gain.h"
#include "report/plan/step_range.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A further setup below 1 / NAMED_PART of its gain is not named. */
#define NAMED_PART 20

/* Nor is the first one below 1 / LEAST_PART, the last digit of its gain. */
#define LEAST_PART 1000

/* Returns "5.57 ms (5.40-6.90 ms)": a part of the row's setup, ns, with its
 * range by the profile. */
static const char *setup_text(struct xs_arena *arena,
			      const struct xs_result_estimate *row, double ns)
{
	const double again_ns = (double)(row->setup_ns - row->new_memory_ns);
	const double part =
	    again_ns > 0 ? (ns - (double)row->new_memory_ns) / again_ns : 0;
	const double low_ns = ns - part * (double)row->setup_less_ns;
	const double high_ns = ns + part * (double)row->setup_more_ns;

	return xs_arena_copy(arena,
			     xs_units_in_range_ns(xs_number_round(ns),
						  xs_number_round(low_ns),
						  xs_number_round(high_ns))
				 .s);
}

/* Returns what the setup takes, with more_ns for other phases, as a sentence;
 * NULL: there is none. */
static const char *say_setup(struct xs_arena *arena,
			     const struct xs_phase_steps *steps,
			     const struct xs_phase_step *step, double more_ns)
{
	const struct xs_result_estimate *estimate = step->estimate;
	const bool pins =
	    step->strategy->changes & XS_CHANGES_PINNING &&
	    step->strategy->changes & XS_CHANGES_ORDER &&
	    xs_result_is_pageable(steps->phase) &&
	    !xs_result_same_text(steps->phase->src_memory, "pinned");

	if (estimate->setup_ns <= 0)
		return NULL;
	return xs_print(
	    arena, "The setup%s%s takes about %s.",
	    more_ns > 0 ? " for all of these phases" : "",
	    pins ? ", which registers these buffers or allocates pinned ones,"
		 : "",
	    setup_text(arena, estimate, (double)estimate->setup_ns + more_ns));
}

/* What a round saves of a step that pays in longer runs, and its setup. */
static const char *later(struct xs_arena *arena,
			 const struct xs_phase_steps *steps,
			 const struct xs_phase_step *step)
{
	return xs_print(
	    arena, "A round saves %s, but the setup takes %s.",
	    xs_units_ns(xs_number_round(step->rounds_add_ns /
					xs_result_of_run(steps->phase, 1)))
		.s,
	    setup_text(arena, step->estimate, xs_step_gain_setup_ns(step)));
}

/* When the setup of the phase's first step has paid, and what further ones add
 * to it. NULL: nothing. */
static const char *payback_of(struct xs_arena *arena,
			      const struct xs_phase_steps *steps,
			      const struct xs_phase_step *step,
			      const struct xs_result_step *out)
{
	const double more_ns = (double)out->more_setup_ns;
	double setup_ns = xs_step_gain_setup_ns(step);

	if (setup_ns < -step->adds_ns / NAMED_PART)
		return xs_print(
		    arena,
		    "Its setup takes %s, %s less than those it replaces.",
		    xs_units_ns(step->estimate->setup_ns).s,
		    xs_units_ns(xs_number_round(-setup_ns)).s);
	if (xs_step_gain_pays_rounds(steps->phase, step) != XS_UNKNOWN)
		return later(arena, steps, step);
	setup_ns += more_ns;
	if (setup_ns < (double)out->adds_saves_ns / LEAST_PART)
		return NULL;
	if (step == steps->items)
		return say_setup(arena, steps, step, more_ns);
	if (setup_ns < (double)out->adds_saves_ns / NAMED_PART)
		return NULL;
	return xs_print(arena, "It adds about %s to the setup.",
			setup_text(arena, step->estimate, setup_ns));
}

/* The rounds from which on a step for longer runs pays beside a row that saves
 * more in this one; XS_UNKNOWN: it does not, or is no such step. */
static int64_t pays_beside(const struct xs_phase_steps *steps,
			   const struct xs_phase_step *step,
			   const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *later = step->estimate;
	const double round_ns = (double)(row->round_ns - later->round_ns) *
				xs_result_share(steps->phase);
	const double setup_ns =
	    (double)later->setup_ns - fmax((double)row->setup_ns, 0);

	return step == &steps->longer && round_ns > 0
		   ? xs_number_round(ceil(setup_ns / round_ns))
		   : XS_UNKNOWN;
}

/* Says what saves more in place of this step, if it is the last one. NULL:
 * nothing. */
static const char *say_instead(struct xs_result *result,
			       const struct xs_phase_steps *steps,
			       const struct xs_phase_step *step,
			       struct xs_result_step *out)
{
	struct xs_arena *arena = &result->arena;
	double more_ns;
	const struct xs_result_estimate *row =
	    xs_alternative_instead(result, steps, &more_ns);
	const char *beside = "";

	if (step != (steps->longer.strategy ? &steps->longer
					    : &steps->items[steps->count - 1]))
		return NULL;
	out->instead = row;
	if (!row)
		return NULL;
	out->instead_rounds = pays_beside(steps, step, row);
	if (out->instead_rounds != XS_UNKNOWN)
		beside = xs_print(arena,
				  ", than which this step is better from "
				  "%" PRId64 " rounds on",
				  out->instead_rounds);
	else if (step == &steps->longer)
		beside = ", and in each longer one";
	return xs_print(arena, "In its place, %s %s %s %s%s%s%s; effort: %s.",
			row->strategy, row->only_if ? "may save" : "saves",
			xs_units_ns(xs_number_round(more_ns)).s,
			step == &steps->longer ? "in this run" : "more", beside,
			row->only_if ? ", only if " : "",
			row->only_if ? row->only_if : "", row->effort);
}

/* " If its condition does not hold, reuse saves 31 ms; effort: ...", beside the
 * steps before it, of a step with a condition; NULL: nothing. */
static const char *fallback(struct xs_result *result,
			    const struct xs_phase_steps *steps,
			    const struct xs_phase_step *step,
			    struct xs_result_step *out)
{
	struct xs_phase_steps before = *steps;
	const struct xs_result_estimate *row = NULL;
	double adds_ns;

	if (step != &steps->longer &&
	    (step->estimate->bound || step->estimate->only_if)) {
		before.count = (size_t)(step - steps->items);
		row = xs_alternative_without(result, &before, step->estimate,
					     &adds_ns);
	}
	if (!row)
		return NULL;
	out->instead = row;
	return xs_print(
	    &result->arena,
	    "If its condition does not hold, %s saves %s%s; effort: %s.",
	    row->strategy,
	    xs_worth_is_sure(result, steps->phase, row, adds_ns) ? ""
								 : "about ",
	    xs_units_ns(xs_number_round(adds_ns)).s, row->effort);
}

/* The earlier step that is the same change at other lines; NULL: there is none.
 * With a number of streams, each has its own. */
static const struct xs_result_step *
same_change(const struct xs_result *result, const struct xs_result_step *step)
{
	if (step->estimate->n_streams != XS_UNKNOWN)
		return NULL;
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (strcmp(before->estimate->strategy,
			   step->estimate->strategy) == 0)
			return before;
	return NULL;
}

/* Whether the later change is made in place of the step: it has not all of it,
 * needs no memory that is allocated once, or rewrites the kernels, and with
 * them more than that memory is pinned. */
static bool takes_place_of(const struct xs_phase_step *later,
			   const struct xs_strategy *step)
{
	return !xs_strategy_are_apart(later->strategy, step) &&
	       (!xs_strategy_includes(later->strategy, step) ||
		(step->changes == XS_CHANGES_ALLOCATION &&
		 strcmp(later->strategy->id, "mapped") == 0) ||
		(later->estimate->effort_level >= XS_EFFORT_REWRITE &&
		 step->changes != XS_CHANGES_PINNING));
}

/* Adds to the text that a later step takes the place of this one. */
static void add_later(struct xs_arena *arena,
		      const struct xs_phase_steps *steps,
		      const struct xs_phase_step *step,
		      struct xs_result_step *out)
{
	for (const struct xs_phase_step *later = step + 1;
	     later < steps->items + steps->count; later++) {
		if (!takes_place_of(later, step->strategy))
			continue;
		out->text = xs_print(
		    arena,
		    "%s %s, a later step, takes its place: this code is then "
		    "not needed.",
		    out->text, later->strategy->id);
		break;
	}
}

/* Phases that are named of a step beside its own. */
#define NAMED_MAX 3

/* The step of the other phase that is made with this one, in this run or in
 * longer ones; NULL: none. */
static const struct xs_phase_step *
step_along(const struct xs_phase_steps *steps, const struct xs_phase_step *step,
	   const struct xs_phase_steps *other)
{
	if (step == &steps->longer)
		return xs_step_is_longer_with(steps, other) ? &other->longer
							    : NULL;
	return xs_step_is_made_along(steps, other) ? &other->items[other->done]
						   : NULL;
}

/* Adds the places that the row changes for the phase, or, without a row, its
 * number, as the places are told already. */
static const char *add_phase(struct xs_arena *arena, const char *list,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *row)
{
	return xs_result_add_label(
	    arena, list,
	    row ? xs_advice_places(arena, phase, row)
		: xs_print(arena, "phase %" PRId64, phase->id));
}

/* " The same for a.cu:8, phase 2 and for 2 more phases: 5 ms of the saving.",
 * if that is known. */
static const char *say_along(struct xs_arena *arena, const char *list,
			     size_t count, int64_t ns)
{
	const char *more = "", *saves = "";

	if (count > NAMED_MAX)
		more = xs_print(arena, " and for %zu more phase%s",
				count - NAMED_MAX,
				count == NAMED_MAX + 1 ? "" : "s");
	if (ns != XS_UNKNOWN)
		saves =
		    xs_print(arena, ": %s of the saving", xs_units_ns(ns).s);
	return xs_print(arena, " The same for %s%s%s.", list, more, saves);
}

const char *xs_plan_along(struct xs_result *result,
			  const struct xs_phase_steps *steps,
			  const struct xs_phase_step *step,
			  const struct xs_phase_steps *phases,
			  struct xs_result_step *out)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;
	size_t count = 0;
	double ns = 0;
	bool once; /* the setup is of both */

	XS_ARENA_NEW(arena, out->more_phases, result->phase_count);
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = phases[i].phase;
		const struct xs_phase_step *its =
		    step_along(steps, step, &phases[i]);
		const bool at_lines =
		    its &&
		    xs_lines_are_within(steps->phase, phase, its->estimate);
		const bool named = its && count++ < NAMED_MAX;

		if (!its)
			continue;
		once =
		    at_lines && !(its->strategy->changes & XS_CHANGES_LAUNCHES);
		ns += once ? its->rounds_add_ns : its->adds_ns;
		xs_number_add_known(
		    &out->if_not_ns,
		    xs_worth_loss_ns(phase, its->estimate, !once));
		if (named)
			list = add_phase(arena, list, phase,
					 at_lines ? NULL : its->estimate);
		if (once)
			continue;
		out->more_phases[out->more_count++] = (struct xs_result_more){
		    phase, xs_number_round(its->adds_ns)};
		xs_number_add(&out->more_setup_ns,
			      xs_number_round(xs_step_gain_setup_ns(its)));
	}
	return list ? say_along(arena, list, count,
				step == &steps->longer ? XS_UNKNOWN
						       : xs_number_round(ns))
		    : NULL;
}

/* What to do, what the setup takes, what else the change reaches, why an
 * uncertain step is one, and what saves more in its place. */
void xs_plan_say(struct xs_result *result, const struct xs_phase_steps *steps,
		 const struct xs_phase_step *step, struct xs_result_step *out)
{
	struct xs_arena *arena = &result->arena;
	const char *payback = payback_of(arena, steps, step, out);
	const char *rest;

	out->same = same_change(result, out);
	out->pays_rounds = xs_step_gain_pays_rounds(steps->phase, step);
	rest = say_instead(result, steps, step, out);
	if (!rest)
		rest = fallback(result, steps, step, out);
	if (out->same)
		out->text = xs_print(
		    arena, "As in step %" PRId64 ", for %s.", out->same->step,
		    xs_advice_places(arena, steps->phase, step->estimate));
	else
		out->text = xs_advice_text(&result->arena, steps->phase,
					   step->estimate);
	if (payback)
		out->text = xs_print(arena, "%s %s", out->text, payback);
	if (out->along)
		out->text = xs_print(arena, "%s%s", out->text, out->along);
	add_later(arena, steps, step, out);
	out->text =
	    xs_code_in_api(arena, steps->phase, step->estimate, out->text);
	if (rest)
		out->text = xs_print(arena, "%s %s", out->text, rest);
}
