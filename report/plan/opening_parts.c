/* SPDX-License-Identifier: MIT */
/* What stands in the opening before and behind the plan's step. */
#include "report/plan/opening.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/run_steps.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_text.h"

#include <inttypes.h>
#include <string.h>

/* Below 1 / HOST_PART of the run, the host's code does not come first. */
#define HOST_PART 10

int64_t xs_opening_planned_ns(const struct xs_result *result)
{
	int64_t saves_ns = xs_plan_links_save_ns(result);

	if (result->verdict.pinning.step)
		xs_number_add(&saves_ns, result->verdict.pinning.saves_ns);
	for (size_t i = 0; i < result->plan_count; i++)
		if (result->plan[i].pays_rounds == XS_UNKNOWN)
			xs_number_add(&saves_ns, result->plan[i].adds_saves_ns);
	return saves_ns;
}

const char *xs_opening_of_run(struct xs_result *result, int64_t ns)
{
	return xs_arena_copy(
	    &result->arena,
	    xs_units_percent(ns, xs_result_untraced_wall_ns(result)).s);
}

const char *xs_opening_of_round(struct xs_result *result,
				const struct xs_result_step *step)
{
	struct xs_arena *arena = &result->arena;

	return xs_print(
	    arena, "%s of each round's %s%s",
	    xs_units_ns(step->round_before_ns - step->round_ns).s,
	    xs_units_ns(xs_result_untraced_ns(step->phase) +
			xs_result_used_between_ns(step->phase))
		.s,
	    result->phase_count > 1
		? xs_print(arena, " (phase %" PRId64 ")", step->phase->id)
		: "");
}

/* Rounds of other runs that differ by as many times are told, and what takes as
 * many times what is saved. */
#define TIMES_APART 3

const char *xs_opening_other_runs(struct xs_result *result,
				  const struct xs_result_phase *phase)
{
	const struct xs_result_estimate *row =
	    xs_result_best(phase, xs_strategies[0]->id, false);

	return row && row->low_ns > 0 &&
		       row->high_ns / row->low_ns >= TIMES_APART
		   ? xs_print(&result->arena,
			      "; in others a round may take %s as it is",
			      xs_units_range_ns(row->low_ns, row->high_ns).s)
		   : "";
}

/* The program's own part of what precedes the steady part; 0: not known. */
static int64_t own_start_ns(const struct xs_result *result)
{
	return result->totals.init_ns == XS_UNKNOWN
		   ? 0
		   : result->verdict.startup_ns - result->totals.init_ns;
}

const char *xs_opening_own_ends(struct xs_result *result, int64_t saves_ns)
{
	const int64_t ns = own_start_ns(result) + result->verdict.after_ns;

	return result->run.ignored_ns || ns / TIMES_APART <= saves_ns ||
		       ns <= xs_result_untraced_wall_ns(result) / 2
		   ? ""
		   : xs_print(&result->arena,
			      " The program's own start-up and end take %s of "
			      "the run.",
			      xs_opening_of_run(result, ns));
}

/* The host's own code, less what steps save of its copies to pinned memory. */
static int64_t host_left_ns(const struct xs_result *result)
{
	int64_t ns = xs_result_part_ns(&result->verdict, XS_PART_HOST);

	XS_EACH(step, result->plan, result->plan_count) {
		if (step->phase->staged &&
		    strcmp(step->estimate->strategy, "pinned") == 0)
			ns -= step->adds_saves_ns;
	}
	return ns;
}

/* "first profile the host's code: 30 % of the run, the most before ...; then
 * " if that is the limit, and more than the steps save and than 1 / HOST_PART
 * of the run; "in longer runs, first ...: 98 % of the steady part" if the
 * start-up is more; else "". */
static const char *host_first(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t host_ns = host_left_ns(result);
	const bool is_longer =
	    own_start_ns(result) > host_ns && !result->run.ignored_ns;
	/* what runs beside the GPU's work is not waited for */
	const int64_t idle_ns = in->recorded_ns - in->gpu_ns;
	const int64_t told_ns = host_ns < idle_ns ? host_ns : idle_ns;

	if (!in->host_is_limit || host_ns <= xs_opening_planned_ns(result) ||
	    host_ns < xs_result_untraced_wall_ns(result) / HOST_PART)
		return "";
	return xs_print(
	    &result->arena,
	    "%sfirst profile the host's code: %s of %s%s%s; then ",
	    is_longer ? "in longer runs, " : "",
	    is_longer ? xs_units_percent(told_ns, in->recorded_ns).s
		      : xs_opening_of_run(result, told_ns),
	    is_longer ? "the steady part" : xs_result_run_name(result),
	    in->host_place ? ", the most " : "", xs_result_host_place(result));
}

/* "first let the 2 GPUs work at one time, if none needs what another one
 * computes: up to 11 % of the run; then " */
static const char *gpus_first(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;

	return xs_print(&result->arena,
			"first let the %" PRId64 " GPUs work at one "
			"time, if none needs what another one computes: "
			"up to %s of %s; then ",
			in->gpus_in_turn,
			xs_opening_of_run(result, in->turns_save_ns),
			xs_result_run_name(result));
}

const char *xs_opening_before(struct xs_result *result)
{
	return result->verdict.gpus_in_turn ? gpus_first(result)
					    : host_first(result);
}

const char *xs_opening_no_step(struct xs_result *result)
{
	const char *why = result->no_step, *end = strstr(why, ". ");
	size_t length = strcspn(why, ";");

	if (end && (size_t)(end - why) < length)
		length = (size_t)(end - why);
	if (!why[length] && length && why[length - 1] == '.')
		length--;
	return xs_print(
	    &result->arena, "%.*s%s", (int)length, why,
	    !result->nearest_if || strncmp(why, "nothing without", 15) != 0 ||
		    strstr(why, " (uncertain: ")
		? ""
		: xs_print(
		      &result->arena, "; %s may save %s, only if %s",
		      result->nearest_if->strategy,
		      xs_units_ns(xs_result_capped_ns(
				      result, result->nearest_if->saves_ns))
			  .s,
		      result->nearest_if->only_if));
}
