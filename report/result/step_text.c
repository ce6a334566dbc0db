/* SPDX-License-Identifier: MIT */
#include "report/result/step_text.h"

#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_text.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A shorter round is told apart. */
#define NEARLY 0.8

/* "streams n=8" */
const char *xs_result_step_name(struct xs_result *result,
				const struct xs_result_estimate *estimate)
{
	if (estimate->n_streams == XS_UNKNOWN)
		return estimate->strategy;
	return xs_print(&result->arena, "%s n=%" PRId64, estimate->strategy,
			estimate->n_streams);
}

/* "about " if the range of the step's round is wider than the time. */
static const char *about(const struct xs_result_step *step)
{
	return step->round_high_ns - step->round_low_ns >
		       step->round_ns + xs_result_used_between_ns(step->phase)
		   ? "about "
		   : "";
}

/* The step before it of its phase; NULL: there is none. */
static const struct xs_result_step *before_of(const struct xs_result *result,
					      const struct xs_result_step *step)
{
	const struct xs_result_step *last = NULL;

	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (xs_result_step_is_of(before, step->phase))
			last = before;
	return last;
}

const char *xs_result_step_about(const struct xs_result *result,
				 const struct xs_result_step *step)
{
	const struct xs_result_step *last = before_of(result, step);

	return last ? about(last) : "";
}

const char *xs_result_step_before(struct xs_result *result,
				  const struct xs_result_step *step)
{
	struct xs_arena *arena = &result->arena;

	return xs_print(
	    arena, "%s round%s: %s%s -> ",
	    step->phase->rounds == 1 ? "the" : "a",
	    result->phase_count > 1
		? xs_print(arena, " of phase %" PRId64, step->phase->id)
		: "",
	    xs_result_step_about(result, step),
	    xs_units_ns(step->round_before_ns +
			xs_result_used_between_ns(step->phase))
		.s);
}

/* "1.15 ms (1.08-1.24 ms)"; "about" of one whose range is wider than it is. */
const char *xs_result_step_round(struct xs_result *result,
				 const struct xs_result_step *step)
{
	const int64_t between_ns = xs_result_used_between_ns(step->phase);

	return xs_print(&result->arena, "%s%s", about(step),
			xs_units_in_range_ns(step->round_ns + between_ns,
					     step->round_low_ns + between_ns,
					     step->round_high_ns + between_ns)
			    .s);
}

/* How far the saving is one. */
static const char *saves(const struct xs_result_step *step)
{
	if (step->is_question)
		return "may save";
	return *about(step) && step->adds_saves_ns < step->saves_high_ns
		   ? "saves about"
		   : "saves";
}

/* What the step is compared with: "step 2", or "as-is". */
const char *xs_result_step_beside(struct xs_result *result,
				  const struct xs_result_step *step)
{
	const struct xs_result_step *last = before_of(result, step);

	return last ? xs_print(&result->arena, "step %" PRId64, last->step)
		    : "as-is";
}

/* Whether all rounds that run beside others issue to the phase's stream. */
static bool is_one_stream(const struct xs_result *result,
			  const struct xs_result_phase *phase)
{
	XS_EACH(other, result->phases, result->phase_count)
		if (other->concurrent_ns > 0 && other->queue != phase->queue)
			return false;
	return phase->queue != XS_UNKNOWN;
}

/* Returns what rounds side by side may change, "" if there are none. */
static const char *side_by_side(struct xs_result *result,
				const struct xs_result_step *step)
{
	const struct xs_result_phase *phase = step->phase;
	const double at_once = 1 / xs_result_share(phase);
	const double apart_ns =
	    fmax((double)step->estimate->round_ns / phase->blocking_at_once +
		     (double)phase->host_ns,
		 (double)phase->beside_link_ns);

	if (step->side_by_side <= 1)
		return "";
	if (phase->blocking_at_once <= 1 ||
	    strcmp(step->estimate->strategy, "pinned") != 0 ||
	    apart_ns > NEARLY * (double)step->estimate->round_ns)
		return xs_print(
		    &result->arena,
		    "%.3g rounds run at once on average%s, "
		    "which may take some of it; ",
		    at_once,
		    is_one_stream(result, phase) ? ", all in one stream" : "");
	return xs_print(
	    &result->arena,
	    "%.3g rounds run at once on average, whose copies wait for %.3g of "
	    "them in one stream: in a stream of each thread%s, a round takes "
	    "%s at best; ",
	    at_once, phase->blocking_at_once,
	    xs_result_language(&result->run) == XS_LANGUAGE_CUDA
		? " (nvcc --default-stream per-thread)"
		: "",
	    xs_units_ns(xs_number_round(apart_ns) +
			xs_result_used_between_ns(phase))
		.s);
}

/* "saves 58.1 ms: 62 % of the steady part, 10.9 % of the run, then ..."; of
 * what pays in longer runs only, from when on. */
const char *xs_result_step_saving(struct xs_result *result,
				  const struct xs_result_step *step)
{
	if (step->pays_rounds != XS_UNKNOWN)
		return xs_print(
		    &result->arena,
		    "better than %s from %" PRId64 " rounds on: this run of "
		    "%" PRId64 " would take %s more; effort: %s",
		    xs_result_step_beside(result, step), step->pays_rounds,
		    xs_result_rounds(step->phase),
		    xs_units_ns(-step->adds_saves_ns).s,
		    step->estimate->effort);
	return xs_print(
	    &result->arena, "%s%s %s%s%s of %s, then %s; effort: %s",
	    side_by_side(result, step), saves(step),
	    xs_result_saving(&result->arena, step->adds_saves_ns,
			     step->saves_low_ns, step->saves_high_ns),
	    result->verdict.repeats && !step->phase->apart
		? xs_result_of_steady(result, step->adds_steady_ns,
				      step->adds_saves_ns)
		: ": ",
	    xs_units_percent(step->adds_saves_ns,
			     xs_result_untraced_wall_ns(result))
		.s,
	    xs_result_run_name(result), xs_units_ns(step->app_wall_ns).s,
	    step->estimate->effort);
}

static bool shares_a_line(const struct xs_result_step *a,
			  const struct xs_result_step *b)
{
	for (size_t i = 0; i < a->site_count; i++)
		for (size_t k = 0; k < b->site_count; k++)
			if (xs_result_same_place(a->sites[i], b->sites[k]))
				return true;
	return false;
}

/* Whether an earlier step of the phase or of its lines, or the one that this
 * one repeats, has the condition. */
static bool is_said(const struct xs_result *result,
		    const struct xs_result_step *step, const char *condition)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++) {
		const struct xs_result_estimate *row = before->estimate;

		for (size_t i = 0; i < row->assume_count; i++)
			if (strcmp(row->assumes[i], condition) == 0 &&
			    (before->phase == step->phase ||
			     before == step->same ||
			     shares_a_line(before, step)))
				return true;
	}
	return false;
}

const char *xs_result_only_if(struct xs_arena *arena, const char *condition,
			      int64_t if_not_ns)
{
	return xs_print(arena, "only if %s%s", condition,
			if_not_ns > 0 ? xs_print(arena, " (%s slower if not)",
						 xs_units_ns(if_not_ns).s)
				      : "");
}

/* What must be true: the condition that the trace does not show, and what the
 * prediction assumes, each once for a phase. NULL: nothing. */
const char *xs_result_step_conditions(struct xs_result *result,
				      const struct xs_result_step *step)
{
	const struct xs_result_estimate *row = step->estimate;
	struct xs_arena *arena = &result->arena;
	const char *only_if = step->condition ? step->condition : row->only_if;
	const char *list =
	    only_if ? xs_result_only_if(arena, only_if, step->if_not_ns) : NULL;
	bool keeps = false;

	for (size_t i = 0; i < row->assume_count; i++) {
		if (is_said(result, step, row->assumes[i]) ||
		    (only_if && strstr(only_if, row->assumes[i])))
			continue;
		list = xs_print(arena, "%s%s%s%s", list ? list : "",
				list ? "; " : "", keeps ? "" : "as long as ",
				row->assumes[i]);
		keeps = true;
	}
	return list;
}
