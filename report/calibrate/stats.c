/* SPDX-License-Identifier: MIT */
#include "report/calibrate/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX (XS_FIT_MAX * (XS_FIT_MAX - 1) / 2)

void xs_samples_add(struct xs_samples *samples, double value)
{
	if (isfinite(value) && samples->count < XS_SAMPLES_MAX)
		samples->values[samples->count++] = value;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double xs_samples_percentile(const struct xs_samples *samples, double percent)
{
	double sorted[XS_SAMPLES_MAX];
	size_t count = samples->count;

	if (count == 0)
		return NAN;
	memcpy(sorted, samples->values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_doubles);

	double at = percent / 100 * (double)(count - 1);
	size_t below = (size_t)at;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] +
	       (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct xs_param xs_samples_param(const struct xs_samples *samples)
{
	struct xs_param param = {
	    .value = xs_samples_median(samples),
	    .low = xs_samples_percentile(samples, 5),
	    .high = xs_samples_percentile(samples, 95),
	};

	return param;
}

/* Slope between two points, weighted by their distance. */
struct pair {
	double slope, weight;
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->slope > y->slope) - (x->slope < y->slope);
}

/* Returns the weighted median of the slopes. */
static double weighted_median(struct pair *pairs, size_t count)
{
	double total = 0, sum = 0;

	qsort(pairs, count, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < count; i++)
		total += pairs[i].weight;
	for (size_t i = 0; i < count; i++) {
		sum += pairs[i].weight;
		if (sum * 2 >= total)
			return pairs[i].slope;
	}
	return NAN;
}

struct xs_line xs_stats_fit(const double *x, const double *y, size_t count)
{
	struct pair pairs[PAIRS_MAX];
	struct xs_samples rest = {0};
	struct xs_line line = {NAN, NAN};
	size_t n = 0;

	if (count > XS_FIT_MAX)
		count = XS_FIT_MAX;
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++) {
			double distance = x[j] - x[i];
			double slope = (y[j] - y[i]) / distance;

			if (isfinite(slope))
				pairs[n++] =
				    (struct pair){slope, fabs(distance)};
		}
	if (n == 0)
		return line;
	line.slope = weighted_median(pairs, n);
	for (size_t i = 0; i < count; i++)
		xs_samples_add(&rest, y[i] - line.slope * x[i]);
	line.intercept = xs_samples_median(&rest);
	return line;
}
