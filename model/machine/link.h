/* SPDX-License-Identifier: MIT */
/* The link between host and device: who slows whom. */
#ifndef XS_MODEL_MACHINE_LINK_H
#define XS_MODEL_MACHINE_LINK_H

#include "model/machine/machine.h"

#include <stdint.h>

enum xs_link_use {
	XS_LINK_COPY_IN,  /* an engine copies to the device */
	XS_LINK_COPY_OUT, /* an engine copies to the host */
	XS_LINK_READ,	  /* a kernel reads mapped memory: to the device */
	XS_LINK_WRITE,	  /* a kernel writes mapped memory: to the host */
	XS_LINK_USES
};

/* Who is on the link now. Two engines and a kernel that reads and writes are
 * the most that there can be at once. */
#define XS_LINK_ROOM 4u

struct xs_link {
	const struct xs_machine *machine;
	struct xs_link_user {
		uint32_t owner;
		enum xs_link_use use;
		double bytes;	 /* still to cross */
		double early_ns; /* of mapped writes: until they queue up */
		double stall_ns; /* of copies in and mapped writes: until their
				  * first bytes */
		double share;	 /* of mapped writes: how full the link is */
		double age_ns;	 /* since it joined */
	} users[XS_LINK_ROOM];
	/* users of each kind; early: those of the writes that do not queue up
	 * yet */
	unsigned count, active[XS_LINK_USES], early;
};

/*
 * ns a byte of one user of a kind: its own rate, or the slowest of those that
 * were measured against an active user of the other direction; users of one
 * direction share it evenly. A pair that was not measured does not slow. NAN
 * where the user's own rate is not known.
 *
 * Mapped writes and copies in: a copy keeps its rate until the writes have
 * filled the way out, behind which its read requests then queue; the writes,
 * till then, run at a rate of their own. A copy that starts under mapped writes
 * waits for its first bytes, until the writes end or h2d_stall_ns have passed;
 * and so do writes that start under a copy in, by mapped_write_stall_ns. A copy
 * that starts with the writes is before them.
 */
double xs_link_rate(const struct xs_link *link, enum xs_link_use use);

/* Adds a user; share: of mapped writes, the part of their time in which they
 * fill the link, for that long they hold up copies in. 0, or -EDOM when its
 * rate or, beside it, another's is not known. There must be room. */
int xs_link_join(struct xs_link *link, uint32_t owner, enum xs_link_use use,
		 double bytes, double share);

/* Time in ns after which the first user is done or the rates change; INFINITY
 * without users. */
double xs_link_next_ns(const struct xs_link *link);

/*
 * Moves bytes from one time to another, at most xs_link_next_ns later, and
 * takes off the users that are done: their owners, and how many.
 */
unsigned xs_link_advance(struct xs_link *link, double from_ns, double to_ns,
			 uint32_t done[XS_LINK_ROOM]);

#endif
