/* SPDX-License-Identifier: MIT */
#ifndef XS_REPORT_BUILD_ADVICE_TEXT_H
#define XS_REPORT_BUILD_ADVICE_TEXT_H

#include "report/result/result.h"

/* What the estimate's strategy asks to be done to the phase, in words. Of the
 * arena; NULL without memory. */
const char *xs_advice_text(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate);

#endif
