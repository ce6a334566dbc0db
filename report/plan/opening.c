/* SPDX-License-Identifier: MIT */
#include "report/plan/opening.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/advice_text.h"
#include "report/plan/beside.h"
#include "report/plan/link_steps.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <string.h>

/* A text of more places is that of the step. */
#define LONGEST 120

/* Below 1 / HOST_PART of the run, the host's code does not come first. */
#define HOST_PART 10

/* Below 1 / START_PART, the program's start-up is not told. */
#define START_PART 4

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

/* What the report opens with; its times are ns of the run. */
struct act {
	const char *what;    /* NULL: nothing pays in this run */
	const char *only_if; /* NULL: none */
	int64_t saves_ns, low_ns;
	const struct xs_result_step *step; /* NULL: not one alone */
	bool at_most;			   /* of rounds side by side */
	bool once;			   /* no more in longer runs */
	bool may_lose;			   /* a question to answer first */
};

/* What it saves at least; a condition halves it, as in the plan's order. */
static int64_t sure_ns(const struct act *act)
{
	return act->low_ns < 0
		   ? 0
		   : act->low_ns / (act->only_if || act->at_most ? 2 : 1);
}

/* Whether the step can be made without those before it. */
static bool is_alone(const struct xs_result *result,
		     const struct xs_result_step *step)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (before->phase == step->phase &&
		    !xs_strategy_are_apart(
			xs_strategy_find(before->estimate->strategy),
			xs_strategy_find(step->estimate->strategy)))
			return false;
	return true;
}

/* Adds the steps that are the same change at other lines, and need no step that
 * is not: "pin the host buffers of steps 1, 2". */
static void add_same(struct xs_result *result,
		     const struct xs_result_step *step, struct act *act)
{
	struct xs_arena *arena = &result->arena;
	const char *list = xs_arena_print(arena, "steps %" PRId64, step->step);
	const int64_t alone_ns = act->saves_ns;

	for (size_t i = 0; i < result->plan_count; i++) {
		const struct xs_result_step *other = &result->plan[i];

		if (other->same != step || other->pays_rounds != XS_UNKNOWN ||
		    other->phase->apart != step->phase->apart ||
		    !is_alone(result, other))
			continue;
		list = xs_arena_print(arena, "%s, %" PRId64, list, other->step);
		act->saves_ns += other->adds_saves_ns;
		act->low_ns += other->saves_low_ns;
	}
	if (act->saves_ns == alone_ns)
		return;
	act->what = xs_advice_first(arena, step->phase, step->estimate, list);
	act->step = NULL;
}

/* "pin the host buffers of a.cu:31, :33", "... of step 1", "allocate once ...
 * (step 2)" */
static struct act act_of(struct xs_result *result,
			 const struct xs_result_step *step)
{
	struct xs_arena *arena = &result->arena;
	const char *number = xs_arena_print(arena, "step %" PRId64, step->step);
	const char *what =
	    xs_advice_first(arena, step->phase, step->estimate, NULL);
	struct act act;

	if (strlen(what) > LONGEST)
		what =
		    xs_advice_first(arena, step->phase, step->estimate, number);
	else if (step->step > 1)
		what = xs_arena_print(arena, "%s (%s)", what, number);
	act = (struct act){
	    .what = what,
	    .only_if = step->condition,
	    .saves_ns = step->adds_saves_ns,
	    .low_ns = step->saves_low_ns,
	    .step = step,
	    .at_most = step->side_by_side > 1,
	    .once = step->phase->apart,
	    .may_lose = step->is_question,
	};
	add_same(result, step, &act);
	return act;
}

/* The step with number 1. */
static struct act first_step(struct xs_result *result)
{
	const struct xs_result_pinning *pinning = &result->verdict.pinning;

	for (size_t i = 0; i < result->run.link_count; i++) {
		const struct xs_result_gpu_link *link = &result->run.links[i];

		if (link->step == 1)
			return (struct act){
			    .what = "let the GPUs access each other's memory",
			    .saves_ns = link->saves_ns,
			    .low_ns = link->saves_low_ns,
			};
	}
	if (pinning->step == 1)
		return (struct act){
		    .what = xs_arena_print(
			&result->arena,
			"register the data where it is, instead of %s",
			pinning->calls),
		    .only_if = pinning->condition,
		    .saves_ns = pinning->saves_ns,
		    .low_ns = pinning->saves_low_ns,
		    .once = true,
		    .may_lose = pinning->is_question,
		};
	if (!result->plan_count || result->plan->pays_rounds != XS_UNKNOWN)
		return (struct act){0};
	return act_of(result, result->plan);
}

static bool is_little(const struct xs_result *result, const struct act *act)
{
	return xs_worth_is_little(result, (double)act->saves_ns);
}

/* The step that saves most at least; step 1 if none of those that can be
 * made without it saves more, or that one is little beside it. */
static struct act best_act(struct xs_result *result)
{
	const struct act first = first_step(result);
	struct act best = first;

	for (size_t i = 0; best.what && i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];
		struct act one;

		if (step->pays_rounds != XS_UNKNOWN || !is_alone(result, step))
			continue;
		one = act_of(result, step);
		if (sure_ns(&one) > sure_ns(&best))
			best = one;
	}
	return is_little(result, &best) && first.saves_ns > best.saves_ns
		   ? first
		   : best;
}

/* The first clause of why there is no step. */
static const char *first_clause(struct xs_result *result)
{
	const char *why = result->no_step;
	size_t length = strcspn(why, ";");

	for (const char *end = strstr(why, ". "); end;
	     end = strstr(end + 1, ". "))
		if ((size_t)(end - why) < length)
			length = (size_t)(end - why);
	if (!why[length] && length && why[length - 1] == '.')
		length--;
	return xs_arena_print(&result->arena, "%.*s", (int)length, why);
}

/* "nothing is worth it in this run ..." */
static const char *nothing(struct xs_result *result, const struct act *act)
{
	const char *rest = result->no_step ? "" : "; step 1 is for longer runs";

	/* "nothing", or "not known", of next to nothing is told with its share
	 */
	if (result->no_step && !act->what &&
	    (strncmp(result->no_step, "not", 3) != 0 ||
	     result->verdict.at_most_saves_ns >=
		 xs_result_untraced_wall_ns(result) / XS_RESULT_LEAST_PART))
		return first_clause(result);
	if (act->what)
		rest = xs_arena_print(&result->arena, "; all steps save %s",
				      of_run(result, planned_ns(result)));
	return xs_arena_print(
	    &result->arena,
	    "nothing is worth it in this run of %s: changes of data movement "
	    "save at most %s of it%s",
	    xs_units_ns(xs_result_untraced_wall_ns(result)).s,
	    of_run(result, result->verdict.at_most_saves_ns), rest);
}

/* The host's own code, less what steps save of its copies to pinned memory. */
static int64_t host_left_ns(const struct xs_result *result)
{
	int64_t ns = xs_result_part_ns(&result->verdict, XS_PART_HOST);

	for (size_t i = 0; i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];

		if (step->phase->staged &&
		    strcmp(step->estimate->strategy, "pinned") == 0)
			ns -= step->adds_saves_ns;
	}
	return ns;
}

/* "first profile the host's code, most before ...: 30 % of the run; then " if
 * that is the limit, and more than the steps save and than 1 / HOST_PART of the
 * run; else "". */
static const char *host_first(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t host_ns = host_left_ns(result);

	if (!in->host_is_limit || !in->host_place ||
	    host_ns <= planned_ns(result) ||
	    host_ns < xs_result_untraced_wall_ns(result) / HOST_PART)
		return "";
	return xs_arena_print(
	    &result->arena,
	    "first profile the host's code, most before %s: %s of %s; "
	    "then ",
	    in->host_place, of_run(result, host_ns),
	    xs_result_run_name(result));
}

/* "first let the 2 GPUs work at one time: up to 11 % of the run; then " */
static const char *gpus_first(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;

	return xs_arena_print(&result->arena,
			      "first let the %" PRId64 " GPUs work at one "
			      "time: up to %s of %s; then ",
			      in->gpus_in_turn,
			      of_run(result, in->turns_save_ns),
			      xs_result_run_name(result));
}

/* " The program's own start-up is 28 % of the run."; a longer run has no more
 * of it. Or "". */
static const char *start_last(struct xs_result *result)
{
	const int64_t cuda_ns = result->totals.init_ns;
	const int64_t ns =
	    cuda_ns == XS_UNKNOWN ? 0 : result->verdict.startup_ns - cuda_ns;

	return !result->run.ignored_ns &&
		       ns > xs_result_untraced_wall_ns(result) / START_PART
		   ? xs_arena_print(
			 &result->arena,
			 " The program's own start-up is %s of the run.",
			 of_run(result, ns))
		   : "";
}

/* Whether the plan's question comes before it. */
static bool is_asked_first(struct xs_result *result, const struct act *act)
{
	/* not of a phase of which little is saved */
	return result->question &&
	       xs_result_gain_ns(result->nearest_if) >
		   (act->only_if ? sure_ns(act) : planned_ns(result));
}

/* Whether little of this run is saved, whatever the question's answer. */
static bool is_for_longer_runs(struct xs_result *result, const struct act *act)
{
	return is_little(result, act) &&
	       !(is_asked_first(result, act) &&
		 !xs_worth_is_little(result, (double)xs_result_capped_gain_ns(
						 result, result->nearest_if)));
}

/* "little to gain in this run; for longer ones, " and "first answer: could data
 * stay on the GPU (...)? If not, ", or "" */
static const char *lead(struct xs_result *result, const struct act *act)
{
	const char *first = "";

	if (is_asked_first(result, act))
		first = xs_arena_print(
		    &result->arena, "first answer: %s (about %s)? If not, ",
		    result->asks,
		    xs_units_ns(
			xs_result_capped_gain_ns(result, result->nearest_if))
			.s);
	return xs_arena_print(
	    &result->arena, "%s%s",
	    !is_for_longer_runs(result, act) ? ""
	    : act->once			     ? "little to gain: "
			: "little to gain in this run; for longer ones, ",
	    first);
}

/* "13.8 ms of 296 ms (4.7 % of the run)"; of what is for longer runs "1.23 ms
 * of each round's 1.49 ms (phase 2), here 13.8 ms of 296 ms" */
static const char *amount(struct xs_result *result, const struct act *act)
{
	struct xs_arena *arena = &result->arena;
	const struct xs_result_step *step = act->step;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const char *phase = "";

	if (!step || act->at_most || act->once ||
	    !is_for_longer_runs(result, act))
		return xs_arena_print(
		    arena, "%s of %s (%s of %s)", xs_units_ns(act->saves_ns).s,
		    xs_units_ns(wall_ns).s, of_run(result, act->saves_ns),
		    xs_result_run_name(result));
	if (result->phase_count > 1)
		phase = xs_arena_print(arena, " (phase %" PRId64 ")",
				       step->phase->id);
	return xs_arena_print(
	    arena, "%s of each round's %s%s, here %s of %s",
	    xs_units_ns(step->round_before_ns - step->round_ns).s,
	    xs_units_ns(xs_result_untraced_ns(step->phase) +
			xs_result_used_between_ns(step->phase))
		.s,
	    phase, xs_units_ns(act->saves_ns).s, xs_units_ns(wall_ns).s);
}

/* "pin ...: saves 34 ms of 371 ms (9.2 % of the run), only if ...". The step
 * alone has lead, condition and round, if it does not come first. */
static const char *saving(struct xs_result *result, struct act *act,
			  bool is_first)
{
	const char *only_if = is_first ? act->only_if : NULL;

	if (!is_first)
		act->step = NULL;
	return xs_arena_print(&result->arena, "%s%s: %s %s%s%s",
			      is_first ? lead(result, act) : "", act->what,
			      act->at_most    ? "saves up to"
			      : act->may_lose ? "may save"
					      : "saves",
			      amount(result, act), only_if ? ", only if " : "",
			      only_if ? only_if : "");
}

void xs_plan_opening(struct xs_result *result)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const char *host;
	struct act act;

	result->opening = NULL;
	if (result->verdict.missing || wall_ns == XS_UNKNOWN)
		return;
	act = best_act(result);
	host = result->verdict.gpus_in_turn ? gpus_first(result)
					    : host_first(result);
	result->opening = xs_arena_print(
	    &result->arena, "%s%s.%s", host,
	    result->machine_choice.other_gpu && result->no_step
		? first_clause(result)
	    : !act.what || planned_ns(result) < wall_ns / XS_RESULT_LEAST_PART
		? nothing(result, &act)
		: saving(result, &act, !*host),
	    start_last(result));
}
