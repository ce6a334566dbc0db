/* SPDX-License-Identifier: MIT */
/* The best estimate of a strategy. */
#ifndef XS_REPORT_RESULT_BEST_H
#define XS_REPORT_RESULT_BEST_H

#include "report/result/result.h"

/*
 * The row to take of those of one strategy: of the replay's that apply, the
 * fastest round, or the fewest streams that come within 1 % of it. Of bounds,
 * the one that loses least against the fastest, whether they hold or not. NULL
 * when none applies. sure: only rows that are faster than the phase is now even
 * at the slow end of their interval; or, of a bound, even where it does not
 * hold, if that time is known.
 */
const struct xs_result_estimate *
xs_result_best(const struct xs_result_phase *phase, const char *strategy,
	       bool sure);

#endif
