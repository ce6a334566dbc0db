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
