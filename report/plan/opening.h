/* SPDX-License-Identifier: MIT */
/* The plan in one sentence, which the report opens with. */
#pragma once

#include "report/result/result.h"

/* Sets result->opening from the complete plan and verdict: the step that saves
 * most at least of those that need no other, and what it saves, that nothing is
 * worth it in this run, or that the host's own code comes first; NULL if the
 * verdict is not known. */
void xs_plan_opening(struct xs_result *result);

/* Returns what all steps save of this run, ns. */
int64_t xs_opening_planned_ns(const struct xs_result *result);

/* Returns the time as a share of the run: "4.7 %". Of the result's arena, as
 * the texts below. */
const char *xs_opening_of_run(struct xs_result *result, int64_t ns);

/* Returns "1.23 ms of each round's 1.49 ms (phase 2)", what the step saves. */
const char *xs_opening_of_round(struct xs_result *result,
				const struct xs_result_step *step);

/* Returns "; in others a round may take 2.3-11.1 ms as it is", of a phase whose
 * rounds differ so much between runs; or "". */
const char *xs_opening_other_runs(struct xs_result *result,
				  const struct xs_result_phase *phase);

/* Returns what comes before the plan: "first profile the host's code: 30 % of
 * the run, the most before ...; then ", if that is the limit, or that GPUs are
 * to work at one time; or "". */
const char *xs_opening_before(struct xs_result *result);

/* Returns " The program's own start-up and end take 87 % of the run.", if that
 * is over half, and far more than what is saved, ns; or "". */
const char *xs_opening_own_ends(struct xs_result *result, int64_t saves_ns);

/* Returns the first clause of why there is no step: result->no_step, which must
 * not be NULL. Owned by the result. */
const char *xs_opening_no_step(struct xs_result *result);
