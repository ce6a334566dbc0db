/* SPDX-License-Identifier: MIT */
/* Converts numbers of a trace or a model to numbers of a result. */
#pragma once

#include "report/result/units.h"

#include <math.h>
#include <stdint.h>

/*
 * Limits a number of the trace to 2^60, which is 36 years in ns or an
 * exbibyte. A damaged trace may exceed it; sums of limited numbers do not
 * overflow.
 */
static inline int64_t xs_number_bounded(uint64_t value)
{
	const uint64_t most = UINT64_C(1) << 60;

	return (int64_t)(value < most ? value : most);
}

/* Adds numbers that are not negative, without overflow. */
static inline void xs_number_add(int64_t *to, int64_t from)
{
	*to = xs_number_bounded((uint64_t)*to + (uint64_t)from);
}

/* Adds, unless either is unknown: then the sum is. */
static inline void xs_number_add_known(int64_t *to, int64_t from)
{
	if (*to != XS_UNKNOWN)
		*to = from == XS_UNKNOWN ? from : *to + from;
}

static inline int64_t xs_number_or_zero(int64_t value)
{
	return value == XS_UNKNOWN ? 0 : value;
}

/* Records of the trace store 0 for "unknown". */
static inline int64_t xs_number_known(uint64_t value)
{
	return value ? xs_number_bounded(value) : XS_UNKNOWN;
}

/* Rounds a number of the model; XS_UNKNOWN beyond 2^60 or if not finite. */
static inline int64_t xs_number_round(double value)
{
	return isfinite(value) && fabs(value) < 0x1p60 ? llround(value)
						       : XS_UNKNOWN;
}

/* Widens an interval, of which an end may be XS_UNKNOWN, to the value. */
static inline void xs_number_contain(int64_t ns, int64_t *low_ns,
				     int64_t *high_ns)
{
	if (*low_ns != XS_UNKNOWN && *low_ns > ns)
		*low_ns = ns;
	if (*high_ns != XS_UNKNOWN && *high_ns < ns)
		*high_ns = ns;
}
