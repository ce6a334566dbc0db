/* SPDX-License-Identifier: MIT */
/* What saves more, on a condition that is not to be expected to hold. */
#ifndef XS_REPORT_PLAN_QUESTION_H
#define XS_REPORT_PLAN_QUESTION_H

#include "report/result/result.h"

/*
 * Returns what would save most of the steady part on such a condition: by a
 * step's worth more than the phase's steps of no more effort. lead: the text
 * before it; NULL: it is the question before which steps it is to be asked, and
 * is not how often bytes cross the bus. Sets nearest_if and question_code.
 * NULL: there is nothing. The arena owns the text.
 */
const char *xs_plan_question(struct xs_result *result, const char *lead);

#endif
