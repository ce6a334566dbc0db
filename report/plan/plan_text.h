/* SPDX-License-Identifier: MIT */
/* The steps of the plan in words. */
#pragma once

#include "report/plan/phase_step.h"

/* Returns for which other phases this phase's step is made, its next one or
 * that for longer runs, and what it saves of them: " The same for phase 2,
 * a.cu:7 and for 3 more phases: 9.2 ms of the saving."; NULL: none. Sets
 * out->more_phases: those with lines of their own. */
const char *xs_plan_along(struct xs_result *result,
			  const struct xs_phase_steps *steps,
			  const struct xs_phase_step *step,
			  const struct xs_phase_steps *phases,
			  struct xs_result_step *out);

/* Fills the text and `same` of *out, the last step of the plan: the next one
 * of its phase. out->along: of xs_plan_along() before that step is done. */
void xs_plan_say(struct xs_result *result, const struct xs_phase_steps *steps,
		 const struct xs_phase_step *step, struct xs_result_step *out);
