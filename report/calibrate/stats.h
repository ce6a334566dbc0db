/* SPDX-License-Identifier: MIT */
/*
 * Robust statistics: outliers have little effect.
 */
#pragma once

#include "model/machine/machine.h"

#include <stddef.h>

#define XS_SAMPLES_MAX 512
#define XS_FIT_MAX     32

/* Samples of one quantity. Start from {0}. */
struct xs_samples {
	size_t count;
	double values[XS_SAMPLES_MAX];
};

/* Adds value, unless it is not finite or there is no room. */
void xs_samples_add(struct xs_samples *samples, double value);

/* Interpolates linearly; percent is 0 to 100. NAN without samples. */
double xs_samples_percentile(const struct xs_samples *samples, double percent);

static inline double xs_samples_median(const struct xs_samples *samples)
{
	return xs_samples_percentile(samples, 50);
}

/* Returns the median with the 5th and 95th percentiles as its range. */
struct xs_param xs_samples_param(const struct xs_samples *samples);

/* A line through points. */
struct xs_line {
	double slope, intercept;
};

/*
 * Fits a line by the method of Theil and Sen. The slope is the median over all
 * pairs of points, weighted by their distance in x, since slopes of close
 * points are mostly noise. The intercept is the median of y - slope * x. At
 * most XS_FIT_MAX points; both are NAN without two different x.
 */
struct xs_line xs_stats_fit(const double *x, const double *y, size_t count);
