/* SPDX-License-Identifier: MIT */
/* Ranked advice from the estimates of all phases. */
#ifndef XS_REPORT_BUILD_ADVICE_H
#define XS_REPORT_BUILD_ADVICE_H

#include "report/result/result.h"

/* Fills result->advice from complete phases, ranked. Returns 0 or -ENOMEM. */
int xs_advice_build(struct xs_result *result);

#endif
