/* SPDX-License-Identifier: MIT */
#include "report/calibrate/stats.h"
#include "tests/unit.h"

#include <math.h>

#define NEAR 1e-9

/* Older versions of cmocka compare only floats. */
#define assert_near(value, expected, tolerance)                                \
	assert_true(fabs((value) - (expected)) <= (tolerance))

static struct xs_samples samples_of(const double *values, size_t count)
{
	struct xs_samples samples = {0};

	for (size_t i = 0; i < count; i++)
		xs_samples_add(&samples, values[i]);
	return samples;
}

TEST(test_median_of_odd_and_even_counts)
{
	const double values[] = {9, 1, 5, 3};
	struct xs_samples odd = samples_of(values, 3);
	struct xs_samples even = samples_of(values, 4);

	assert_near(xs_samples_median(&odd), 5, NEAR);
	/* 1 3 5 9: halfway between 3 and 5 */
	assert_near(xs_samples_median(&even), 4, NEAR);
}

TEST(test_percentiles_lie_between_neighbours)
{
	struct xs_samples samples = {0};

	for (int i = 0; i <= 20; i++)
		xs_samples_add(&samples, 100 + 20 - i);
	/* 100 to 120 in steps of 1: the p-th percentile is 100 + p / 5 */
	assert_near(xs_samples_percentile(&samples, 0), 100, NEAR);
	assert_near(xs_samples_percentile(&samples, 5), 101, NEAR);
	assert_near(xs_samples_percentile(&samples, 52), 110.4, NEAR);
	assert_near(xs_samples_percentile(&samples, 100), 120, NEAR);
}

TEST(test_param_has_median_and_range)
{
	struct xs_samples samples = {0};

	for (int i = 0; i <= 100; i++)
		xs_samples_add(&samples, i);

	struct xs_param param = xs_samples_param(&samples);

	assert_near(param.low, 5, NEAR);
	assert_near(param.value, 50, NEAR);
	assert_near(param.high, 95, NEAR);
}

TEST(test_no_samples_give_nan)
{
	const struct xs_samples none = {0};
	struct xs_param param = xs_samples_param(&none);

	assert_true(isnan(param.value));
	assert_true(isnan(param.low));
	assert_true(isnan(param.high));
}

TEST(test_samples_drop_what_is_not_finite)
{
	const double values[] = {NAN, 7, INFINITY, -INFINITY};
	struct xs_samples samples = samples_of(values, 4);

	assert_int_equal(samples.count, 1);
	assert_near(xs_samples_median(&samples), 7, NEAR);
}

TEST(test_samples_stop_when_full)
{
	struct xs_samples samples = {0};

	for (int i = 0; i < XS_SAMPLES_MAX + 10; i++)
		xs_samples_add(&samples, i);
	assert_int_equal(samples.count, XS_SAMPLES_MAX);
	assert_near(xs_samples_percentile(&samples, 100), XS_SAMPLES_MAX - 1,
		    NEAR);
}

TEST(test_fit_of_a_line)
{
	const double x[] = {1, 2, 4, 8, 16};
	const double y[] = {5, 7, 11, 19, 35}; /* 3 + 2x */
	struct xs_line line = xs_stats_fit(x, y, 5);

	assert_near(line.slope, 2, NEAR);
	assert_near(line.intercept, 3, NEAR);
}

TEST(test_fit_ignores_a_wild_point)
{
	const double x[] = {1, 2, 4, 8, 16, 32};
	const double y[] = {5, 7, 11, 900, 35, 67}; /* 3 + 2x, one outlier */
	struct xs_line line = xs_stats_fit(x, y, 6);

	assert_near(line.slope, 2, NEAR);
	assert_near(line.intercept, 3, NEAR);
}

TEST(test_fit_trusts_distant_pairs)
{
	/* Near 10x, but the first three are noisy: their pairs have slopes 40,
	 * 10 and -20 with weights 1, 2 and 1; the pairs with the last point
	 * have slopes 10.01, 9.98 and 10.01 with weights 1000, 999 and 998.
	 * Half of the weight, 1500.5, is reached at 10.01. */
	const double x[] = {1, 2, 3, 1001};
	const double y[] = {0, 40, 20, 10010};
	struct xs_line line = xs_stats_fit(x, y, 4);

	assert_near(line.slope, 10.01, 0.001);
}

TEST(test_fit_needs_two_different_x)
{
	const double x[] = {3, 3};
	const double y[] = {1, 2};

	assert_true(isnan(xs_stats_fit(x, y, 0).slope));
	assert_true(isnan(xs_stats_fit(x, y, 1).slope));
	assert_true(isnan(xs_stats_fit(x, y, 2).slope));
	assert_true(isnan(xs_stats_fit(x, y, 2).intercept));
}
