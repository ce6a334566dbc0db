/* SPDX-License-Identifier: MIT */
#include "report/plan/question.h"

#include "model/strategies/strategies.h"
#include "report/plan/advice_text.h"
#include "report/plan/alternatives.h"
#include "report/plan/code.h"
#include "report/plan/limit.h"
#include "report/plan/opening.h"
#include "report/plan/same_lines.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_row.h"
#include "report/result/shown_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* A row, and its phase. */
struct choice {
	const struct xs_result_phase *phase;
	const struct xs_result_estimate *row;
};

/* The question whether the row's condition holds. */
static const char *question_of(const struct xs_result_estimate *row)
{
	const bool all = strcmp(row->strategy, "resident-throughout") == 0;

	return row->doubtful ? "are the rounds independent"
	       : all	     ? "could all data stay on the GPU"
			     : "could data stay on the GPU";
}

/* Whether the row, as a step, would make the other one needless. */
static bool replaces(const struct choice *choice,
		     const struct xs_result_step *step)
{
	const struct xs_strategy *strategy =
	    xs_strategy_find(choice->row->strategy);
	const struct xs_strategy *other =
	    xs_strategy_find(step->estimate->strategy);

	return (xs_result_step_is_of(step, choice->phase) ||
		xs_lines_are_within(step->phase, choice->phase,
				    step->estimate)) &&
	       strategy && other && step->pays_rounds == XS_UNKNOWN &&
	       other->changes & (strategy->changes | strategy->spares);
}

/* What the steps save that the row would make needless. */
static int64_t replaced_ns(const struct xs_result *result,
			   const struct choice *choice)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->plan_count; i++)
		if (replaces(choice, &result->plan[i]))
			xs_number_add(&saves_ns,
				      xs_result_step_saves_ns(&result->plan[i],
							      choice->phase));
	return saves_ns;
}

/* ", in place of steps 1, 2 (143 ms)", or "" */
static const char *in_place_of(struct xs_result *result,
			       const struct choice *choice)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;
	size_t count = 0;

	XS_EACH(step, result->plan, result->plan_count) {
		if (!replaces(choice, step))
			continue;
		list = xs_arena_join(arena, list,
				     xs_print(arena, "%" PRId64, step->step));
		count++;
	}
	return list ? xs_print(arena, ", in place of step%s %s%s (%s)",
			       count == 1 ? "" : "s", list,
			       result->phase_count > 1 ? " there" : "",
			       xs_units_ns(replaced_ns(result, choice)).s)
		    : "";
}

/* A change at one place that saves more than a step by over 1 / MORE_PART is
 * asked for, even if the step's range reaches that far. */
#define MORE_PART 10

/* What the row has to save beside the step that it would make needless. */
static int64_t beyond_ns(const struct xs_result_step *step,
			 const struct choice *choice)
{
	const int64_t ns = xs_result_step_saves_ns(step, choice->phase);
	const int64_t more_ns = ns + ns / MORE_PART;

	if (step->more_count)
		return ns;
	return choice->row->effort_level <= XS_EFFORT_PLACE &&
		       more_ns < step->saves_high_ns
		   ? more_ns
		   : step->saves_high_ns;
}

/* Whether the row saves little beside the steps, or beside one of them. */
static bool is_little(const struct xs_result *result,
		      const struct choice *choice)
{
	const int64_t ns = xs_result_capped_ns(result, choice->row->saves_ns);

	for (size_t i = 0; i < result->plan_count; i++)
		if (replaces(choice, &result->plan[i]) &&
		    beyond_ns(&result->plan[i], choice) >= ns)
			return true;
	return !xs_worth_is_enough(result, choice->phase,
				   (double)(ns - replaced_ns(result, choice)));
}

/* The row as the table has it; its range reaches to what it saves of the mean
 * round, as that of a step. */
static struct xs_result_estimate shown_row(const struct xs_result *result,
					   const struct choice *choice)
{
	struct xs_result_estimate out =
	    xs_result_shown_row(result, choice->phase, choice->row);
	const int64_t mean_ns =
	    out.saves_ns + xs_limit_beyond_usual_ns(choice->phase);
	const int64_t most_ns = result->verdict.at_most_saves_ns;

	if (xs_result_share(choice->phase) == 1 && mean_ns > out.saves_high_ns)
		out.saves_high_ns = mean_ns < most_ns ? mean_ns : most_ns;
	return out;
}

/* Whether another row of the phase saves as much for no more effort, on a
 * condition on the program that the plan names. */
static bool is_outdone(const struct choice *choice)
{
	for (size_t i = 0; i < xs_strategy_count; i++) {
		const struct xs_result_estimate *other =
		    xs_result_best(choice->phase, xs_strategies[i]->id, false);

		if (other && other->only_if && xs_result_may_hold(other) &&
		    other->effort_level < choice->row->effort_level &&
		    other->saves_ns >= choice->row->saves_ns)
			return true;
	}
	return false;
}

/* Whether the host's own code takes half of the rounds: a sign that it needs
 * what they copy out. */
static bool is_needed(const struct xs_result_phase *phase)
{
	return phase->d2h_bytes > 0 &&
	       phase->host_ns > xs_result_untraced_ns(phase) / 2;
}

/* What saves most on a condition, and more than the steps that it replaces. */
static struct choice choose(const struct xs_result *result, bool may_cross)
{
	struct choice most = {NULL, NULL};
	int64_t least_ns = 0;

	XS_EACH(phase, result->phases, result->phase_count) {
		const struct choice one = {
		    phase, phase->apart
			       ? NULL
			       : xs_alternative_left_out(result, phase)};

		if (!one.row || is_needed(phase) ||
		    xs_result_capped_ns(result, one.row->saves_ns) <=
			least_ns ||
		    is_little(result, &one) || is_outdone(&one) ||
		    (one.row->assumes_once && !may_cross))
			continue;
		most = one;
		least_ns = xs_result_capped_ns(result, one.row->saves_ns);
	}
	return most;
}

const char *xs_plan_question(struct xs_result *result, const char *lead)
{
	const struct choice most = choose(result, lead != NULL);
	struct xs_result_estimate shown;
	const char *how = "";

	if (!most.row)
		return NULL;
	result->nearest_if = most.row;
	result->asks = question_of(most.row);
	if (!lead)
		lead = xs_print(&result->arena, "%c%s?",
				toupper((unsigned char)*result->asks),
				result->asks + 1);
	result->question_code = xs_code_of(result, most.phase, most.row);
	how = xs_print(&result->arena, " %s",
		       xs_code_in_api(&result->arena, most.phase, most.row,
				      xs_advice_text(&result->arena, most.phase,
						     most.row)));
	shown = shown_row(result, &most);
	return xs_print(
	    &result->arena,
	    "%s %s%s may save %s of %s (%s of %s)%s, effort: %s, only if "
	    "%s.%s",
	    lead, shown.strategy,
	    result->phase_count > 1
		? xs_print(&result->arena, " of phase %" PRId64, most.phase->id)
		: "",
	    xs_result_saving(&result->arena, shown.saves_ns, shown.saves_low_ns,
			     shown.saves_high_ns),
	    xs_units_ns(xs_result_untraced_wall_ns(result)).s,
	    xs_opening_of_run(result, shown.saves_ns),
	    xs_result_run_name(result), in_place_of(result, &most),
	    shown.effort, shown.bound, how);
}
