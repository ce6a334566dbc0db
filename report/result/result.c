/* SPDX-License-Identifier: MIT */
#include "report/result/result.h"

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

int64_t xs_result_in_steady(const struct xs_result_phase *phase, int64_t ns)
{
	return ns == XS_UNKNOWN
		   ? ns
		   : xs_number_round((double)ns * (1 - phase->outside));
}

int64_t xs_result_repeated_ns(const struct xs_result_phase *phase)
{
	return phase->warm_up_ns > 0
		   ? xs_number_round(
			 (double)phase->wall_ns *
			 (double)(phase->total_ns - phase->warm_up_ns) /
			 (double)phase->total_ns)
		   : phase->wall_ns;
}

const char *xs_result_steady_name(const struct xs_result *result)
{
	return result->verdict.repeats ? "the steady part"
				       : "the run after CUDA's start";
}

enum xs_language xs_result_language(const struct xs_result_run *run)
{
	return run->python == XS_LANGUAGES ? XS_LANGUAGE_CUDA : run->python;
}
