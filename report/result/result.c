/* SPDX-License-Identifier: MIT */
#include "report/result/result.h"

#include "model/formulas/estimates.h"
#include "report/result/number.h"

#include <stdlib.h>

const char *xs_result_flow_kind(int kind)
{
	static const char *const names[XS_RESULT_FLOW_KINDS] = {
	    "true", "reuse", "unknown", "stream", "host"};

	return names[kind];
}

void xs_result_free(struct xs_result *result)
{
	if (!result)
		return;
	xs_arena_free(&result->arena);
	free(result);
}

int64_t xs_result_part_ns(const struct xs_result_verdict *verdict, int part)
{
	for (size_t i = 0; i < verdict->part_count; i++)
		if (verdict->parts[i].part == part)
			return verdict->parts[i].ns;
	return 0;
}

int64_t xs_result_in_steady(const struct xs_result_phase *phase, int64_t ns)
{
	return ns == XS_UNKNOWN
		   ? ns
		   : xs_number_round((double)ns * (1 - phase->outside));
}

int64_t xs_result_untraced_ns(const struct xs_result_phase *phase)
{
	return phase->round_ns - phase->tracer_ns;
}

bool xs_result_is_mean(const struct xs_result_phase *phase)
{
	return phase->median_ns - phase->round_ns >
	       phase->round_ns / XS_RESULT_MEAN_PART;
}

int64_t xs_result_untraced_wall_ns(const struct xs_result *result)
{
	return result->run.wall_ns == XS_UNKNOWN
		   ? XS_UNKNOWN
		   : result->run.wall_ns - result->run.tracer_ns;
}

int64_t xs_result_rounds(const struct xs_result_phase *phase)
{
	return phase->rounds - (phase->warm_up_ns > 0);
}

double xs_result_share(const struct xs_result_phase *phase)
{
	return xs_rounds_share((double)phase->concurrent_ns,
			       (double)phase->wall_ns, (double)phase->total_ns);
}

/* The part of the run in which the phase's rounds ran, without its warm-up. */
static double repeated_wall_ns(const struct xs_result_phase *phase)
{
	return phase->warm_up_ns > 0
		   ? (double)phase->wall_ns * (1 - (double)phase->warm_up_ns /
						       (double)phase->total_ns)
		   : (double)phase->wall_ns;
}

double xs_result_of_run(const struct xs_result_phase *phase, double round_ns)
{
	return round_ns * (double)xs_result_rounds(phase) *
	       xs_result_share(phase);
}

int64_t xs_result_repeated_ns(const struct xs_result_phase *phase)
{
	return xs_number_round(
	    repeated_wall_ns(phase) -
	    xs_result_of_run(phase, (double)phase->tracer_ns));
}

const char *xs_result_run_name(const struct xs_result *result)
{
	return result->run.ignored_ns ? "the traced part" : "the run";
}

const char *xs_result_run_heading(const struct xs_result *result)
{
	return result->run.ignored_ns ? "of traced" : "of run";
}

const char *xs_result_steady_name(const struct xs_result *result)
{
	return result->verdict.repeats ? "the steady part"
				       : "the run after CUDA's start";
}

const struct xs_result_totals *
xs_result_steady_totals(const struct xs_result *result)
{
	return result->verdict.repeats ? &result->steady.totals
				       : &result->totals;
}

enum xs_language xs_result_language(const struct xs_result_run *run)
{
	return run->python == XS_LANGUAGES ? XS_LANGUAGE_CUDA : run->python;
}
