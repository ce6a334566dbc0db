/* SPDX-License-Identifier: MIT */
/* Evaluates the equations for one question. */
#ifndef XS_REPORT_FORMULAS_EVALUATE_H
#define XS_REPORT_FORMULAS_EVALUATE_H

#include "report/formulas/formulas.h"

/*
 * Evaluates every equation. out: zeroed before, give it back with
 * xs_model_result_free. 0, -ENOMEM, -EINVAL when the workload lacks a number;
 * -EDOM where the kernel's time was not given and ATGPU cannot work it out:
 * then *unknown (static text) is what the machine lacks, or NULL when
 * ATGPU's numbers were not given either.
 */
int xs_model_evaluate(const struct xs_model_question *question,
		      struct xs_model_result *out, const char **unknown);

void xs_model_result_free(struct xs_model_result *result);

#endif
