/* SPDX-License-Identifier: MIT */
/* Finds the changes of a phase that are worth it. */
#pragma once

#include "report/plan/phase_step.h"

/* Fills the steps of all phases of the result, in their order; `done` becomes
 * 0. What a change is worth, and by how much it may be off, is held against all
 * phases that the same change of the same lines reaches. */
void xs_phase_steps_build(const struct xs_result *result,
			  struct xs_phase_steps *all);
