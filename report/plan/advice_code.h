/* SPDX-License-Identifier: MIT */
/* The lines to write of a strategy. */
#ifndef XS_REPORT_PLAN_ADVICE_CODE_H
#define XS_REPORT_PLAN_ADVICE_CODE_H

#include "report/result/result.h"

/* Returns those of a strategy's lines that the copies of the phase need. The
 * arena owns the text; NULL: none, or no memory. */
const char *xs_advice_code(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const char *lines);

#endif
