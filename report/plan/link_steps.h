/* SPDX-License-Identifier: MIT */
/* Steps of the plan that are of no phase: access to another GPU's memory. */
#ifndef XS_REPORT_PLAN_LINK_STEPS_H
#define XS_REPORT_PLAN_LINK_STEPS_H

#include "report/result/result.h"

/* Gives each pair of GPUs a step after those of the phases whose copies through
 * the host would surely be shorter direct, by as much as a step has to save.
 * Texts that memory does not suffice for are NULL. */
void xs_plan_links(struct xs_result *result);

#endif
