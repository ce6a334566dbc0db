/* SPDX-License-Identifier: MIT */
#include "model/machine/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void xs_points_add(struct xs_points *points, double x, double y)
{
	if (points->count == XS_POINTS_MAX)
		return;
	points->x[points->count] = x;
	points->y[points->count++] = y;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the quantile of sorted values. */
static double quantile(const double *values, size_t count, double share)
{
	const double at = share * (double)(count - 1);
	const size_t below = (size_t)at;
	const double part = at - (double)below;

	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + part * (values[below + 1] - values[below]);
}

struct xs_param xs_points_median(const struct xs_points *points)
{
	double sorted[XS_POINTS_MAX];
	const size_t n = points->count;

	if (!n)
		return (struct xs_param){NAN, NAN, NAN};
	memcpy(sorted, points->y, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	return (struct xs_param){quantile(sorted, n, 0.5),
				 quantile(sorted, n, 0.05),
				 quantile(sorted, n, 0.95)};
}

static double largest(const double *values, size_t count)
{
	double most = 0;
	size_t i;

	for (i = 0; i < count; i++)
		most = fmax(most, values[i]);
	return most;
}

/* Returns the median slope of all pairs whose slope is not just noise: one x is
 * large, and at least twice the other. */
static double median_slope(const struct xs_points *p)
{
	const size_t pairs = p->count * p->count / 2 + 1;
	const double large = largest(p->x, p->count) / 8;
	double *slopes = malloc(pairs * sizeof(*slopes)), slope = NAN;
	size_t i, j, count = 0;

	for (i = 0; slopes && i < p->count; i++) {
		for (j = 0; j < i; j++) {
			const double most = fmax(p->x[i], p->x[j]);

			if (most > 0 && most >= large &&
			    most >= 2 * fmin(p->x[i], p->x[j]))
				slopes[count++] =
				    (p->y[i] - p->y[j]) / (p->x[i] - p->x[j]);
		}
	}
	if (count) {
		qsort(slopes, count, sizeof(*slopes), compare);
		slope = quantile(slopes, count, 0.5);
	}
	free(slopes);
	return slope;
}

bool xs_points_line(const struct xs_points *points, struct xs_param *slope,
		    double *intercept)
{
	struct xs_points rest = {0}, rates = {0};
	const double value = median_slope(points);
	const double large = largest(points->x, points->count) / 8;
	size_t i;

	if (!(value > 0))
		return false;
	for (i = 0; i < points->count; i++)
		xs_points_add(&rest, 0, points->y[i] - value * points->x[i]);
	*intercept = fmax(xs_points_median(&rest).value, 0);
	for (i = 0; i < points->count; i++)
		if (points->x[i] >= large)
			xs_points_add(&rates, 0,
				      (points->y[i] - *intercept) /
					  points->x[i]);
	*slope = xs_points_median(&rates);
	slope->value = value;
	slope->low = fmin(slope->low, value);
	slope->high = fmax(slope->high, value);
	return true;
}
