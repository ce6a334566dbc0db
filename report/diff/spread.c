/* SPDX-License-Identifier: MIT */
#include "report/diff/spread.h"

#include "report/result/units.h"

#include <math.h>
#include <stdlib.h>

/* Greatest probability, on each side, that the interval misses the median. */
#define OUTSIDE 0.05
/* Standard deviations of a normal distribution beyond which that is. */
#define NORMAL_OUTSIDE 1.645

static int compare(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* Returns ln P(Binomial(count, 1/2) = k). */
static double log_chance(size_t count, size_t k)
{
	return lgamma((double)count + 1) - lgamma((double)k + 1) -
	       lgamma((double)(count - k) + 1) - (double)count * log(2);
}

/* Returns how many values at each end are outside of the interval: the largest
 * k with P(Binomial(count, 1/2) <= k) <= OUTSIDE, 0 if there is none. */
static size_t outside_count(size_t count)
{
	double sum = exp(log_chance(count, 0));
	size_t k = 0;

	while (sum + exp(log_chance(count, k + 1)) <= OUTSIDE)
		sum += exp(log_chance(count, ++k));
	return k;
}

struct xs_run_spread xs_spread_of(int64_t *values, size_t count)
{
	struct xs_run_spread out = {XS_UNKNOWN, XS_UNKNOWN, XS_UNKNOWN,
				    XS_UNKNOWN, XS_UNKNOWN};
	size_t k;

	if (count == 0)
		return out;
	qsort(values, count, sizeof(*values), compare);
	if (values[0] == XS_UNKNOWN)
		return out;
	k = outside_count(count);
	out.least = values[0];
	out.most = values[count - 1];
	out.low = values[k];
	out.high = values[count - 1 - k];
	/* of an even number the mean of both in the middle */
	out.median = values[(count - 1) / 2] +
		     (values[count / 2] - values[(count - 1) / 2]) / 2;
	return out;
}

size_t xs_spread_above(const int64_t *before, size_t before_count,
		       const int64_t *after, size_t after_count, double factor)
{
	size_t above = 0;

	for (size_t i = 0; i < before_count; i++)
		for (size_t k = 0; k < after_count; k++)
			above += (double)after[k] > factor * (double)before[i];
	return above;
}

bool xs_spread_nearly_all(size_t pairs, size_t before_count, size_t after_count)
{
	const double m = (double)before_count, n = (double)after_count;
	const double few =
	    m * n / 2 - NORMAL_OUTSIDE * sqrt(m * n * (m + n + 1) / 12) - 0.5;

	return before_count * after_count - pairs <=
	       (few > 0 ? (size_t)few : 0);
}
