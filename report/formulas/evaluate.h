/* SPDX-License-Identifier: MIT */
/* Evaluates the equations for one question. */
#ifndef XS_REPORT_FORMULAS_EVALUATE_H
#define XS_REPORT_FORMULAS_EVALUATE_H

#include "report/formulas/formulas.h"

/*
 * Evaluates every equation. out: zeroed before, give it back with
 * xs_formulas_result_free. 0, -ENOMEM, -EINVAL when the workload lacks a
 * number; -EDOM where the kernel's time was not given and ATGPU cannot work it
 * out: then *unknown (static text) is what the machine lacks, or NULL when
 * ATGPU's numbers were not given either.
 */
int xs_formulas_evaluate(const struct xs_formulas_input *question,
			 struct xs_formulas_result *out, const char **unknown);

void xs_formulas_result_free(struct xs_formulas_result *result);

#endif
