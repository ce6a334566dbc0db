/* SPDX-License-Identifier: MIT */
#include "report/plan/no_step.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/no_pinning.h"
#include "report/plan/phase_estimate.h"
#include "report/plan/question.h"
#include "report/plan/run_steps.h"
#include "report/plan/worth.h"
#include "report/result/best.h"
#include "report/result/shown_row.h"

#include <inttypes.h>

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

/* Whether any phase copies data, or pages of managed memory move. */
static bool copies(const struct xs_result *result)
{
	const struct xs_result_totals *totals = &result->totals;

	return totals->h2d_bytes || totals->d2h_bytes ||
	       totals->migrated_h2d_bytes;
}

/* Whether the host issues work, or does its own, in half of the steady part. */
static bool is_bound_by_host(const struct xs_result_verdict *verdict)
{
	return xs_result_part_ns(verdict, XS_PART_CALLS) +
		   xs_result_part_ns(verdict, XS_PART_HOST) >=
	       verdict->recorded_ns / 2;
}

/* "; pinned would shorten a round of phase 1 to 34.1 ms, but its setup takes 40
 * ms, more than the phase's rounds save (1 in all)", or "". *of: that row. */
static const char *does_not_pay(struct xs_result *result,
				const struct xs_result_estimate **of)
{
	XS_EACH(phase, result->phases, result->phase_count) {
		const struct xs_result_estimate *row =
		    xs_result_best(phase, "pinned", true);

		if (phase->apart || !row || row->saves_ns > 0 ||
		    row->setup_ns <= 0)
			continue;
		*of = row;
		return xs_print(
		    &result->arena,
		    "; pinned would shorten a round of phase %" PRId64
		    " to %s, but its setup takes %s, more than the phase's "
		    "rounds save (%" PRId64 " in all)",
		    phase->id, xs_units_ns(row->round_ns).s,
		    xs_units_ns(row->setup_ns).s, xs_result_rounds(phase));
	}
	return "";
}

/* The row of the steady part that saves most, of those with a condition or
 * without, up to the limit, and more than least_ns. *of: its phase. NULL: there
 * is none. */
static const struct xs_result_estimate *
nearest_row(const struct xs_result *result, bool condition, int64_t least_ns,
	    const struct xs_result_phase **of)
{
	const struct xs_result_estimate *most = NULL;

	XS_EACH(phase, result->phases, result->phase_count) {
		for (size_t k = 1; !phase->apart && k < xs_strategy_count;
		     k++) {
			const struct xs_result_estimate *row =
			    xs_result_best(phase, xs_strategies[k]->id, false);

			if (!row || (row->only_if != NULL) != condition ||
			    !xs_result_may_hold(row) ||
			    xs_worth_lacks_next(phase, row) ||
			    row->saves_ns == XS_UNKNOWN ||
			    xs_result_capped_ns(result, row->saves_ns) <=
				least_ns)
				continue;
			least_ns = xs_result_capped_ns(result, row->saves_ns);
			most = row;
			*of = phase;
		}
	}
	return most;
}

static struct xs_units_text share_of(const struct xs_result *result,
				     const struct xs_result_phase *phase,
				     const struct xs_result_estimate *row)
{
	return xs_units_percent(
	    xs_result_in_steady(phase,
				xs_result_capped_ns(result, row->saves_ns)),
	    xs_worth_whole_ns(result, phase));
}

/* "; double-buffer would save 5.0 % of it, but only if ...": what saves more on
 * a condition that the trace does not show, if that would be a step; or "".
 * *of_row: that row. */
static const char *on_condition(struct xs_result *result, int64_t least_ns,
				const struct xs_result_estimate **of_row)
{
	const struct xs_result_phase *of = NULL;
	const struct xs_result_estimate *row =
	    nearest_row(result, true, least_ns, &of);
	const char *uncertain = "";
	struct xs_result_estimate shown;

	if (!row || !xs_worth_is_enough(result, of, (double)row->saves_ns))
		return "";
	*of_row = row;
	shown = xs_result_shown_row(result, of, row);
	if (!xs_worth_is_sure(result, of, row, (double)row->saves_ns))
		uncertain =
		    xs_print(&result->arena, " (uncertain: a round %s -> %s)",
			     xs_units_ns(xs_result_untraced_ns(of) +
					 xs_result_used_between_ns(of))
				 .s,
			     xs_units_in_range_ns(shown.round_ns, shown.low_ns,
						  shown.high_ns)
				 .s);
	return xs_print(&result->arena,
			"; %s would save %s of it%s, but only if %s",
			row->strategy, share_of(result, of, row).s, uncertain,
			row->only_if);
}

/* "; the 24.6 ms of the verdict are a limit, and no prediction", if that is a
 * step's worth; or "" */
static const char *about_limit(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;

	return in->at_most_steady_ns >
		       xs_worth_steady_ns(result) / XS_RESULT_LEAST_PART
		   ? xs_print(&result->arena,
			      "; the %s of the verdict are a limit, and no "
			      "prediction",
			      xs_units_ns(in->at_most_saves_ns).s)
		   : "";
}

/* What saves less than 1 / TOLD_PART of the whole is not named. */
#define TOLD_PART 1000

/* "nothing: no change is predicted ...; pinned is the nearest: it saves 0.4 %
 * of the steady part": what would save most, if anything does; "not known: ..."
 * with its round if that is a step's worth. Sets nearest and nearest_if. */
static const char *nearest(struct xs_result *result)
{
	const char *whole = xs_worth_repeats(result)
				? xs_result_steady_name(result)
				: xs_result_run_name(result);
	const struct xs_result_phase *of = NULL;
	const struct xs_result_estimate *most, *as_is;
	const char *more, *text, *saves;
	struct xs_result_estimate shown;

	most = nearest_row(result, false,
			   xs_worth_steady_ns(result) / TOLD_PART, &of);
	more = on_condition(result, most ? most->saves_ns : 0,
			    &result->nearest_if);
	text = xs_print(&result->arena,
			"nothing%s: no change is predicted to save 1 %% "
			"of %s",
			*more ? " without a condition" : "", whole);
	if (!*more)
		more = about_limit(result);
	as_is = most ? xs_result_best(of, xs_strategies[0]->id, false) : NULL;
	if (!as_is)
		return xs_print(&result->arena, "%s%s%s", text,
				does_not_pay(result, &result->nearest), more);
	result->nearest = most;
	saves =
	    xs_print(&result->arena, "%s of %s%s", share_of(result, of, most).s,
		     whole, most->setup_ns > 0 ? " with its setup" : "");
	if (!xs_worth_is_enough(result, of, (double)most->saves_ns))
		return xs_print(&result->arena,
				"%s; %s is the nearest: it saves %s%s", text,
				most->strategy, saves, more);
	shown = xs_result_shown_row(result, of, most);
	return xs_print(
	    &result->arena,
	    "not known: %s would save less than its uncertainty: a round %s -> "
	    "%s, which saves %s%s",
	    most->strategy,
	    xs_units_in_range_ns(as_is->round_ns, as_is->low_ns, as_is->high_ns)
		.s,
	    xs_units_in_range_ns(shown.round_ns, shown.low_ns, shown.high_ns).s,
	    saves, more);
}

/* What to do about kernels, if they are the limit of a steady part that is not
 * next to nothing of the run. */
static const char *about_kernels(struct xs_result *result)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const struct xs_result_verdict *verdict = &result->verdict;

	if (!verdict->part_count || verdict->parts[0].part != XS_PART_KERNELS ||
	    is_bound_by_host(verdict))
		return "";
	if (verdict->steady_ns < wall_ns / XS_RESULT_LEAST_PART)
		return xs_print(
		    &result->arena,
		    ". Trace a longer run: the steady part is %s of this one",
		    xs_units_percent(verdict->steady_ns, wall_ns).s);
	return ". Kernels are the limit: profile them with Nsight Compute";
}

/* What to do about pages of managed memory that kernels wait for. NULL:
 * nothing. */
static const char *about_migrations(struct xs_result *result)
{
	const struct xs_result_totals *totals = xs_result_steady_totals(result);
	const int64_t saves_ns = result->verdict.prefetch_saves_ns;

	if (!saves_ns)
		return NULL;
	return xs_print(
	    &result->arena,
	    "prefetch managed memory: %s migrated in while kernels waited for "
	    "their pages, for %s; cudaMemPrefetchAsync() to the device, before "
	    "the kernels that use it, copies as much in about %s",
	    xs_units_bytes(totals->migrated_h2d_bytes).s,
	    xs_units_ns(totals->migrated_h2d_ns).s,
	    xs_units_ns(totals->migrated_h2d_ns - saves_ns).s);
}

const char *xs_plan_no_step(struct xs_result *result)
{
	const char *uncertain, *unmeasured, *managed, *kernels;

	if (result->verdict.missing)
		return "not known: the verdict says what is missing";
	if (result->machine_choice.other_gpu)
		return "not known: the predictions are for another GPU, and "
		       "not compared with this run";
	managed = about_migrations(result);
	if (managed)
		return managed;
	unmeasured = xs_plan_unmeasured(result);
	kernels = about_kernels(result);
	if (!is_predicted(result) && !unmeasured && !copies(result))
		return xs_print(&result->arena, "nothing: no data is copied%s",
				kernels);
	if (!is_predicted(result))
		return unmeasured
			   ? xs_print(&result->arena, "not known: %s",
				      unmeasured)
			   : "not known: no strategy could be predicted; the "
			     "reasons are at the end (--all)";
	uncertain = xs_plan_question(
	    result,
	    unmeasured ? xs_print(&result->arena, "not known: %s;", unmeasured)
	    : result->step_count ? "nothing for certain in the rounds, but"
				 : "nothing for certain, but");
	if (uncertain)
		return xs_print(&result->arena, "%s%s", uncertain,
				*kernels ? kernels + 1 : "");
	if (unmeasured)
		return xs_print(&result->arena, "not known: %s", unmeasured);
	return xs_print(&result->arena, "%s%s", nearest(result), kernels);
}
