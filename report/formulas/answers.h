/* SPDX-License-Identifier: MIT */
/* Answers in words from evaluated equations. */
#ifndef XS_REPORT_FORMULAS_ANSWERS_H
#define XS_REPORT_FORMULAS_ANSWERS_H

#include "report/formulas/formulas.h"

/* The answers to the questions of van Werkhoven 2014's introduction, from all
 * the rest. A failed allocation is remembered by the arena. */
void xs_formulas_answer(struct xs_formulas_result *result);

#endif
