/* SPDX-License-Identifier: MIT */
/* Measurements of one quantity, with robust statistics. */
#ifndef XS_MODEL_MACHINE_POINTS_H
#define XS_MODEL_MACHINE_POINTS_H

#include "model/machine/machine.h"

/* Only the first ones are kept: enough for a median, and a limit for the fit,
 * which compares all pairs. */
#define XS_POINTS_MAX 400u

/* y measured at x; x is 0 if it is not needed. */
struct xs_points {
	size_t count;
	double x[XS_POINTS_MAX], y[XS_POINTS_MAX];
};

void xs_points_add(struct xs_points *points, double x, double y);

/* Returns the median of y with the range of its middle 90 %; NAN without
 * points. */
struct xs_param xs_points_median(const struct xs_points *points);

/*
 * Fits y = intercept + slope * x by Theil and Sen: the median slope over pairs
 * of points. One x of a pair must be large (at least an eighth of the largest)
 * and at least twice the other. The slope's range is that of (y - intercept) /
 * x over the larger points. Returns false if no such pair exists.
 */
bool xs_points_line(const struct xs_points *points, struct xs_param *slope,
		    double *intercept);

#endif
