/* SPDX-License-Identifier: MIT */
/* Medians of several runs, and how far they can be trusted. */
#pragma once

#include "report/result/optional.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the spread of `count` values, of any unit; sorts them. The interval
 * of the median is that between two order statistics, without an assumption on
 * how the values are distributed: the k-th from below and from above, with the
 * largest k for which at least 90 % of the intervals hold the true median.
 */
struct xs_run_spread xs_spread_of(int64_t *values, size_t count);

/* Returns of how many pairs of values the one after is more than `factor` times
 * that before. */
size_t xs_spread_above(const int64_t *before, size_t before_count,
		       const int64_t *after, size_t after_count, double factor);

/*
 * Whether so many of all pairs of values of two sides are all but few: if the
 * sides are of one distribution, pairs that differ in one direction are so few
 * with a probability of about 5 % (the U of Mann and Whitney, On a Test of
 * Whether one of Two Random Variables is Stochastically Larger than the Other,
 * 1947, as a normal distribution). Of fewer than three values each, 0 is that
 * few, more often: with one in 6 of two each, with every other of one each.
 */
bool xs_spread_nearly_all(size_t pairs, size_t before_count,
			  size_t after_count);
