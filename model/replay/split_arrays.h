/* SPDX-License-Identifier: MIT */
/* Arrays that a round copies in several parts. */
#pragma once

#include "analyzer/rounds/phase.h"

struct xs_split_arrays {
	unsigned arrays; /* of adjacent device memory */
	unsigned parts;	 /* of adjacent host memory, too: what one copy can
			  * move; at least one for each array */
};

/*
 * Counts the arrays that the round's copies of a kind move. A copy continues an
 * array if it has the call site and size of the part before (the last one may
 * be smaller), its device memory follows that of the part, and no allocation
 * begins there.
 */
void xs_split_arrays_count(const struct xs_phase *phase, enum xs_step_kind kind,
			   struct xs_split_arrays *out);

/* Returns the parts of each array; parts 0: one. */
double xs_parts_of_array(unsigned arrays, unsigned parts);

/* Returns whether the second copy moves what follows the first one's memory, on
 * the host and on the device. */
bool xs_step_continues(const struct xs_step *first,
		       const struct xs_step *second);

/* Stores whether the round copies in several arrays, each from host memory that
 * is known to be apart from the others'. */
void xs_split_arrays_apart(const struct xs_phase *phase, bool *apart);
