/* SPDX-License-Identifier: MIT */
/* Measurements of one quantity, and robust figures from them. */
#ifndef XS_MODEL_MACHINE_POINTS_H
#define XS_MODEL_MACHINE_POINTS_H

#include "model/machine/machine.h"

/* The first so many are kept: enough for a median, and a bound on the fit,
 * which looks at every pair. */
#define XS_POINTS_MAX 400u

/* y measured at x; x is 0 where it plays no part. */
struct xs_points {
	size_t count;
	double x[XS_POINTS_MAX], y[XS_POINTS_MAX];
};

void xs_points_add(struct xs_points *points, double x, double y);

/* Median of y with the range of its middle 90 %; NAN when there are none. */
struct xs_param xs_points_median(const struct xs_points *points);

/*
 * y = intercept + slope * x by Theil and Sen: the median slope over pairs of
 * which one x is large (an eighth of the largest or more) and at least twice
 * the other. The slope's range is that of
 * (y - intercept) / x over the larger points. False when no such pair exists.
 */
bool xs_points_line(const struct xs_points *points, struct xs_param *slope,
		    double *intercept);

#endif
