/* SPDX-License-Identifier: MIT */
/* Medians of several runs, and how far they can be trusted. */
#ifndef XS_REPORT_DIFF_SPREAD_H
#define XS_REPORT_DIFF_SPREAD_H

#include "report/result/runs.h"

#include <stdbool.h>

/*
 * Returns the spread of `count` values, of any unit; sorts them. The interval
 * of the median is that between two order statistics, without an assumption on
 * how the values are distributed: the k-th from below and from above, with the
 * largest k for which at least 90 % of the intervals hold the true median.
 */
struct xs_run_spread xs_spread_of(int64_t *values, size_t count);

/* Whether the two medians differ by more than their intervals: of three runs
 * each, all of one side are then above all of the other, as one in 20 pairs of
 * equal programs is. Of one run each, whether they differ. */
bool xs_spread_apart(const struct xs_run_spread *before,
		     const struct xs_run_spread *after);

#endif
