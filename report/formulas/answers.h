/* SPDX-License-Identifier: MIT */
/* Answers in words. */
#pragma once

#include "report/formulas/formulas.h"

/* Fills result->answers from the rest. */
void xs_formulas_answer(struct xs_formulas_result *result);

static inline void say(struct xs_formulas_result *result, const char *sentence)
{
	result->answers[result->answer_count++] = sentence;
}

/* Adds those of --control: none without its rows, 6 at most. */
void xs_formulas_answer_control(struct xs_formulas_result *result);
