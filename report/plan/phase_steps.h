/* SPDX-License-Identifier: MIT */
/* Finds the changes of a phase that are worth it. */
#ifndef XS_REPORT_PLAN_PHASE_STEPS_H
#define XS_REPORT_PLAN_PHASE_STEPS_H

#include "report/plan/phase_step.h"

/* Fills the steps of the phase; `done` becomes 0. */
void xs_phase_steps_build(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  struct xs_phase_steps *steps);

#endif
