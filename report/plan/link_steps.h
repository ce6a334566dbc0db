/* SPDX-License-Identifier: MIT */
/* Steps of the plan that are of no phase: access to another GPU's memory. */
#pragma once

#include "report/result/result.h"

/* Gives each pair of GPUs without one the next step if its copies through the
 * host would surely be shorter direct, by more than 1 % of the steady part or
 * of the run, and by least_ns. *run_ns: the run with the steps so far, ns.
 * Texts that memory does not suffice for are NULL. */
void xs_plan_links(struct xs_result *result, double least_ns, double *run_ns);

/* Returns what these steps save of the run, ns: an upper bound, 0 without one.
 */
int64_t xs_plan_links_save_ns(const struct xs_result *result);
