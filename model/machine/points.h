/* SPDX-License-Identifier: MIT */
/* Measurements of one quantity, with robust statistics. */
#pragma once

#include "model/machine/machine.h"

/* Only the first ones are kept: enough for a median. */
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
