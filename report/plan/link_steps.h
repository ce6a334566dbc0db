/* SPDX-License-Identifier: MIT */
/* Steps of the plan that are of no phase: access to another GPU's memory. */
#ifndef XS_REPORT_PLAN_LINK_STEPS_H
#define XS_REPORT_PLAN_LINK_STEPS_H

#include "report/result/result.h"

/* Gives each pair of GPUs a step after those of the phases whose copies through
 * the host would surely be shorter direct, by more than 1 % of the steady
 * part or of the run. Texts that memory does not suffice for are NULL. */
void xs_plan_links(struct xs_result *result);

/* Returns what these steps save of the run, ns: an upper bound, 0 without one.
 */
int64_t xs_plan_links_save_ns(const struct xs_result *result);

#endif
