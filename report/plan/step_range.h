/* SPDX-License-Identifier: MIT */
/* What a step of the plan saves and how long the run is with it, with their
 * intervals. Times are ns. */
#pragma once

#include "report/plan/phase_step.h"

/* What is not of the steady part differs between two runs by so many per cent,
 * as CUDA's start does: docs/models.md, "Intervals". */
#define XS_STEP_OTHER_PERCENT 15

/* Returns the time of the phase's round after so many of its steps. */
int64_t xs_step_round_ns(const struct xs_phase_steps *steps, size_t count);

/* Returns whether the next step of another phase is at lines that this phase's
 * next one changes anyway. */
bool xs_step_is_at_lines(const struct xs_phase_steps *steps,
			 const struct xs_phase_steps *other);

/* Returns whether that step's setup is this one's, too: of buffers at the same
 * lines, but not of a graph, which each phase has of its own. */
bool xs_step_is_set_up_with(const struct xs_phase_steps *steps,
			    const struct xs_phase_steps *other);

/* Returns whether the next step of another phase is the same change as this
 * phase's next one, at lines that this one changes anyway, or near to them. */
bool xs_step_is_made_with(const struct xs_phase_steps *steps,
			  const struct xs_phase_steps *other);

/* Returns whether the other phase's step for longer runs is made with this
 * one's, at lines that this one changes anyway, or near to them. The other
 * comes later, and is not made with one before. */
bool xs_step_is_longer_with(const struct xs_phase_steps *steps,
			    const struct xs_phase_steps *other);

/* Returns the same of one whose saving counts beside this one's: both phases
 * are of the steady part, or neither is. */
bool xs_step_is_made_along(const struct xs_phase_steps *steps,
			   const struct xs_phase_steps *other);

/* Sets the round with the step, and its 90 % range beside rounds as they are in
 * this run. */
void xs_step_set_round(int64_t round_ns, struct xs_result_step *out);

/* Sets what the phase's next step saves, with those of others that are made
 * with it, and the range of this: n (before - with) - setup, with the 90 %
 * range of the round with it and that of the setup by the profile. */
void xs_step_set_saving(const struct xs_phase_steps *steps,
			const struct xs_phase_steps *phases, size_t count,
			double saves_ns, struct xs_result_step *out);

/* Sets the interval of what the row alone saves, as that of a step. */
void xs_step_set_row_saving(const struct xs_result_phase *phase,
			    struct xs_result_estimate *row);

/* Sets the time of the run with the steps so far, its interval, and whether the
 * changed rounds may make it longer than this run, or than another one as it
 * is. */
void xs_step_set_run(const struct xs_result *result,
		     const struct xs_phase_steps *phases, double after_ns,
		     struct xs_result_step *out);

/* Sets the interval of the run as it is, by the phases that have steps and what
 * is outside of the steady part. */
void xs_step_set_run_now(struct xs_result *result,
			 const struct xs_phase_steps *phases);
