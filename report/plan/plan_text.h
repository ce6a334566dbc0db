/* SPDX-License-Identifier: MIT */
/* The steps of the plan in words. */
#pragma once

#include "report/plan/phase_step.h"

/* Returns what the step of other phases saves that is made with this phase's
 * step, its next one or that for longer runs, at the same lines: "9.2 ms of
 * phase 1 (a round 1.50 ms -> 1.24 ms)", and at lines near to them; NULL:
 * nothing. Sets out->more_phases. */
const char *xs_plan_along(struct xs_result *result,
			  const struct xs_phase_steps *steps,
			  const struct xs_phase_step *step,
			  const struct xs_phase_steps *phases,
			  struct xs_result_step *out);

/* Fills the text and `same` of *out, the last step of the plan: the next one
 * of its phase. along: of xs_plan_along() before that step is done. */
void xs_plan_say(struct xs_result *result, const struct xs_phase_steps *steps,
		 const struct xs_phase_step *step, const char *along,
		 struct xs_result_step *out);
