/* SPDX-License-Identifier: MIT */
#include "report/plan/opening.h"

#include "analyzer/timeline/run_parts.h"
#include "report/plan/advice_text.h"
#include "report/plan/link_steps.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <string.h>

/* A text of more places is that of the step. */
#define LONGEST 120

/* What all steps of this run save of it. */
static int64_t planned_ns(const struct xs_result *result)
{
	int64_t saves_ns = xs_plan_links_save_ns(result);

	if (result->verdict.pinning.step)
		xs_number_add(&saves_ns, result->verdict.pinning.saves_ns);
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns, result->plan[i].adds_saves_ns);
	return saves_ns;
}

static const char *of_run(struct xs_result *result, int64_t ns)
{
	return xs_arena_copy(
	    &result->arena,
	    xs_units_percent(ns, xs_result_untraced_wall_ns(result)).s);
}

/* "pin the host buffers of a.cu:31, :33": the step with number 1; NULL: it pays
 * in longer runs only. *saves_ns: what it saves, *if_any: on a condition. */
static const char *first_step(struct xs_result *result, int64_t *saves_ns,
			      bool *if_any)
{
	const struct xs_result_pinning *pinning = &result->verdict.pinning;
	const struct xs_result_step *step = result->plan;
	const char *what;

	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step == 1) {
			*saves_ns = result->run.links[i].saves_ns;
			return "let the GPUs access each other's memory";
		}
	if (pinning->step == 1) {
		*saves_ns = pinning->saves_ns;
		*if_any = true;
		return xs_arena_print(
		    &result->arena, "register the memory in use in place of %s",
		    pinning->calls);
	}
	if (!result->plan_count || step->pays_rounds != XS_UNKNOWN)
		return NULL;
	*saves_ns = step->adds_saves_ns;
	*if_any = step->condition || step->side_by_side > 1;
	what = xs_advice_first(&result->arena, step->phase, step->estimate);
	return what && strlen(what) <= LONGEST
		   ? what
		   : xs_arena_print(&result->arena, "do step 1, %s",
				    step->estimate->strategy);
}

/* "nothing is worth it in this run ..." */
static const char *nothing(struct xs_result *result, const char *what)
{
	const int64_t most_ns = result->verdict.at_most_saves_ns;

	if (result->no_step && !what)
		return xs_arena_print(&result->arena, "%.*s",
				      (int)strcspn(result->no_step, ";."),
				      result->no_step);
	return xs_arena_print(&result->arena,
			      "nothing is worth it in this run: all data "
			      "movement is at most %s of it%s",
			      of_run(result, most_ns),
			      what ? "; step 1 is for longer runs" : "");
}

/* "first profile the host's code before ..., 192 ms of the run; then " if that
 * is the limit, and more than the steps save; else "". */
static const char *host_first(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t host_ns = xs_result_part_ns(in, XS_PART_HOST);

	if (!in->host_is_limit || host_ns <= planned_ns(result))
		return "";
	return xs_arena_print(
	    &result->arena,
	    "first profile the host's code%s%s: %s of the run; then ",
	    in->host_place ? " before " : "",
	    in->host_place ? in->host_place : "", of_run(result, host_ns));
}

void xs_plan_opening(struct xs_result *result)
{
	struct xs_arena *arena = &result->arena;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	int64_t saves_ns = 0;
	bool if_any = false;
	const char *what;

	result->opening = NULL;
	if (result->verdict.missing || wall_ns == XS_UNKNOWN)
		return;
	what = first_step(result, &saves_ns, &if_any);
	if (!what || planned_ns(result) < wall_ns / XS_RESULT_LEAST_PART)
		result->opening = xs_arena_print(
		    arena, "%s%s.", host_first(result), nothing(result, what));
	else
		result->opening = xs_arena_print(
		    arena, "%s%s: saves %s of %s (%s of the run)%s.",
		    host_first(result), what, xs_units_ns(saves_ns).s,
		    xs_units_ns(wall_ns).s, of_run(result, saves_ns),
		    if_any ? ", on the condition of step 1" : "");
}
