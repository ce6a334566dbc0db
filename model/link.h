/* SPDX-License-Identifier: MIT */
/* The link between host and device: who slows whom. */
#ifndef XS_LINK_H
#define XS_LINK_H

#include "model/machine.h"

enum xs_link_use {
	XS_LINK_COPY_IN,  /* an engine copies to the device */
	XS_LINK_COPY_OUT, /* an engine copies to the host */
	XS_LINK_READ,	  /* a kernel reads mapped memory: to the device */
	XS_LINK_WRITE,	  /* a kernel writes mapped memory: to the host */
	XS_LINK_USES
};

/*
 * ns a byte of one user while active[u] users of each kind (itself included)
 * are on the link: its own rate, or the slowest of those that were measured
 * against an active user of the other direction; users of one direction share
 * it evenly. A pair that was not measured does not slow. NAN where the user's
 * own rate is not known.
 */
double xs_link_rate(const struct xs_machine *machine, enum xs_link_use use,
		    const unsigned active[XS_LINK_USES]);

#endif
