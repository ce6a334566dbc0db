/* SPDX-License-Identifier: MIT */
/* Why pinned memory is no step of the plan. */
#ifndef XS_REPORT_PLAN_NO_PINNING_H
#define XS_REPORT_PLAN_NO_PINNING_H

#include "report/result/result.h"

/* Returns why the plan does not pin the memory of a phase of the steady part,
 * although that would save time in each round; NULL: it does, or it would save
 * next to nothing. Needs the plan. The arena owns the text. */
const char *xs_plan_no_pinning(struct xs_result *result);

#endif
