/* SPDX-License-Identifier: MIT */
/* Evaluates the equations for one question. */
#pragma once

#include "report/formulas/formulas.h"

/*
 * Evaluates every equation of rounds or, if question->control is set, those of
 * who starts a transfer, which need bytes alone. out must be zeroed; free it
 * with xs_formulas_result_free(), also after an error. Returns 0, or -EINVAL
 * if the workload lacks a number. Returns -EDOM if the kernel time is
 * missing and ATGPU cannot compute it; then *unknown is a static text that
 * names the missing parameter, or NULL if ATGPU's numbers are missing too.
 */
int xs_formulas_evaluate(const struct xs_formulas_input *question,
			 struct xs_formulas_result *out, const char **unknown);

void xs_formulas_result_free(struct xs_formulas_result *result);
