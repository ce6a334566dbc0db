/* SPDX-License-Identifier: MIT */
/* A machine with all parameters at one end of their ranges, for intervals. */
#pragma once

#include "model/machine/machine.h"

enum xs_range_end {
	XS_RANGE_LOW,
	XS_RANGE_VALUE,
	XS_RANGE_HIGH,
	XS_RANGE_ENDS
};

static inline double xs_range_end_value(const struct xs_param *param,
					enum xs_range_end side)
{
	const double end = side == XS_RANGE_LOW	   ? param->low
			   : side == XS_RANGE_HIGH ? param->high
						   : param->value;

	return end == end ? end : param->value; /* NAN: unknown */
}

static inline struct xs_curve xs_range_end_curve(const struct xs_curve *curve,
						 enum xs_range_end side)
{
	struct xs_curve at = *curve;

	for (size_t i = 0; i < curve->count && curve->high_ns[i] > 0; i++)
		at.ns[i] = side == XS_RANGE_LOW	   ? curve->low_ns[i]
			   : side == XS_RANGE_HIGH ? curve->high_ns[i]
						   : curve->ns[i];
	return at;
}

/* Returns the machine with every known parameter at that end. LOW is the
 * fastest machine: all parameters are costs, except the time before mapped
 * writes slow copies down. */
static inline struct xs_machine xs_machine_at(const struct xs_machine *from,
					      enum xs_range_end side)
{
	struct xs_machine at = *from;

#define XS_TAKE_SIDE(name, unit, what)                                         \
	at.name.value = xs_range_end_value(&from->name, side);
	XS_MACHINE_PARAMS(XS_TAKE_SIDE)
#undef XS_TAKE_SIDE
	at.pageable_h2d = xs_range_end_curve(&from->pageable_h2d, side);
	at.pageable_d2h = xs_range_end_curve(&from->pageable_d2h, side);
	at.mapped_write_early_ns.value =
	    xs_range_end_value(&from->mapped_write_early_ns,
			       (enum xs_range_end)(XS_RANGE_HIGH - side));
	return at;
}
