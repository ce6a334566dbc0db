/* SPDX-License-Identifier: MIT */
/* Model of the link between host and device: which uses slow each other. */
#pragma once

#include "model/machine/machine.h"

#include <stdint.h>

enum xs_link_use {
	XS_LINK_COPY_IN,  /* an engine copies to the device */
	XS_LINK_COPY_OUT, /* an engine copies to the host */
	XS_LINK_READ,	  /* a kernel reads mapped memory: to the device */
	XS_LINK_WRITE,	  /* a kernel writes mapped memory: to the host */
	XS_LINK_USES
};

/* The most simultaneous users: two copy engines, and a kernel that reads and
 * writes. */
#define XS_LINK_ROOM 4u

struct xs_link {
	const struct xs_machine *machine;
	struct xs_link_user {
		uint32_t owner;
		enum xs_link_use use;
		double bytes;	 /* not yet transferred */
		double early_ns; /* mapped writes: time until they queue up */
		double stall_ns; /* copies in and mapped writes: time until
				  * their first bytes */
		double share;	 /* mapped writes: share of the link that they
				  * fill */
		double age_ns;	 /* since it joined */
	} users[XS_LINK_ROOM];
	/* users by kind; early: writes that do not queue up yet */
	unsigned count, active[XS_LINK_USES], early;
};

/* Adds a user. share: for mapped writes, the part of their time in which they
 * fill the link and delay copies in. There must be room. Returns whether the
 * rate of this and of all other active users is known. */
bool xs_link_join(struct xs_link *link, uint32_t owner, enum xs_link_use use,
		  double bytes, double share);

/* Returns the time in ns until the first user finishes or the rates change;
 * INFINITY without users. */
double xs_link_next_ns(const struct xs_link *link);

/*
 * Transfers bytes from one time to another, at most xs_link_next_ns() later.
 * Removes the users that finish, stores their owners and returns their number.
 */
unsigned xs_link_advance(struct xs_link *link, double from_ns, double to_ns,
			 uint32_t done[XS_LINK_ROOM]);
