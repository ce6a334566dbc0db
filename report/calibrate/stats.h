/* SPDX-License-Identifier: MIT */
/*
 * Robust statistics of measurements: a few wild ones must not matter.
 */
#ifndef XS_REPORT_CALIBRATE_STATS_H
#define XS_REPORT_CALIBRATE_STATS_H

#include "model/machine.h"

#include <stddef.h>

#define XS_SAMPLES_MAX 512
#define XS_FIT_MAX     32

/* Measurements of one quantity. Start from {0}. */
struct xs_samples {
	size_t count;
	double values[XS_SAMPLES_MAX];
};

/* Keeps value; drops it where it is not finite or there is no room. */
void xs_samples_add(struct xs_samples *samples, double value);

/* Linear between neighbours; percent from 0 to 100. NAN without samples. */
double xs_samples_percentile(const struct xs_samples *samples, double percent);

static inline double xs_samples_median(const struct xs_samples *samples)
{
	return xs_samples_percentile(samples, 50);
}

/* The median, with the 5th and the 95th percentile as its range. */
struct xs_param xs_samples_param(const struct xs_samples *samples);

/* A line through points. */
struct xs_line {
	double slope, intercept;
};

/*
 * Fits a line after Theil and Sen: the slope is the median of those between
 * all pairs of points, here weighted by the distance of the two in x, so that
 * neighbours, whose slope is mostly noise, count for little; the intercept is
 * the median of y - slope * x. At most XS_FIT_MAX points; both are NAN
 * without two points of different x.
 */
struct xs_line xs_stats_fit(const double *x, const double *y, size_t count);

#endif
