/* SPDX-License-Identifier: MIT */
/* What saves more, on a condition that is not to be expected to hold. */
#pragma once

#include "report/result/result.h"

/*
 * Returns what would save most of the steady part on such a condition: by a
 * step's worth more than the steps that it replaces. lead: the text before it;
 * NULL: it is a question beside steps, and not how often bytes cross the bus.
 * Needs the most that the verdict says. Sets nearest_if, asks and
 * question_code. NULL: there is nothing. The arena owns the text.
 */
const char *xs_plan_question(struct xs_result *result, const char *lead);
