/* SPDX-License-Identifier: MIT */
/* Numbers of a trace or a model as numbers of a result. */
#ifndef XS_REPORT_RESULT_NUMBER_H
#define XS_REPORT_RESULT_NUMBER_H

#include "report/result/units.h"

#include <math.h>
#include <stdint.h>

/*
 * A figure of the trace. No run lasts 36 years and none moves an exbibyte: a
 * damaged trace may say so, and sums of what is left here cannot overflow.
 */
static inline int64_t xs_number_bounded(uint64_t value)
{
	const uint64_t most = UINT64_C(1) << 60;

	return (int64_t)(value < most ? value : most);
}

/* Adds, of what is not below 0, without an overflow. */
static inline void xs_number_add(int64_t *to, int64_t from)
{
	*to = xs_number_bounded((uint64_t)*to + (uint64_t)from);
}

/* 0 stands for "not known" in records of the trace. */
static inline int64_t xs_number_known(uint64_t value)
{
	return value ? xs_number_bounded(value) : XS_UNKNOWN;
}

/* A figure of a model, within the same bounds; beyond them, not known. */
static inline int64_t xs_number_round(double value)
{
	return isfinite(value) && fabs(value) < 0x1p60 ? llround(value)
						       : XS_UNKNOWN;
}

#endif
