/* SPDX-License-Identifier: MIT */
/* A step of the plan that is of no phase: memory that is pinned outside of the
 * steady part. */
#ifndef XS_REPORT_PLAN_PINNING_STEP_H
#define XS_REPORT_PLAN_PINNING_STEP_H

#include "report/result/result.h"

/* Gives verdict.pinning a step after all others, if registering memory that is
 * in use would surely be shorter, by more than 1 % of the run. Call after
 * xs_plan_links(). Texts that memory does not suffice for are NULL. */
void xs_plan_pinning(struct xs_result *result);

#endif
