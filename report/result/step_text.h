/* SPDX-License-Identifier: MIT */
/* The words of a step of the plan. The result's arena owns them. */
#pragma once

#include "report/result/result.h"

/* Returns "streams n=8". */
const char *xs_result_step_name(struct xs_result *result,
				const struct xs_result_estimate *estimate);

/* Returns "about ", if the round's time with the phase's earlier steps is not
 * known, or "". */
const char *xs_result_step_about(const struct xs_result *result,
				 const struct xs_result_step *step);

/* Returns the round without the step, "a round of phase 1: about 2.3 ms -> ".
 */
const char *xs_result_step_before(struct xs_result *result,
				  const struct xs_result_step *step);

/* Returns the round with the step, "1.15 ms (1.08-1.24 ms)". */
const char *xs_result_step_round(struct xs_result *result,
				 const struct xs_result_step *step);

/* Returns what the step adds to: "step 2", or "as-is". */
const char *xs_result_step_beside(struct xs_result *result,
				  const struct xs_result_step *step);

/* Returns "saves 58.1 ms: 62 % of the steady part, 10.9 % of the run, ..."; of
 * what pays in longer runs only, from when on. */
const char *xs_result_step_saving(struct xs_result *result,
				  const struct xs_result_step *step);

/* Returns "only if ... (9.58 ms slower if not)"; 0: without the latter. */
const char *xs_result_only_if(struct xs_arena *arena, const char *condition,
			      int64_t if_not_ns);

/* Returns what must be true: the condition that the trace does not show, and
 * what the prediction assumes, each once for a phase. NULL: nothing. */
const char *xs_result_step_conditions(struct xs_result *result,
				      const struct xs_result_step *step);
