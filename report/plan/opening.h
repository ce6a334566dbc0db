/* SPDX-License-Identifier: MIT */
/* The plan in one sentence, which the report opens with. */
#pragma once

#include "report/result/result.h"

/* Sets result->opening from the complete plan and verdict: the step that saves
 * most at least of those that need no other, and what it saves, that nothing is
 * worth it in this run, or that the host's own code comes first; NULL if the
 * verdict is not known, or without memory. */
void xs_plan_opening(struct xs_result *result);
