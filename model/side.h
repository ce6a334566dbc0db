/* SPDX-License-Identifier: MIT */
/* A machine at one end of its parameters' ranges, for intervals. */
#ifndef XS_SIDE_H
#define XS_SIDE_H

#include "model/machine.h"

enum xs_side { XS_SIDE_LOW, XS_SIDE_VALUE, XS_SIDE_HIGH, XS_SIDES };

/* The machine with every known parameter at that end. All parameters are
 * costs, so that LOW is the fastest machine within the ranges. */
static inline struct xs_machine xs_machine_at(const struct xs_machine *machine,
					      enum xs_side side)
{
	struct xs_machine at = *machine;

#define XS_TAKE_SIDE(name, unit, what)                                         \
	if (side == XS_SIDE_LOW && machine->name.low == machine->name.low)     \
		at.name.value = machine->name.low;                             \
	if (side == XS_SIDE_HIGH && machine->name.high == machine->name.high)  \
		at.name.value = machine->name.high;
	XS_MACHINE_PARAMS(XS_TAKE_SIDE)
#undef XS_TAKE_SIDE
	return at;
}

#endif
