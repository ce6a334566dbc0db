/* SPDX-License-Identifier: MIT */
/* What a change adds to the steps of its phase so far. */
#pragma once

#include "report/plan/phase_step.h"

/* Returns whether both say in which order copies run: one replaces the other.
 */
bool xs_step_gain_both_order(const struct xs_strategy *a,
			     const struct xs_strategy *b);

/* Returns what the step takes once, ns of the whole run, with the first touch
 * of new memory. */
double xs_step_gain_setup_ns(const struct xs_phase_step *step);

/* Returns from how many rounds on the step pays, if this run has fewer;
 * XS_UNKNOWN: in this run. */
int64_t xs_step_gain_pays_rounds(const struct xs_result_phase *phase,
				 const struct xs_phase_step *step);
/* Returns what the step adds in this run, ns; 0: it pays in longer ones only,
 * and is not made here. */
double xs_step_gain_in_this_run(const struct xs_result_phase *phase,
				const struct xs_phase_step *step);

/* Returns what the phase's steps add up to: only those that the strategy has to
 * do with, or all (NULL). */
struct xs_phase_step xs_step_gain_sum(const struct xs_phase_steps *steps,
				      const struct xs_strategy *strategy);

/* Returns what the row saves beside the steps so far. */
struct xs_phase_step xs_step_gain_of(const struct xs_phase_steps *steps,
				     const struct xs_strategy *strategy,
				     const struct xs_result_estimate *row);

/* Returns what a step is judged by: the first one by what this run saves
 * in memory that was touched before; one that this run may be too short for,
 * and further ones, by what its rounds save. */
double xs_step_gain_judged_ns(const struct xs_phase_steps *steps,
			      const struct xs_phase_step *step);
