/* SPDX-License-Identifier: MIT */
/* Chooses one act of the plan (act_of): the step that surely saves most, with
 * those that are the same change at other lines. */
#include "report/plan/opening.h"

#include "report/plan/advice_text.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_row.h"
#include "report/result/shown_text.h"
#include "report/result/site.h"
#include "report/result/step_text.h"

#include <inttypes.h>
#include <string.h>

/* A text of more places, or of calls without a line, names the step. */
#define LONGEST 80

/* A step that saves over 1 / ALONE_PART more without those before it is told
 * alone. */
#define ALONE_PART 20

/* What the report opens with; its times are ns of the run. */
struct act {
	const char *what;    /* NULL: nothing pays in this run */
	const char *only_if; /* NULL: none */
	int64_t if_not_ns;   /* what it loses without that */
	int64_t saves_ns, low_ns, high_ns;
	const struct xs_result_step *step; /* NULL: not one alone */
	bool alone;    /* without the steps of its phase before it */
	bool doubtful; /* of rounds side by side, or what it asks first */
	bool once;     /* no more in longer runs */
	bool may_lose; /* a question to answer first */
};

/* What it saves at least; a condition halves it, as in the plan's order. */
static int64_t sure_ns(const struct act *act)
{
	return act->low_ns < 0
		   ? 0
		   : act->low_ns / (act->only_if || act->doubtful ? 2 : 1);
}

/* Whether the step can be made without those before it. */
static bool is_alone(const struct xs_result *result,
		     const struct xs_result_step *step)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (xs_result_step_is_of(before, step->phase) &&
		    xs_result_both_save_ns(before->estimate, step->estimate) ==
			XS_UNKNOWN)
			return false;
	return true;
}

static const char *condition_of(const struct xs_result_step *step)
{
	return step->condition ? step->condition : step->estimate->only_if;
}

/* Adds the steps that are the same change at other lines, and need no step that
 * is not: "pin the host buffers of steps 1, 2". */
static void add_same(struct xs_result *result,
		     const struct xs_result_step *step, struct act *act)
{
	struct xs_arena *arena = &result->arena;
	const char *list = xs_print(arena, "steps %" PRId64, step->step);
	const int64_t alone_ns = act->saves_ns;

	XS_EACH(other, result->plan, result->plan_count) {
		if (other->same != step ||
		    !xs_result_same_text(condition_of(step),
					 condition_of(other)) ||
		    other->pays_rounds != XS_UNKNOWN ||
		    other->phase->apart != step->phase->apart ||
		    !is_alone(result, other))
			continue;
		list = xs_print(arena, "%s, %" PRId64, list, other->step);
		xs_number_add_known(&act->if_not_ns, other->if_not_ns);
		act->saves_ns += other->adds_saves_ns;
		act->low_ns += other->saves_low_ns;
		act->high_ns += other->saves_high_ns;
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
	const char *number = xs_print(arena, "step %" PRId64, step->step);
	const char *places =
	    !step->more_count
		? NULL
		: xs_print(arena, "%s and of %zu more phase%s",
			   xs_advice_places(arena, step->phase, step->estimate),
			   step->more_count, step->more_count == 1 ? "" : "s");
	const char *what =
	    xs_advice_first(arena, step->phase, step->estimate, places);
	const struct xs_result_estimate row =
	    xs_result_shown_row(result, step->phase, step->estimate);
	const bool alone = !step->along && step->pays_rounds == XS_UNKNOWN &&
			   row.saves_ns > step->adds_saves_ns +
					      step->adds_saves_ns / ALONE_PART;
	struct act act;

	if (strlen(what) > LONGEST ||
	    (step->site_count && step->sites[0]->line == XS_UNKNOWN))
		what =
		    xs_advice_first(arena, step->phase, step->estimate, number);
	else if (step->step > 1)
		what = xs_print(arena, "%s (%s)", what, number);
	act = (struct act){
	    .what = what,
	    .only_if = condition_of(step),
	    .if_not_ns = step->if_not_ns,
	    .saves_ns = alone ? row.saves_ns : step->adds_saves_ns,
	    .low_ns = alone ? row.saves_low_ns : step->saves_low_ns,
	    .high_ns = alone ? row.saves_high_ns : step->saves_high_ns,
	    .step = step->more_count || alone ? NULL : step,
	    .alone = alone,
	    .doubtful = step->side_by_side > 1,
	    .once = step->phase->apart || !xs_worth_repeats(result),
	    .may_lose = step->is_question,
	};
	add_same(result, step, &act);
	return act;
}

/* Whether a step of the rounds pays in this run: no one-off step leads then. */
static bool has_steady_step(const struct xs_result *result)
{
	for (size_t i = 0; i < result->plan_count; i++)
		if (!result->plan[i].phase->apart &&
		    result->plan[i].pays_rounds == XS_UNKNOWN)
			return true;
	return false;
}

static bool may_lead(const struct xs_result *result,
		     const struct xs_result_step *step)
{
	return step->pays_rounds == XS_UNKNOWN && is_alone(result, step) &&
	       (!step->phase->apart || !has_steady_step(result));
}

/* The first step that may lead. */
static struct act first_step(struct xs_result *result)
{
	const struct xs_result_pinning *pinning = &result->verdict.pinning;

	XS_EACH(link, result->run.links, result->run.link_count) {
		if (link->step == 1)
			return (struct act){
			    .what = "let the GPUs access each other's memory",
			    .saves_ns = link->saves_ns,
			    .low_ns = link->saves_low_ns,
			    .high_ns = link->saves_high_ns,
			};
	}
	if (pinning->step == 1 && !has_steady_step(result))
		return (struct act){
		    .what = xs_print(&result->arena,
				     "if the data is in malloc memory already, "
				     "register it instead of %s",
				     pinning->calls),
		    .doubtful = true,
		    .saves_ns = pinning->saves_ns,
		    .low_ns = pinning->saves_low_ns,
		    .high_ns = pinning->saves_high_ns,
		    .once = true,
		    .may_lose = pinning->is_question,
		};
	for (size_t i = 0; i < result->plan_count; i++)
		if (may_lead(result, &result->plan[i]))
			return act_of(result, &result->plan[i]);
	return (struct act){0};
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

		if (!may_lead(result, step))
			continue;
		one = act_of(result, step);
		if (sure_ns(&one) > sure_ns(&best))
			best = one;
	}
	return is_little(result, &best) && first.saves_ns > best.saves_ns
		   ? first
		   : best;
}

/* "first answer: could data stay on the GPU (about 2 ms here)? If not, " */
static const char *answer(struct xs_result *result, bool is_first,
			  const char *then)
{
	return xs_print(&result->arena, "%sanswer: %s (about %s here)? %s, ",
			is_first ? "first " : "", result->asks,
			xs_units_ns(xs_result_capped_ns(
					result, result->nearest_if->saves_ns))
			    .s,
			then);
}

/* "nothing is worth it in this run ...", behind the host's code "no change of
 * data movement is worth it in this run ...", or, of steps for longer runs
 * only, "nothing pays in this run of 2 s; in longer runs, ...". */
static const char *nothing(struct xs_result *result, bool is_first)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const struct xs_units_text wall = xs_units_ns(wall_ns);
	const char *name =
	    result->run.ignored_ns ? "the traced part" : "this run";
	const char *what = is_first ? "nothing" : "no change of data movement";

	/* "nothing", or "not known", of next to nothing is told with its share
	 */
	if (result->no_step && (strncmp(result->no_step, "not", 3) != 0 ||
				result->verdict.at_most_saves_ns >=
				    wall_ns / XS_RESULT_LEAST_PART))
		return xs_opening_no_step(result);
	if (!result->no_step && result->plan_count)
		return xs_print(
		    &result->arena, "%s%s pays in %s of %s; in longer runs, %s",
		    result->question ? answer(result, is_first, "If not") : "",
		    what, name, wall.s, act_of(result, result->plan).what);
	return xs_print(
	    &result->arena,
	    "%s is worth it in %s of %s%s: %s save at most %s (%s of it)", what,
	    name, wall.s,
	    result->no_step && strncmp(result->no_step, "not", 3) == 0
		? ", whatever a longer one would save"
		: "",
	    is_first ? "changes of data movement" : "all together",
	    xs_units_ns(result->verdict.at_most_saves_ns).s,
	    xs_opening_of_run(result, result->verdict.at_most_saves_ns));
}

/* Whether the plan's question comes before it. */
static bool is_asked_first(struct xs_result *result, const struct act *act)
{
	/* it saves more than the step before which it is asked; both can be
	 * made with what comes once */
	return result->question &&
	       result->nearest_if->saves_ns >
		   (act->once || act->only_if ? act->saves_ns
					      : xs_opening_planned_ns(result));
}

/* Whether little of this run is saved, whatever the question's answer. */
static bool is_for_longer_runs(struct xs_result *result, const struct act *act)
{
	return is_little(result, act) &&
	       !(is_asked_first(result, act) &&
		 !xs_worth_is_little(
		     result, (double)xs_result_capped_ns(
				 result, result->nearest_if->saves_ns)));
}

/* "little to gain in this run; for longer ones, " and "first answer: could data
 * stay on the GPU (...)? If not, ", or "" */
static const char *lead(struct xs_result *result, const struct act *act,
			bool is_first)
{
	const bool longer = is_for_longer_runs(result, act);
	const char *first = "";

	if (is_asked_first(result, act))
		first = answer(result, is_first,
			       act->once ? "Beside that" : "If not");
	return xs_print(
	    &result->arena, "%s%s%s",
	    !longer	? ""
	    : act->once ? "little to gain; "
	    : !is_first ? ""
	    : result->run.ignored_ns
		? "little to gain in the traced part; for longer runs, "
		: "little to gain in this run; for longer ones, ",
	    first, !longer && is_little(result, act) ? "little to gain; " : "");
}

/* " Step 2 may save 1.03 ms of each round's 3.58 ms, and pays from 19 rounds
 * on.", beside what comes once; or "" */
static const char *in_longer(struct xs_result *result, const struct act *act)
{
	for (size_t i = 0; act->once && i < result->plan_count; i++) {
		const struct xs_result_step *step = &result->plan[i];

		if (step->pays_rounds != XS_UNKNOWN)
			return xs_print(
			    &result->arena,
			    " Step %" PRId64 " %s %s, and pays from %" PRId64
			    " rounds on.",
			    step->step,
			    step->is_question ? "may save" : "saves",
			    xs_opening_of_round(result, step),
			    step->pays_rounds);
	}
	return "";
}

/* "13.8 ms of 296 ms (4.7 % of the run)"; of what is for longer runs "1.23 ms
 * of each round's 1.49 ms (phase 2), here 13.8 ms of 296 ms" */
static const char *amount(struct xs_result *result, const struct act *act)
{
	struct xs_arena *arena = &result->arena;
	const struct xs_result_step *step = act->step;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const bool longer = is_for_longer_runs(result, act);
	const char *saves =
	    xs_result_saving(arena, act->saves_ns, act->low_ns, act->high_ns);

	if (longer && step && !act->doubtful && !act->once)
		return xs_print(arena, "%s, here %s of %s%s",
				xs_opening_of_round(result, step), saves,
				xs_units_ns(wall_ns).s,
				result->run.ignored_ns ? " traced" : "");
	if (!longer && is_little(result, act))
		return xs_print(arena, "%s of %s", saves,
				xs_units_ns(wall_ns).s);
	return xs_print(arena, "%s of %s (%s of %s%s)", saves,
			xs_units_ns(wall_ns).s,
			xs_opening_of_run(result, act->saves_ns),
			xs_result_run_name(result),
			step ? xs_opening_other_runs(result, step->phase) : "");
}

/* "pin ...: saves 34 ms (31-36 ms) of 371 ms (9.2 % of the run), only if ..."
 */
static const char *saving(struct xs_result *result, const struct act *act,
			  bool is_first)
{
	struct xs_arena *arena = &result->arena;

	return xs_print(arena, "%s%s: %s%s %s%s%s", lead(result, act, is_first),
			act->what, act->alone ? "alone " : "",
			act->may_lose ? "may save" : "saves",
			amount(result, act), act->only_if ? ", " : "",
			act->only_if ? xs_result_only_if(arena, act->only_if,
							 act->if_not_ns)
				     : "");
}

void xs_plan_opening(struct xs_result *result)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const struct xs_result_pinning *pinning = &result->verdict.pinning;
	const char *before, *registering = "";
	struct act act;

	result->opening = NULL;
	if (result->verdict.missing || wall_ns == XS_UNKNOWN)
		return;
	act = best_act(result);
	before = xs_opening_before(result);
	if (pinning->step && act.what && !act.once &&
	    pinning->saves_ns > act.saves_ns)
		registering = xs_print(
		    &result->arena,
		    " Registering (step %" PRId64 ") may save %s once%s.",
		    pinning->step, xs_units_ns(pinning->saves_ns).s,
		    pinning->touching_ns > pinning->saves_ns ? ", or lose time"
							     : "");
	result->opening =
	    xs_print(&result->arena, "%s%s.%s%s%s", before,
		     result->machine_choice.other_gpu && result->no_step
			 ? xs_opening_no_step(result)
		     : !act.what ? nothing(result, !*before)
				 : saving(result, &act, !*before),
		     registering, in_longer(result, &act),
		     act.what && !is_for_longer_runs(result, &act)
			 ? xs_opening_own_ends(result, act.saves_ns)
			 : "");
}
