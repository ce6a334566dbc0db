/* SPDX-License-Identifier: MIT */
#include "report/plan/no_pinning.h"

#include "model/strategies/strategies.h"
#include "report/plan/same_lines.h"
#include "report/plan/worth.h"
#include "report/result/best.h"

#include <inttypes.h>
#include <string.h>

static int64_t setup_ns(const struct xs_result_estimate *row)
{
	return row->setup_ns > 0 ? row->setup_ns : 0;
}

/* What all rounds save without the setup, if it would be worth a step, and no
 * step is of the phase or at its lines; 0. */
static int64_t rounds_save_ns(const struct xs_result *result,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row)
{
	const int64_t ns = row && row->saves_ns != XS_UNKNOWN
			       ? row->saves_ns + setup_ns(row)
			       : 0;

	if (phase->apart || ns <= 0 ||
	    !xs_worth_is_enough(result, phase, (double)ns))
		return 0;
	XS_EACH(step, result->plan, result->plan_count) {
		if (xs_result_step_is_of(step, phase) ||
		    xs_lines_are_within(step->phase, phase, row))
			return 0;
	}
	return ns;
}

/* Whether the saving may be off by more than it is. */
static bool is_uncertain(const struct xs_result *result,
			 const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	const double saves_ns = (double)row->saves_ns;

	return !xs_worth_is_sure(result, phase, row, saves_ns) ||
	       saves_ns + (double)setup_ns(row) <=
		   xs_worth_as_is_known_ns(phase, row);
}

/* " ...": why it is no step. NULL: for another reason. */
static const char *why_not(struct xs_result *result,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *as_is =
	    xs_result_best(phase, xs_strategies[0]->id, false);
	struct xs_arena *arena = &result->arena;
	const char *setup = "";

	if (setup_ns(row))
		setup = xs_print(arena, ", but pinning takes %s once",
				 xs_units_ns(setup_ns(row)).s);
	if (setup_ns(row) &&
	    !xs_worth_is_enough(result, phase, (double)row->saves_ns))
		return row->saves_ns <= 0
			   ? setup
			   : xs_print(arena,
				      "%s, which leaves %s, less than "
				      "1 %% of %s",
				      setup, xs_units_ns(row->saves_ns).s,
				      xs_result_steady_name(result));
	if (!as_is || !is_uncertain(result, phase, row))
		return NULL;
	if (row->only_if)
		return xs_print(arena, "%s%s only if %s", setup,
				*setup ? ", and" : ", but", row->only_if);
	if (setup_ns(row) < row->saves_ns / 10)
		setup = "";
	return xs_print(
	    arena,
	    "%s%s the rounds of another run may differ by more (now %s, with "
	    "it %s)",
	    setup, *setup ? ", and" : ", but",
	    xs_units_range_ns(as_is->low_ns, as_is->high_ns).s,
	    xs_units_range_ns(row->low_ns, row->high_ns).s);
}

/* Returns why the strategy could not be predicted for a phase of the steady
 * part: the profile lacks a value; NULL: it was, or does not apply. */
static const char *why_unmeasured(const struct xs_result *result,
				  const char *strategy)
{
	XS_EACH(phase, result->phases, result->phase_count) {
		for (size_t k = 0; !phase->apart && k < phase->estimate_count;
		     k++) {
			const struct xs_result_estimate *row =
			    &phase->estimates[k];

			if (row->unmeasured && !row->applies &&
			    strcmp(row->strategy, strategy) == 0)
				return row->why;
		}
	}
	return NULL;
}

const char *xs_plan_unmeasured(struct xs_result *result)
{
	static const char *const changes[][2] = {
	    {"pinned", "pinned memory, and overlap with it,"},
	    {"streams", "overlap of copies and kernels"}};
	const char *why;

	for (size_t i = 0; i < 2; i++) {
		why = why_unmeasured(result, changes[i][0]);
		if (why)
			return xs_print(&result->arena,
					"%s could not be predicted: %s",
					changes[i][1], why);
	}
	return NULL;
}

const char *xs_plan_no_pinning(struct xs_result *result)
{
	const struct xs_result_phase *of = NULL;
	const struct xs_result_estimate *most = NULL;
	const char *why;
	int64_t most_ns = 0;

	XS_EACH(phase, result->phases, result->phase_count) {
		const struct xs_result_estimate *row =
		    xs_result_best(phase, "pinned", false);
		const int64_t ns = rounds_save_ns(result, phase, row);

		if (ns <= most_ns)
			continue;
		most_ns = ns;
		most = row;
		of = phase;
	}
	why = most ? why_not(result, of, most) : NULL;
	if (!why)
		return NULL;
	return xs_print(&result->arena,
			"pinned is no step for phase %" PRId64
			": it saves %s in %" PRId64 " round%s%s.",
			of->id, xs_units_ns(most_ns).s, of->rounds,
			of->rounds == 1 ? "" : "s", why);
}
