/* SPDX-License-Identifier: MIT */
/* Why pinned memory is no step of the plan. */
#pragma once

#include "report/result/result.h"

/* Returns why the plan has no step for a phase of the steady part whose rounds
 * pinned memory would shorten; NULL: there is no such phase. Needs the plan.
 * The arena owns the text. */
const char *xs_plan_no_pinning(struct xs_result *result);

/* Returns why it is not known what pinned memory saves of the steady part: the
 * profile lacks a value; NULL: it is known, or no memory is pageable. The arena
 * owns the text. */
const char *xs_plan_unmeasured(struct xs_result *result);
