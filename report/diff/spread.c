/* SPDX-License-Identifier: MIT */
#include "report/diff/spread.h"

#include "report/result/units.h"

#include <math.h>
#include <stdlib.h>

/* Greatest probability, on each side, that the interval misses the median. */
#define OUTSIDE 0.05

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

bool xs_spread_apart(const struct xs_run_spread *before,
		     const struct xs_run_spread *after)
{
	return before->median != XS_UNKNOWN && after->median != XS_UNKNOWN &&
	       (before->high < after->low || after->high < before->low);
}
