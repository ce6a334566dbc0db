/* SPDX-License-Identifier: MIT */
/* The steps of the plan in words. */
#ifndef XS_REPORT_PLAN_PLAN_TEXT_H
#define XS_REPORT_PLAN_PLAN_TEXT_H

#include "report/plan/phase_step.h"

/* Fills the text and `same` of *out, the last step of the plan: the next one
 * of its phase, which is made with those of `reached` other ones. */
void xs_plan_say(struct xs_result *result, const struct xs_phase_steps *steps,
		 const struct xs_phase_step *step, int64_t reached,
		 struct xs_result_step *out);

#endif
