/* SPDX-License-Identifier: MIT */
/* What the steps of a phase leave out. */
#pragma once

#include "report/plan/phase_step.h"

/* Returns the row of the phase that saves most, and would be worth a step, if
 * its condition held, which is not to be expected. NULL: there is none. */
const struct xs_result_estimate *
xs_alternative_left_out(const struct xs_result *result,
			const struct xs_result_phase *phase);

/* Returns the row that saves most instead of the steps that it has to do with,
 * *more_ns more than those that pay in this run, and more than it may be off.
 * NULL: there is none. */
const struct xs_result_estimate *
xs_alternative_instead(const struct xs_result *result,
		       const struct xs_phase_steps *steps, double *more_ns);

/* Returns the row without a condition that adds most to the steps, *adds_ns of
 * the run, and takes no more effort than step, which has a condition. Its gain
 * may be uncertain. NULL: there is none. */
const struct xs_result_estimate *
xs_alternative_without(const struct xs_result *result,
		       const struct xs_phase_steps *steps,
		       const struct xs_result_estimate *step, double *adds_ns);
