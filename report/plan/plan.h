/* SPDX-License-Identifier: MIT */
/* The plan: which changes to make, in which order. */
#pragma once

#include "report/result/result.h"

/* Fills result->plan from complete phases and the verdict. */
void xs_plan_build(struct xs_result *result);
