/* SPDX-License-Identifier: MIT */
/* What the plan leaves open. */
#pragma once

#include "report/result/result.h"

/* Returns why there is no step for the steady part, and may set question_code.
 * The rows that it names are nearest and nearest_if. The arena owns the text.
 */
const char *xs_plan_no_step(struct xs_result *result);
