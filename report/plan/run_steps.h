/* SPDX-License-Identifier: MIT */
/* Steps of the plan that are of the run, and of no phase: access to another
 * GPU's memory, and registering memory in place of what pins it outside of the
 * steady part. */
#pragma once

#include "report/result/result.h"

/* Gives those that save least_ns, and have none, the next number and their
 * texts. *run_ns: the run with the steps so far, ns. */
void xs_plan_run_steps(struct xs_result *result, double least_ns,
		       double *run_ns);

/* Returns what access to other GPUs' memory saves of the run, ns: an upper
 * bound, 0 without such a step. */
int64_t xs_plan_links_save_ns(const struct xs_result *result);
