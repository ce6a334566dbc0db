/* SPDX-License-Identifier: MIT */
/* A step of the plan that is of no phase: memory that is pinned outside of the
 * steady part. */
#pragma once

#include "report/result/result.h"

/* Gives verdict.pinning the next step, if it has none, and registering memory
 * that is in use would surely be shorter, by more than 1 % of the run, and,
 * since that is not known to be possible, by twice least_ns. *run_ns: the run
 * with the steps so far, ns. Texts that memory does not suffice for are NULL.
 */
void xs_plan_pinning(struct xs_result *result, double least_ns, double *run_ns);
