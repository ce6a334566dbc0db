/* SPDX-License-Identifier: MIT */
/* Answers in words. */
#ifndef XS_REPORT_FORMULAS_ANSWERS_H
#define XS_REPORT_FORMULAS_ANSWERS_H

#include "report/formulas/formulas.h"

/* Fills result->answers from the rest. The arena remembers failed allocations.
 */
void xs_formulas_answer(struct xs_formulas_result *result);

/* Adds those of --control: none without its rows, 5 at most. */
void xs_formulas_answer_control(struct xs_formulas_result *result);

#endif
